// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

// Purpose. What stands in a queue of a channel: what it brings or gets, and how its wait ends. This class is a thread
// that waits in one channel; CaseWaiter is one of the cases of a select; AsyncWaiter is a future.
//
// States (of a thread's waiter).
//
//              take                    granter, under the lock
//     FREE ────────────▶ WAITING ──────────────────────────────▶ DONE
//      ▲                    │ owner gives up, under the lock       │
//      └────────────────────┘◀─────────────────────────────────────┘ owner has read the outcome
//
// Memory order. The granter writes `value`, then sets `state` with release; the owner reads `state` with acquire, then
// `value`. The owner's last access to a waiter is to set FREE with release; the pool reads it with acquire before it
// gives the waiter to another owner.

/** Somebody who waits in a channel. */
class Waiter {
    private static final int FREE = 0;
    private static final int WAITING = 1;
    private static final int DONE = 2;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Waiter.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A sender's element, or what a receiver gets. The granter's while linked, the owner's at all other times. */
    @Nullable
    Object value;

    /** The neighbours in a {@link WaiterQueue}, or the next in the {@link WaiterPool}. Under the lock of the channel. */
    @Nullable
    Waiter next;

    @Nullable
    Waiter previous;

    /** The queue in which it is linked. Under the lock of the channel. */
    @Nullable
    WaiterQueue queue;

    /** The owner: written by it before the waiter is linked. */
    private @Nullable Thread thread;

    private int state;

    /** Makes the current thread the owner. */
    final void begin(@Nullable Object newValue) {
        thread = Thread.currentThread();
        value = newValue;
        STATE.setRelease(this, WAITING);
    }

    final boolean isWaiting() {
        return (int) STATE.getAcquire(this) == WAITING;
    }

    final boolean isFree() {
        return (int) STATE.getAcquire(this) == FREE;
    }

    /** The owner's last access. */
    final void end() {
        value = null;
        thread = null;
        STATE.setRelease(this, FREE);
    }

    /**
     * Ends the wait; called by the granter, under the lock, with the waiter unlinked. For a waiter in a queue of senders
     * the granter must have read {@link #value} before.
     *
     * @param outcome what to leave in {@link #value}
     * @return whom to wake after unlock; or null if the wait was over already, and the grant must go to another one
     */
    @Nullable
    Object finish(WaiterPool pool, @Nullable Object outcome) {
        // From DONE on the owner may use the waiter again: everything else comes before.
        Thread owner = thread;
        value = outcome;
        pool.retire(this);
        STATE.setRelease(this, DONE);
        return owner;
    }
}
