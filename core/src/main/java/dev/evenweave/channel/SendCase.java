// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The case of sending to a channel. It takes part only while it has an element: after it was chosen, and so sent, the
 * next one has to be set.
 *
 * @param <T> the type of the elements
 */
public final class SendCase<T> extends Case {
    private @Nullable Object element;

    SendCase(Selector selector, Channel<T> channel, int index, @Nullable Object element) {
        super(selector, channel, index);
        this.element = element;
    }

    /**
     * Sets what to send, in place of what was set before.
     *
     * @param newElement what the selects from now on try to send, until one has; not null
     */
    public void offer(T newElement) {
        selector.checkIdle();
        Channel.checkElement(newElement);
        element = newElement;
    }

    @Override
    boolean isActive() {
        return element != null && super.isActive();
    }

    @Override
    boolean attempt() {
        if (!channel.trySendObject(Objects.requireNonNull(element))) {
            return false;
        }
        element = null;
        return true;
    }

    @Override
    boolean isReady() {
        return channel.isReadyToSend();
    }

    @Override
    void enter() {
        outcome = null;
        channel.enterSenders(this, Objects.requireNonNull(element));
    }

    @Override
    void take() {
        if (outcome == Channel.CLOSED) {
            throw channel.closedException();
        }
        element = null;
    }
}
