// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

// Purpose. A place in a queue of a channel: who waits there, what it brings or gets, and how its wait ended. Places are
// used again and again by whoever comes (WaiterQueue), so a wait allocates nothing.
//
// States.
//
//             enter                   granter                    owner (a thread) has read the outcome
//     FREE ──────────▶ WAITING ───────────────────▶ DONE ───────────────────────────────────▶ FREE
//      ▲                │   │ granter, owner is a Party                                         ▲
//      │                │   └──────────────────────────────────────────────────────────────────┘
//      │ passed over    │ owner gives up
//      └───── GONE ◀────┘
//
// All transitions are under the lock of the channel but the one from DONE, which the owner makes alone.
//
// Memory order. The granter writes `value`, then DONE with release; the owner reads DONE with acquire, then `value`.
// The
// owner's last access is FREE with release; who enters next has read it with acquire.

/** A place in a queue of a channel. */
final class Waiter {
    private static final int FREE = 0;
    private static final int WAITING = 1;
    private static final int DONE = 2;
    private static final int GONE = 3;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Waiter.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A sender's element until the grant, the outcome of a thread's wait after it. */
    @Nullable
    Object value;

    /** Where it stands in the queue. Under the lock. */
    int position;

    /** A Thread or a {@link Party}. Under the lock, but cleared by a thread when it is done. */
    private @Nullable Object owner;

    private int state;

    boolean isFree() {
        return (int) STATE.getAcquire(this) == FREE;
    }

    boolean isWaiting() {
        return (int) STATE.getAcquire(this) == WAITING;
    }

    boolean isGone() {
        return state == GONE;
    }

    void begin(Object newOwner, @Nullable Object element) {
        owner = newOwner;
        if (element != null) {
            value = element;
        }
        STATE.setRelease(this, WAITING);
    }

    /** The owner's last access. */
    void end() {
        value = null;
        owner = null;
        STATE.setRelease(this, FREE);
    }

    void leave() {
        value = null;
        owner = null;
        STATE.setRelease(this, GONE);
    }

    /** After {@link #leave}, when the queue has no use for the place any more. */
    void forget() {
        STATE.setRelease(this, FREE);
    }

    /**
     * Ends the wait; by the granter, under the lock, when the place is out of the queue. For one of the senders the
     * granter has read {@link #value} before.
     *
     * @param outcome what the owner gets: an element, {@link Channel#CLOSED}, or null: the element was taken
     * @return whom to wake after unlock; null if a Party's wait was over already: the grant must go to another one
     */
    @Nullable
    Object finish(@Nullable Object outcome) {
        Object waiting = owner;
        if (waiting instanceof Party party) {
            end();
            return party.finish(outcome);
        }
        assert waiting != null : "nobody waits here";
        value = outcome;
        // From here on the place is its owner's.
        STATE.setRelease(this, DONE);
        return waiting;
    }
}
