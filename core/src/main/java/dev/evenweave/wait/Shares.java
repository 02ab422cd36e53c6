// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Purpose. Permits that several parties share: what is released goes to the waiting party that holds the fewest, ties
// to
// the one whose oldest waiter came first.
//
// Structure. Each share has a FIFO list of its own in the arena; the shares that have waiters stand in a binary heap,
// ordered by (held, number of the oldest waiter). `need` of a waiter is its number, counted from 1 as they come, and
// `want` how many permits it asked for: so a waiter carries all that the order needs.
//
//        heap                     lists
//     [ B held 0 ]──────────▶ B:  #7 wants 1
//     [ A held 2 ]──────────▶ A:  #3 wants 1, #4 wants 2
//
// Invariants.
//   I1  A share is in the heap if and only if its list has a waiter; its sentinel slot exists only then.
//   I2  available + what all shares hold = what there was at first. What is granted counts as held at once.
//   I3  A share that was used once is dead if and only if it holds nothing and nobody waits in it; a dead one gets
// nothing.
//       So the caller's table of shares needs no counts of its own.
//   I4  Whoever waits cannot be served: the oldest waiter of the top share wants more than is available. So nobody who
// has
//       more, or came later with as much, takes what the top collects for; and every change ends with grant().
//
// Memory order. Everything changes under the lock.
//
// Why not simpler. One queue in which a release looks for the best costs a release as many steps as there are waiters;
// the heap costs the logarithm of the number of waiting parties. A lock-free fast path would have to decide by two
// numbers at once, the available and the held.

/** Permits that go to the party that holds the fewest. */
public final class Shares extends WaitQueue {
    private static final int FIRST_CAPACITY = 4;

    /** Ids that are not slots: none, and those of the lists. */
    private static final int LOWEST_IDS = 3;

    /** The share is dead: its party needs another one. */
    public static final long DEAD = 4;

    /** What one party has and wants. It dies when it has nothing and wants nothing any more. */
    public static class Share {
        /** These are under the lock. */
        private long held;

        private int list;

        /** Where in the heap, -1 if in none. */
        private int place = -1;

        /** Set under the lock, once; read by anyone. */
        private volatile boolean dead;

        protected Share() {}

        /** Whether it has nothing, wants nothing, and can get nothing any more. */
        public final boolean isDead() {
            return dead;
        }
    }

    private final long total;
    private long available;
    private long lastNumber;
    private @Nullable Share[] heap = new @Nullable Share[FIRST_CAPACITY];
    private int size;

    /** Whose waiter a slot is, by id. */
    private @Nullable Share[] owners = new @Nullable Share[0];

    private boolean closed;
    private @Nullable Throwable reason;

    public Shares(long total, Parker parker) {
        super(parker);
        this.total = total;
        this.available = total;
    }

    public long total() {
        return total;
    }

    /** What could be taken now, if nobody waits. A snapshot. */
    public long available() {
        lock();
        long now = available;
        unlock();
        return now;
    }

