// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Purpose. The semaphore that everything which hands something out is built on: FIFO, any number of permits at once,
// partial grants, debt, closing. Locks are permits too: a mutex has one, a read-write lock as many as readers.
//
// State (one long).
//
//     n >= 0   n permits are there and nobody stands in the queue: take and give by compare-and-set alone
//     QUEUED   no permit is there and somebody stands in the queue (a waiter, or debt): everything goes through the
// lock
//     CLOSED   no wait ends well any more
//
//              acquire finds too few (under the lock)               close (under the lock)
//     n >= 0 ────────────────────────────────────────▶ QUEUED ────────────────────────────▶ CLOSED
//        ▲   ◀────────────────────────────────────────   │                                     ▲
//        │     the last in the queue got its result or left                                     │
//        └────────────────────────────────────── close ─────────────────────────────────────────┘
//
// The queue. The head takes every permit that comes, until it has all it needs: a large request is not starved by small
// ones, and no number must be set aside. The price is that the small ones behind it wait. A slot without a waiter is
// debt (reduce): permits that are to vanish; it stands at the front and is repaid first.
//
// Invariants.
//   I1  Somebody stands in the queue if and only if the state is QUEUED. So tryAcquire, which needs n >= 0, overtakes
//       nobody, and a release that sees n >= 0 misses nobody.
//   I2  Permits are neither made nor lost by waiting: balance + held + granted in part is what was put in.
//   I3  Only the head, or waiters behind debt that was put in front of them, have a part of what they asked for.
//   I4  Who leaves without result gives what it has to the next in the queue, in the same section.
//   I5  The balance never exceeds max.
//
// Memory order. `state` changes by compare-and-set, or by a volatile write under the lock when it was QUEUED (nobody
// else changes it then). Every change happens-before the next one: by the compare-and-set that reads it, or by the
// lock.
// So what was done before a release is seen after an acquire even if other releases came between.
//
// Why not simpler. A separate "somebody waits" flag beside the balance would cost every release a second look with a
// fence between; one word that says both costs the uncontended pair exactly two compare-and-sets.

/** Permits that are given out in the order of asking. */
public final class Permits extends WaitQueue {
    private static final long QUEUED = -1;
    private static final long SHUT = -2;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Permits.class, "state", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long max;
    private volatile long state;

    /** Set once, under the lock, before the state becomes CLOSED. */
    private @Nullable Closed closed;

    /** What is left of permits that are closed. */
    private static final class Closed {
        final @Nullable Throwable reason;

        /** The balance; under the lock. Negative when there is more debt. */
        long balance;

        Closed(@Nullable Throwable reason, long balance) {
            this.reason = reason;
            this.balance = balance;
        }

        /** As much debt as a long can hold, and no more. */
        void take(long n) {
            balance = balance < n - Long.MAX_VALUE ? -Long.MAX_VALUE : balance - n;
        }
    }

    /**
     * @param available from 0 to max
     * @param max the largest balance
     */
    public Permits(long available, long max, Parker parker) {
        super(parker);
        assert available >= 0 && available <= max;
        this.max = max;
        this.state = available;
    }

    /** The balance: what tryAcquire could get now. After closing, what is there all the same. */
    public long available() {
        long now = state;
        if (now != SHUT) {
            return Math.max(now, 0);
        }
        lock();
        long balance = closed == null ? 0 : closed.balance;
        unlock();
        return Math.max(balance, 0);
    }

    public long max() {
        return max;
    }

    public boolean isClosed() {
        return state == SHUT;
    }

    @Override
    public @Nullable Throwable reason() {
        Closed present = state == SHUT ? closed : null;
        return present == null ? null : present.reason;
    }

    /** Takes n permits if they are there and nobody waits; n = 0 always succeeds until closed. */
    public boolean tryAcquire(long n) {
        while (true) {
            long now = state;
            if (now < n) {
                return n == 0 && now == QUEUED;
            }
            if (STATE.compareAndSet(this, now, now - n)) {
                return true;
            }
        }
    }

