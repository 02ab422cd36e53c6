// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

// Purpose. Waiting in which one act lets all go: latches, events, barriers, completions. What they wait for is that a
// number, the period, is no longer the one they saw.
//
// States. period p ── advance ──▶ period p + 1 ── ...; close ends it.
// Everybody in the queue waits for the end of the current period, so every advance empties the queue.
//
// Invariants.
//   I1  A waiter of period p is added only while the period is p, under the lock; advance changes the period and gives
//       all of the queue their result in one section. So nobody of period p is missed, and nobody who comes after the
//       change is let go by it.
//   I2  No waiter is woken before all have their result: one that comes back from its wake-up belongs to the next
// period.
//
// Memory order. `period` is volatile and changes under the lock: what was done before advance happens-before what is
// done by those who see the new period, with or without waiting.

/** Waiting that one act ends for all. */
public final class Gate extends WaitQueue {
    private static final VarHandle PERIOD;

    static {
        try {
            PERIOD = MethodHandles.lookup().findVarHandle(Gate.class, "period", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long period;
    private boolean closed;
    private @Nullable Throwable reason;

    public Gate(Parker parker) {
        this(0, parker);
    }

    public Gate(long period, Parker parker) {
        super(parker);
        PERIOD.setRelease(this, period);
    }

    public long period() {
        return (long) PERIOD.getAcquire(this);
    }

    public boolean isClosed() {
        lock();
        boolean now = closed;
        unlock();
        return now;
    }

    @Override
    public @Nullable Throwable reason() {
        lock();
        Throwable now = reason;
        unlock();
        return now;
    }

    /**
     * Waits until the period is no longer this one.
     *
     * @return GRANTED, TIMED_OUT, INTERRUPTED (the flag is still set), or negative when closed in this period
     */
    public long await(long seen, Mode mode, long nanos) {
        if (period() != seen) {
            return GRANTED;
        }
        int id;
        lock();
        try {
            long now = look(seen);
            if (now != WAITING) {
                return now;
            }
            if (nanos <= 0) {
                return TIMED_OUT;
            }
            id = addThread(WaitList.QUEUE, 1, 1);
        } finally {
            unlock();
        }
        long result = block(id, mode, nanos);
        if (result > 0) {
            // The lock is held.
            remove(id);
            unlock();
        }
        return result;
    }

    /**
     * Waits until the period is no longer this one.
     *
     * @return GRANTED or negative at once, without a callback; WAITING if the callback will come
     */
    public long await(long seen, CallbackWaiter waiter) {
        if (period() != seen) {
            return GRANTED;
        }
        lock();
        try {
            long now = look(seen);
            if (now == WAITING) {
                list().reserve();
                waiter.enter(this);
                addCallback(WaitList.QUEUE, 1, 1, waiter);
            }
            return now;
        } finally {
            unlock();
        }
    }

    private long look(long seen) {
        return period != seen ? GRANTED : closed ? CLOSED : WAITING;
    }

    /**
     * Takes the waiter out of the queue.
     *
     * @return false if it is not in the queue: its callback has run or will run
     */
    public boolean cancel(CallbackWaiter waiter) {
        if (!waiter.isAt(this)) {
            return false;
        }
        lock();
        boolean there = cancellable(waiter) != 0;
        if (there) {
            removeCallback(waiter);
        }
        unlock();
        return there;
    }

    /**
     * Ends the period if it is this one, and lets all go.
     *
     * @return whether this call ended it
     */
    public boolean advance(long seen) {
        return advance(seen, seen + 1);
    }

    /** Ends the period if it is this one, begins the other, and lets all go. */
    public boolean advance(long seen, long next) {
        if (period() != seen) {
            return false;
        }
        Object first;
        lock();
        try {
            if (period != seen || closed) {
                return false;
            }
            PERIOD.setVolatile(this, next);
            first = settleAll(WaitList.QUEUE, GRANTED, null);
        } finally {
            unlock();
        }
        wake(first);
        return true;
    }

    /**
     * Ends every wait for the current period, now and later, with a negative result.
     *
     * @return false if it was closed before
     */
    public boolean close(@Nullable Throwable why) {
        Object first;
        lock();
        try {
            if (closed) {
                return false;
            }
            closed = true;
            reason = why;
            first = settleAll(WaitList.QUEUE, CLOSED, null);
        } finally {
            unlock();
        }
        wake(first);
        return true;
    }
}