    /** What the share holds. A snapshot. */
    public long held(Share share) {
        lock();
        long now = share.held;
        unlock();
        return now;
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
     * Takes n permits if they are there and nobody waits.
     *
     * @return GRANTED, negative if closed, WAITING if it would have to wait, DEAD
     */
    public long tryAcquire(Share share, long n) {
        lock();
        long result = share.dead ? DEAD : closed ? CLOSED : size > 0 || n > available ? WAITING : take(share, n);
        dieIfIdle(share);
        unlock();
        return result;
    }

    /** Under the lock: after anything that may have left the share with nothing (I3). */
    private static void dieIfIdle(Share share) {
        if (share.held == 0 && share.list == 0) {
            share.dead = true;
        }
    }

    private long take(Share share, long n) {
        available -= n;
        share.held += n;
        return GRANTED;
    }

    /**
     * Under the lock: takes n permits if that is this share's right now, even if others wait, who have more and for more
     * than there is.
     */
    private long takeOrWait(Share share, long n) {
        if (closed || share.dead) {
            dieIfIdle(share);
            return closed ? CLOSED : DEAD;
        }
        boolean first = size == 0 || (share.place < 0 && share.held < Objects.requireNonNull(heap[0]).held);
        return first && n <= available ? take(share, n) : WAITING;
    }

    /**
     * Takes n permits, waiting for as long as it takes.
     *
     * @param nanos the time limit, {@link #FOREVER} for none; 0 or less does not wait
     * @return GRANTED, TIMED_OUT, INTERRUPTED (the flag is still set), negative when closed, DEAD
     */
    public long acquire(Share share, long n, Mode mode, long nanos) {
        int id;
        lock();
        try {
            long now = takeOrWait(share, n);
            if (now != WAITING) {
                return now;
            }
            if (nanos <= 0) {
                dieIfIdle(share);
                return TIMED_OUT;
            }
            reserve(share);
            id = addThread(share.list, n, ++lastNumber);
            added(share, id);
        } finally {
            unlock();
        }
        long result = block(id, mode, nanos);
        if (result > 0) {
            // The lock is held.
            Object first;
            try {
                owners[id] = null;
                remove(id);
                removed(share);
                first = grant(null);
            } finally {
                unlock();
            }
            wake(first);
        }
        return result;
    }

    /**
     * Takes n permits, now or by a callback.
     *
     * @return GRANTED, negative or DEAD at once, without a callback; WAITING if the callback will come
     */
    public long acquire(Share share, long n, CallbackWaiter waiter) {
        lock();
        try {
            long now = takeOrWait(share, n);
            if (now == WAITING) {
                reserve(share);
                try {
                    waiter.enter(this);
                } catch (Throwable t) {
                    dropListIfEmpty(share);
                    dieIfIdle(share);
                    throw t;
                }
                addCallback(share.list, n, ++lastNumber, waiter);
                added(share, waiter.id);
            }
            return now;
        } finally {
            unlock();
        }
    }

    /**
     * Takes the waiter out of the queue.
     *
     * @return whose waiter it was; null if it is not in the queue: its callback has run or will run
     */
    public @Nullable Share cancel(CallbackWaiter waiter) {
        if (!waiter.isAt(this)) {
            return null;
        }
        Share share;
        Object first;
        lock();
        try {
            int id = cancellable(waiter, null);
            if (id == 0) {
                return null;
            }
            share = Objects.requireNonNull(owners[id]);
            owners[id] = null;
            removeCallback(waiter);
            removed(share);
            first = grant(null);
        } finally {
            unlock();
        }
        wake(first);
        return share;
    }

    /**
     * Gives n permits of the share back.
     *
     * @return false, with nothing changed, if it holds fewer
     */
    public boolean release(Share share, long n) {
        Object first;
        lock();
        try {
            if (n > share.held) {
                return false;
            }
            share.held -= n;
            available += n;
            if (share.place >= 0) {
                up(share.place);
            }
            first = grant(null);
            dieIfIdle(share);
        } finally {
            unlock();
        }
        wake(first);
        return true;
    }

    /**
     * Ends every wait, now and later, with a negative result.
     *
     * @return false if it was closed before
     */
    public boolean close(@Nullable Throwable why) {
        Object first = null;
        lock();
        try {
            if (closed) {
                return false;
            }
            closed = true;
            reason = why;
            while (size > 0) {
                Share share = Objects.requireNonNull(heap[0]);
                first = settleFirst(share, CLOSED, first);
            }
        } finally {
            unlock();
        }
        wake(first);
        return true;
    }

    /** Under the lock: gives to those whose turn it is, as far as it goes (I4). */
    private @Nullable Object grant(@Nullable Object first) {
        while (size > 0) {
            Share top = Objects.requireNonNull(heap[0]);
            long n = list().want(list().first(top.list));
            if (n > available) {
                break;
            }
            take(top, n);
            first = settleFirst(top, GRANTED, first);
        }
        return first;
    }

    private @Nullable Object settleFirst(Share share, long result, @Nullable Object first) {
        int id = list().first(share.list);
        owners[id] = null;
        Object woken = settle(id, result, first);
        removed(share);
        return woken;
    }

    /** Under the lock, before anything else changes: makes room for one more waiter. */
    private void reserve(Share share) {
        WaitList lists = list();
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        if (share.list == 0) {
            share.list = lists.newList();
        }
        try {
            lists.reserve();
            int ids = lists.capacity() + LOWEST_IDS;
            if (owners.length < ids) {
                owners = Arrays.copyOf(owners, ids);
            }
        } catch (Throwable t) {
            dropListIfEmpty(share);
            throw t;
        }
    }

    private void dropListIfEmpty(Share share) {
        if (list().isEmpty(share.list)) {
            list().dropList(share.list);
            share.list = 0;
        }
    }

    private void added(Share share, int id) {
        countWaiting();
        owners[id] = share;
        if (share.place < 0) {
            share.place = size;
            heap[size++] = share;
            up(share.place);
        }
    }

    /** Under the lock: a waiter of the share has left its list; perhaps the oldest, perhaps the last. */
    private void removed(Share share) {
        int place = share.place;
        dropListIfEmpty(share);
        if (share.list != 0) {
            // Its oldest waiter may be a later one now, and it may hold more: it can only go down.
            down(place);
            return;
        }
        dieIfIdle(share);
        share.place = -1;
        Share last = Objects.requireNonNull(heap[--size]);
        heap[size] = null;
        if (last != share) {
            put(last, place);
            up(place);
            down(last.place);
        }
    }

    // The heap.

    private void put(Share share, int place) {
        heap[place] = share;
        share.place = place;
    }

    private boolean before(Share a, Share b) {
        if (a.held != b.held) {
            return a.held < b.held;
        }
        WaitList lists = list();
        return lists.need(lists.first(a.list)) < lists.need(lists.first(b.list));
    }

    private void up(int from) {
        int place = from;
        Share share = Objects.requireNonNull(heap[place]);
        while (place > 0) {
            Share parent = Objects.requireNonNull(heap[(place - 1) / 2]);
            if (!before(share, parent)) {
                break;
            }
            put(parent, place);
            place = (place - 1) / 2;
        }
        put(share, place);
    }

    private void down(int from) {
        int place = from;
        Share share = Objects.requireNonNull(heap[place]);
        while (2 * place + 1 < size) {
            int child = 2 * place + 1;
            Share best = Objects.requireNonNull(heap[child]);
            if (child + 1 < size) {
                Share right = Objects.requireNonNull(heap[child + 1]);
                if (before(right, best)) {
                    best = right;
                    child++;
                }
            }
            if (!before(best, share)) {
                break;
            }
            put(best, place);
            place = child;
        }
        put(share, place);
    }
}
