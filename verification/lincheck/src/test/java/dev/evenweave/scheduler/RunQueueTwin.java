// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A shrunken copy of {@link RunQueue} with one thing left out, to show that the tests would notice. With {@link Flaw#NONE}
 * it is right, and passes them.
 */
final class RunQueueTwin {
    /** What is left out. */
    enum Flaw {
        NONE,
        /** The owner takes the head by a store: a thief may take it too. Breaks I3. */
        POLL_WITHOUT_EXCHANGE,
        /** A thief moves the head by a store. Breaks I3. */
        STEAL_WITHOUT_EXCHANGE,
        /** The half is read, and the head moved by a store. Breaks I3. */
        SPILL_WITHOUT_EXCHANGE,
        /** The tail is moved before the slot is written. Breaks the release of a slot by the tail. */
        TAIL_BEFORE_SLOT,
        /** The owner does not look for room. Breaks I2. */
        NO_ROOM_CHECK,
        /** Emptiness is not read a second time. Breaks I4. */
        EMPTY_IN_ONE_LOOK,
        /** Run-next is replaced by a store: a thief may have taken the old one. Breaks I3. */
        RUN_NEXT_WITHOUT_EXCHANGE
    }

    private final Flaw flaw;
    private final @Nullable Runnable[] ring;
    private final AtomicInteger head = new AtomicInteger();
    private final AtomicInteger tail = new AtomicInteger();
    private final AtomicReference<@Nullable Runnable> runNext = new AtomicReference<>();

    RunQueueTwin(int capacity, Flaw flaw) {
        ring = new Runnable[capacity];
        this.flaw = flaw;
    }

    @Nullable
    Runnable replaceRunNext(Runnable task) {
        while (true) {
            Runnable old = runNext.get();
            if (old == null || flaw == Flaw.RUN_NEXT_WITHOUT_EXCHANGE) {
                runNext.set(task);
                return old;
            }
            if (runNext.compareAndSet(old, task)) {
                return old;
            }
        }
    }

    boolean offer(Runnable task) {
        int t = tail.get();
        if (flaw != Flaw.NO_ROOM_CHECK && t - head.get() >= ring.length) {
            return false;
        }
        if (flaw == Flaw.TAIL_BEFORE_SLOT) {
            tail.set(t + 1);
        }
        ring[t % ring.length] = task;
        tail.set(t + 1);
        return true;
    }

    @Nullable
    Runnable poll() {
        while (true) {
            int h = head.get();
            if (h == tail.get()) {
                return null;
            }
            Runnable task = ring[h % ring.length];
            if (move(h, 1, Flaw.POLL_WITHOUT_EXCHANGE)) {
                return task;
            }
        }
    }

    int takeHalf(@Nullable Runnable[] into) {
        int h = head.get();
        int n = (tail.get() - h) / 2;
        if (n != ring.length / 2) {
            return 0;
        }
        for (int i = 0; i < n; i++) {
            into[i] = ring[(h + i) % ring.length];
        }
        return move(h, n, Flaw.SPILL_WITHOUT_EXCHANGE) ? n : 0;
    }

    @Nullable
    Runnable stealFrom(RunQueueTwin victim) {
        int t = tail.get();
        while (true) {
            int h = victim.head.get();
            int n = victim.tail.get() - h;
            n -= n / 2;
            if (n <= 0) {
                return null;
            }
            if (n > victim.ring.length / 2) {
                continue;
            }
            for (int i = 0; i < n; i++) {
                ring[(t + i) % ring.length] = victim.ring[(h + i) % victim.ring.length];
            }
            if (victim.move(h, n, Flaw.STEAL_WITHOUT_EXCHANGE)) {
                tail.set(t + n - 1);
                return ring[(t + n - 1) % ring.length];
            }
        }
    }

    private boolean move(int from, int by, Flaw withoutExchange) {
        if (flaw == withoutExchange) {
            head.set(from + by);
            return true;
        }
        return head.compareAndSet(from, from + by);
    }

    @Nullable
    Runnable takeRunNext() {
        return runNext.getAndSet(null);
    }

    boolean takeRunNext(Runnable task) {
        return runNext.compareAndSet(task, null);
    }

    boolean isRingEmpty() {
        while (true) {
            int h = head.get();
            int n = tail.get() - h;
            if (n >= 0 && n <= ring.length) {
                return n == 0;
            }
        }
    }

    boolean isEmpty() {
        while (true) {
            int h = head.get();
            int t = tail.get();
            Object next = runNext.get();
            if (flaw == Flaw.EMPTY_IN_ONE_LOOK || t == tail.get()) {
                return h == t && next == null;
            }
        }
    }
}
