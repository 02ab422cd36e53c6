// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import org.jspecify.annotations.Nullable;

/**
 * The case of receiving from a channel. A channel that is closed and drained is always ready: {@link #isClosed} then
 * says so, and there is no element.
 *
 * @param <T> the type of the elements
 */
public final class ReceiveCase<T> extends Case {
    ReceiveCase(Selector selector, Channel<T> channel, int index) {
        super(selector, channel, index);
    }

    /**
     * What was received. Valid until the next select.
     *
     * @throws ChannelClosedException if the channel is closed and nothing is left in it
     * @throws IllegalStateException if this is not the case that the last select chose
     */
    public T element() {
        Object chosen = checkChosen();
        if (chosen == Channel.CLOSED) {
            throw channel.closedException();
        }
        return cast(chosen);
    }

    /**
     * What was received, or null if the channel is closed and nothing is left in it. Valid until the next select.
     *
     * @throws IllegalStateException if this is not the case that the last select chose
     */
    public @Nullable T elementOrNull() {
        Object chosen = checkChosen();
        return chosen == Channel.CLOSED ? null : cast(chosen);
    }

    /** Whether the last select chose this case because the channel is closed and nothing is left in it. */
    public boolean isClosed() {
        return outcome == Channel.CLOSED && selector.isChosen(this);
    }

    private Object checkChosen() {
        Object chosen = outcome;
        if (chosen == null || !selector.isChosen(this)) {
            throw new IllegalStateException("case " + index + " was not chosen by the last select: it has no element");
        }
        return chosen;
    }

    @Override
    boolean attempt() {
        outcome = channel.tryReceiveObject();
        return outcome != null;
    }

    @Override
    boolean isReady() {
        return channel.isReadyToReceive();
    }

    @Override
    void enter() {
        outcome = null;
        channel.enterReceivers(this);
    }

    @Override
    void take() {
        assert outcome != null : "chosen without an outcome";
    }

    @SuppressWarnings("unchecked")
    private T cast(Object element) {
        return (T) element;
    }
}
