// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import org.jspecify.annotations.Nullable;

// Purpose. One alternative of a Selector, and the waiter that stands for it in the queue of its channel. It lives as
// long as the selector, so selecting allocates nothing.
//
// Memory order. A granter, under the lock of the channel, writes `value` and then claims the selector by a
// compare-and-set; the owner reads the claim with acquire, then `value`. If the claim fails, `value` has been written
// for
// nothing: the owner sets it again before the case is queued the next time, under the same lock.

/**
 * One alternative of a {@link Selector}: to receive from a channel, or to send to one. What {@link Selector#select}
 * returns is one of these.
 */
public abstract sealed class Case extends Party permits ReceiveCase, SendCase {
    final Selector selector;
    final Channel<?> channel;
    final int index;

    /** What came of it: an element, {@link Channel#CLOSED}, or null. */
    @Nullable
    Object outcome;

    private boolean enabled = true;

    Case(Selector selector, Channel<?> channel, int index) {
        this.selector = selector;
        this.channel = channel;
        this.index = index;
    }

    /** The position of the case in its selector: 0 for the first one that was added. */
    public int index() {
        return index;
    }

    /**
     * Says whether the selector takes part in this case; a new case is enabled. As setting a channel to nil does in Go.
     */
    public void enable(boolean on) {
        selector.checkIdle();
        enabled = on;
    }

    boolean isActive() {
        return enabled;
    }

    /** Does it if that is possible without waiting. */
    abstract boolean attempt();

    /** Whether {@link #attempt} would succeed; under the lock, with the fast path shut. */
    abstract boolean isReady();

    /** Queues it; under the lock. */
    abstract void enter();

    /** Takes over what the granter left, after the wait for this case has ended. */
    abstract void take();

    @Override
    @Nullable
    Object finish(@Nullable Object granted) {
        // After the claim the owner may go on and leave.
        waiter = null;
        outcome = granted;
        return selector.claim(index);
    }
}
