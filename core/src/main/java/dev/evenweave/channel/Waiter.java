// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

// Purpose. One thread that waits in a channel: what it brings or gets, and how its wait ended. Waiters are used again
// (WaiterPool), so that a wait allocates nothing.
//
// States.
//
//              take                    granter, under the lock
//     FREE ────────────▶ WAITING ──────────────────────────────▶ DONE or CLOSED
//      ▲                    │ owner gives up, under the lock          │
//      └────────────────────┘◀────────────────────────────────────────┘ owner has read the outcome
//
// Memory order. The granter writes `value`, then sets `state` with release; the owner reads `state` with acquire, then
// `value`. The owner's last access to a waiter is to set FREE with release; the pool reads it with acquire before it
// gives the waiter to another owner.

/** A thread that waits in a channel. */
final class Waiter {
    static final int FREE = 0;
    static final int WAITING = 1;
    static final int DONE = 2;
    static final int CLOSED = 3;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Waiter.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Written by the owner before the waiter is queued, cleared by the owner; read by the granter under the lock. */
    @Nullable
    Thread thread;

    /** A sender's element, or what a receiver gets. Owner while FREE and after the grant, granter while WAITING. */
    @Nullable
    Object value;

    /** The neighbours in a {@link WaiterQueue}, or the next in the {@link WaiterPool}. Under the lock only. */
    @Nullable
    Waiter next;

    @Nullable
    Waiter previous;

    private int state;

    int state() {
        return (int) STATE.getAcquire(this);
    }

    void setState(int newState) {
        STATE.setRelease(this, newState);
    }
}