    /**
     * Takes all permits if they are there; one compare-and-set, without a look before it.
     *
     * @param all {@link #max}, which the caller has at hand
     */
    public boolean tryAcquireAll(long all) {
        assert all == max : all + " are not all of " + max;
        // Compare-and-exchange, because its result is compiled to less: a tenth of an uncontended lock and unlock.
        return (long) STATE.compareAndExchange(this, all, 0L) == all;
    }

    /** As {@code release(all)}, for who holds all of them: then the balance is 0 unless somebody waits. */
    public boolean releaseAll(long all) {
        assert all == max : all + " are not all of " + max;
        return (long) STATE.compareAndExchange(this, 0L, all) == 0 || release(all);
    }

    /**
     * Takes n permits, standing in the queue for as long as it takes.
     *
     * @param nanos the time limit, {@link #FOREVER} for none; 0 or less does not wait
     * @return GRANTED, TIMED_OUT, INTERRUPTED (the flag is still set), or negative when closed
     */
    public long acquire(long n, Mode mode, long nanos) {
        if (tryAcquire(n)) {
            return GRANTED;
        }
        return acquireInQueue(n, mode, nanos);
    }

    private long acquireInQueue(long n, Mode mode, long nanos) {
        int id;
        lock();
        try {
            list().reserve();
            long missing = nanos <= 0 ? (isClosed() ? CLOSED : TIMED_OUT) : takeOrQueue(n);
            if (nanos <= 0 || missing <= 0) {
                return missing;
            }
            id = addThread(WaitList.QUEUE, n, missing);
        } finally {
            unlock();
        }
        long result = block(id, mode, nanos);
        if (result > 0) {
            withdraw(id);
        }
        return result;
    }

    /**
     * Takes n permits, now or by a callback.
     *
     * @return GRANTED or negative at once, without a callback; WAITING if the callback will come
     */
    public long acquire(long n, CallbackWaiter waiter) {
        return acquire(n, waiter, null);
    }

    /**
     * The same for a waiter that stands here on another one's behalf.
     *
     * @param agent who alone can cancel it: {@link #cancel(CallbackWaiter, Object)}
     */
    public long acquire(long n, CallbackWaiter waiter, @Nullable Object agent) {
        if (tryAcquire(n)) {
            return GRANTED;
        }
        lock();
        try {
            list().reserve();
            waiter.enter(this);
            long missing = takeOrQueue(n);
            if (missing <= 0) {
                waiter.leave();
                return missing;
            }
            waiter.agent = agent;
            addCallback(WaitList.QUEUE, n, missing, waiter);
            return WAITING;
        } finally {
            unlock();
        }
    }

    /**
     * Takes n permits before everybody in the queue, and with them what the head of the queue has got already: for the
     * holder of some that needs the others before it can let go of its own. Only one at a time may do this.
     *
     * @param nanos the time limit, {@link #FOREVER} for none; 0 or less does not wait
     * @return as {@link #acquire(long, Mode, long)}
     */
    public long acquireFirst(long n, Mode mode, long nanos) {
        int id;
        lock();
        try {
            list().reserve();
            long missing = takeFirst(n, nanos <= 0);
            if (missing <= 0 || nanos <= 0) {
                return missing <= 0 ? missing : TIMED_OUT;
            }
            id = addThreadFirst(n, missing);
        } finally {
            unlock();
        }
        long result = block(id, mode, nanos);
        if (result > 0) {
            withdraw(id);
        }
        return result;
    }

    /** The same, by a callback; as {@link #acquire(long, CallbackWaiter, Object)}. */
    public long acquireFirst(long n, CallbackWaiter waiter, @Nullable Object agent) {
        lock();
        try {
            list().reserve();
            waiter.enter(this);
            long missing = takeFirst(n, false);
            if (missing <= 0) {
                waiter.leave();
                return missing;
            }
            waiter.agent = agent;
            addCallbackFirst(n, missing, waiter);
            return WAITING;
        } finally {
            unlock();
        }
    }

