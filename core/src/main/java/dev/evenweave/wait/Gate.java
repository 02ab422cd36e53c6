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
public sealed class Gate extends WaitQueue permits Rounds {
    private static final VarHandle PERIOD;

    static {
        try {
            PERIOD = MethodHandles.lookup().findVarHandle(Gate.class, "period", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long period;

    /** Under the lock. */
    boolean closed;

    private @Nullable Throwable reason;

    public Gate(Parker parker) {
        this(0, parker);
    }

    public Gate(long period, Parker parker) {
        super(parker);
        PERIOD.setRelease(this, period);
    }

    public final long period() {
        return (long) PERIOD.getAcquire(this);
    }

    public final boolean isClosed() {
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
    public final long await(long seen, Mode mode, long nanos) {
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
            id = enterThread();
        } finally {
            unlock();
        }
        return standStill(id, mode, nanos);
    }

    /** Under the lock: adds the current thread to the waiters of this period. */
    final int enterThread() {
        return addThread(WaitList.QUEUE, 1, 1);
    }

    /** Not under the lock: waits as {@link #enterThread} has begun. */
    final long standStill(int id, Mode mode, long nanos) {
        long result = block(id, mode, nanos);
        if (result > 0) {
            // The lock is held.
            remove(id);
            unlock();
        }
        return result;
    }

    /** Under the lock, before anything else changes: adds the waiter to those of this period. */
    final void enterCallback(CallbackWaiter waiter) {
        list().reserve();
        waiter.enter(this);
        addCallback(WaitList.QUEUE, 1, 1, waiter);
    }

    /**
     * Waits until the period is no longer this one.
     *
     * @return GRANTED or negative at once, without a callback; WAITING if the callback will come
     */
    public final long await(long seen, CallbackWaiter waiter) {
        if (period() != seen) {
            return GRANTED;
        }
        lock();
        try {
            long now = look(seen);
            if (now == WAITING) {
                enterCallback(waiter);
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
    public final boolean cancel(CallbackWaiter waiter) {
        if (!waiter.isAt(this)) {
            return false;
        }
        lock();
        boolean there = cancellable(waiter, null) != 0;
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
    public final boolean advance(long seen) {
        return advance(seen, seen + 1);
    }

    /** Ends the period if it is this one, begins the other, and lets all go. */
    public final boolean advance(long seen, long next) {
        if (period() != seen) {
            return false;
        }
        Object first;
        lock();
        try {
            if (period != seen || closed) {
                return false;
            }
            first = begin(next);
        } finally {
            unlock();
        }
        wake(first);
        return true;
    }

    /** Under the lock: begins the next period and gives all waiters their result; returns whom to wake. */
    final @Nullable Object begin(long next) {
        PERIOD.setVolatile(this, next);
        return settleAll(WaitList.QUEUE, GRANTED, null);
    }

    /**
     * Ends every wait for the current period, now and later, with a negative result.
     *
     * @return false if it was closed before
     */
    public final boolean close(@Nullable Throwable why) {
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