    /** Under the lock: as takeOrQueue, but takes from the head too; if it must be all or nothing, perhaps nothing. */
    private long takeFirst(long n, boolean allOrNothing) {
        while (true) {
            long now = state;
            if (now == SHUT) {
                return CLOSED;
            }
            if (now == QUEUED) {
                WaitList present = list();
                int head = present.first(WaitList.QUEUE);
                long part = Math.min(n, present.want(head) - present.need(head));
                if (part < n && allOrNothing) {
                    return n;
                }
                present.need(head, present.need(head) + part);
                return n - part;
            }
            if (now < n && allOrNothing) {
                return n;
            }
            if (STATE.compareAndSet(this, now, now >= n ? now - n : QUEUED)) {
                return now >= n ? GRANTED : n - now;
            }
        }
    }

    /**
     * Takes the waiter out of the queue.
     *
     * @return false if it is not in the queue, its callback has run or will run, or it is there on another one's behalf
     */
    public boolean cancel(CallbackWaiter waiter) {
        return cancel(waiter, null);
    }

    /** The same for a waiter that stands here on behalf of this agent. */
    public boolean cancel(CallbackWaiter waiter, @Nullable Object agent) {
        if (!waiter.isAt(this)) {
            return false;
        }
        Object first;
        lock();
        try {
            int id = cancellable(waiter, agent);
            if (id == 0 || list().need(id) > list().want(id)) {
                // Not there, or it waits for a condition's signal.
                return false;
            }
            first = removeFromQueue(waiter);
        } finally {
            unlock();
        }
        wake(first);
        return true;
    }

    /**
     * Puts n permits back: to the head of the queue first, the rest to the balance.
     *
     * @return false, with nothing changed, if the balance would exceed max
     */
    public boolean release(long n) {
        while (true) {
            long now = state;
            if (now >= 0) {
                if (n > max - now) {
                    return false;
                }
                if (STATE.compareAndSet(this, now, now + n)) {
                    return true;
                }
            } else if (now == QUEUED) {
                if (n > max) {
                    return false;
                }
                if (n == 0 || releaseToQueue(n)) {
                    return true;
                }
            } else {
                return giveBackAfterClose(n);
            }
        }
    }

    /** As {@link #release}, but what would exceed max vanishes. */
    public void releaseUpToMax(long n) {
        while (true) {
            long now = state;
            if (now >= 0) {
                if (now == max || STATE.compareAndSet(this, now, now + Math.min(n, max - now))) {
                    return;
                }
            } else if (now == SHUT || releaseToQueue(n)) {
                return;
            }
        }
    }

    private boolean releaseToQueue(long n) {
        Object first;
        lock();
        try {
            if (state != QUEUED) {
                return false;
            }
            first = grant(n);
        } finally {
            unlock();
        }
        wake(first);
        return true;
    }

    /** Takes what is there, at most limit; takes nothing from waiters. */
    public long drain(long limit) {
        while (true) {
            long now = state;
            long taken = Math.min(Math.max(now, 0), limit);
            if (taken == 0 || STATE.compareAndSet(this, now, now - taken)) {
                return taken;
            }
        }
    }

    /** Makes n permits vanish: what is there at once, the rest before anybody gets one. */
    public void reduce(long n) {
        if (n == 0) {
            return;
        }
        lock();
        try {
            list().reserve();
            while (true) {
                long now = state;
                if (now == SHUT) {
                    closedState().take(n);
                    return;
                }
                long there = Math.max(now, 0);
                if (there >= n) {
                    if (STATE.compareAndSet(this, now, now - n)) {
                        return;
                    }
                } else if (now == QUEUED || STATE.compareAndSet(this, now, QUEUED)) {
                    list().addFirst(WaitList.QUEUE, n, n - there, null);
                    return;
                }
            }
        } finally {
            unlock();
        }
    }

    /** What of the permits that are to vanish is still outstanding; no more than a long can hold. */
    public long debt() {
        long sum = 0;
        lock();
        Closed end = closed;
        if (end != null) {
            sum = Math.max(0, -end.balance);
        } else if (state == QUEUED) {
            WaitList present = list();
            int id = present.first(WaitList.QUEUE);
            // Debt stands in front of all waiters.
            while (id != 0 && present.waiter(id) == null) {
                long more = present.need(id);
                sum = more > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + more;
                id = present.next(WaitList.QUEUE, id);
            }
        }
        unlock();
        return sum;
    }

    /**
     * Ends every wait, now and later, with a negative result.
     *
     * @return false if it was closed before
     */
    public boolean close(@Nullable Throwable reason) {
        Closed closing = new Closed(reason, 0);
        Object first = null;
        lock();
        try {
            if (state == SHUT) {
                return false;
            }
            closed = closing;
            long before = (long) STATE.getAndSet(this, SHUT);
            if (before >= 0) {
                closing.balance = before;
            } else {
                first = closeQueue(closing);
            }
        } finally {
            unlock();
        }
        wake(first);
        return true;
    }

    /** Under the lock, when the state is CLOSED. */
    private Closed closedState() {
        return Objects.requireNonNull(closed);
    }

    private @Nullable Object closeQueue(Closed closing) {
        WaitList present = list();
        Object first = null;
        int id;
        while ((id = present.first(WaitList.QUEUE)) != 0) {
            long missing = present.need(id);
            if (present.waiter(id) == null) {
                closing.take(missing);
                present.unlink(id);
                present.free(id);
                continue;
            }
            closing.balance += present.want(id) - missing;
            first = settle(id, CLOSED, first);
        }
        return first;
    }

    private boolean giveBackAfterClose(long n) {
        lock();
        try {
            Closed present = closedState();
            if (n > 0 && present.balance > max - n) {
                return false;
            }
            present.balance += n;
            return true;
        } finally {
            unlock();
        }
    }

    /**
     * Under the lock: takes n permits, or all that are there and then makes the state QUEUED.
     *
     * @return GRANTED, CLOSED, or how many are missing; then the caller adds a waiter in the same section
     */
    private long takeOrQueue(long n) {
        while (true) {
            long now = state;
            if (now == SHUT) {
                return CLOSED;
            }
            if (n == 0) {
                return GRANTED;
            }
            if (now == QUEUED) {
                return n;
            }
            if (now >= n) {
                if (STATE.compareAndSet(this, now, now - n)) {
                    return GRANTED;
                }
            } else if (STATE.compareAndSet(this, now, QUEUED)) {
                return n - now;
            }
        }
    }

    /** Under the lock, which it gives up: takes out a thread's waiter that has no result, and gives on what it has. */
    private void withdraw(int id) {
        Object first;
        try {
            long got = list().want(id) - list().need(id);
            remove(id);
            first = grant(got);
        } finally {
            unlock();
        }
        wake(first);
    }

    /**
     * Under the lock, with the state QUEUED: gives n permits to the queue, head first, and what is left to the balance.
     *
     * @return whom to wake
     */
    private @Nullable Object grant(long n) {
        assert state == QUEUED : "grant needs a queue (I1)";
        WaitList present = list();
        Object first = null;
        int id;
        while ((id = present.first(WaitList.QUEUE)) != 0) {
            long need = present.need(id);
            if (need > n) {
                present.need(id, need - n);
                return first;
            }
            n -= need;
            if (present.waiter(id) == null) {
                present.unlink(id);
                present.free(id);
            } else {
                first = settle(id, GRANTED, first);
            }
        }
        assert n <= max : "balance over max (I5)";
        state = n;
        return first;
    }

    /** Under the lock: takes out a callback waiter that has no result and gives on what it has. */
    @Nullable
    Object removeFromQueue(CallbackWaiter waiter) {
        long got = list().want(waiter.id) - list().need(waiter.id);
        removeCallback(waiter);
        return grant(got);
    }

    // For Conditions, which share the lock and the arena.

    /** Under the lock: gives n permits back. */
    @Nullable
    Object releaseUnderLock(long n) {
        while (true) {
            long now = state;
            if (now == QUEUED) {
                return grant(n);
            }
            if (now == SHUT) {
                closedState().balance += n;
                return null;
            }
            if (STATE.compareAndSet(this, now, now + n)) {
                return null;
            }
        }
    }

    /** Under the lock: makes a waiter of another list wait for n permits, at the end of the queue. */
    @Nullable
    Object requeue(int id, long n, @Nullable Object first) {
        long missing = takeOrQueue(n);
        moveToQueue(id, missing > 0 ? missing : n);
        if (missing > 0) {
            return first;
        }
        return settle(id, missing, first);
    }
}
