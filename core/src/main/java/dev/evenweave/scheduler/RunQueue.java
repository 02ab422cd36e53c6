// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. What one carrier has to run: a ring of tasks in the order of their arrival, and before it the run-next slot for
 * the task that the running one has just woken.
 *
 * States of a ring slot at index i (indices grow without bound, slot = i mod capacity).
 *
 *      i >= tail            free        owner: offer()                    -> queued
 *      head <= i < tail     queued      anyone: compareAndSet(head, i, i+1) -> taken
 *      i < head             taken       owner only: overwrites or clears it
 *
 * Invariants.
 * I1. One producer for life: only the carrier that owns the queue stores into slots, tail, and a non-null run-next.
 * I2. 0 <= tail - head <= capacity (as int differences; the indices may wrap).
 * I3. A task is taken by exactly one taker: the one whose compareAndSet of head (or of run-next to null) succeeded.
 * I4. isEmpty() never says empty while a task is queued all the time, even while the owner moves it from run-next to the
 *     ring.
 *
 * Memory order. Owner: slot (plain), then tail (release). Taker: head (acquire), tail (acquire), slot (plain), then
 * compareAndSet of head: if it succeeds, the slot was not overwritten in between, since the owner overwrites slot i only
 * after it saw head > i. Run-next: stored with release by the owner, taken with compareAndSet by anyone.
 *
 * Who may touch what. ring, tail, cleared: owner writes. head, runNext -> null: anyone.
 *
 * Why not simpler. No links inside the queued objects: the JDK may submit one continuation twice (a stack trace of an
 * unmounted thread does), and an object cannot be in two lists. No clearing of slots by thieves: a slow thief would
 * clear what the owner stored there since. So stolen slots keep their reference until the owner overwrites them or calls
 * clearTaken().
 *
 * Source: the run queue of Go's P (runq and runnext), capacity 256.
 */
/** The queue of one carrier. */
final class RunQueue {
    private static final VarHandle HEAD;
    private static final VarHandle TAIL;
    private static final VarHandle RUN_NEXT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAD = lookup.findVarHandle(RunQueue.class, "head", int.class);
            TAIL = lookup.findVarHandle(RunQueue.class, "tail", int.class);
            RUN_NEXT = lookup.findVarHandle(RunQueue.class, "runNext", Runnable.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final @Nullable Runnable[] ring;
    private final int mask;

    @SuppressWarnings("unused") // through HEAD
    private volatile int head;

    @SuppressWarnings("unused") // through TAIL
    private volatile int tail;

    @SuppressWarnings("unused") // through RUN_NEXT
    private volatile @Nullable Runnable runNext;

    /** Everything below this index has been taken and its slot holds no reference. Owner only. */
    private int cleared;

    /** @param capacity a power of two; model checkers pass small ones */
    RunQueue(int capacity) {
        if (Integer.bitCount(capacity) != 1) {
            throw new IllegalArgumentException("capacity " + capacity + ": must be a power of two");
        }
        ring = new Runnable[capacity];
        mask = capacity - 1;
    }

    int capacity() {
        return ring.length;
    }

    // ---- owner ----

    /** Puts a task into run-next and returns the one that it displaces. Owner only. */
    @Nullable
    Runnable replaceRunNext(Runnable task) {
        for (; ; ) {
            Runnable old = (Runnable) RUN_NEXT.getOpaque(this);
            if (old == null) {
                // Only the owner makes it non-null, so nothing can have come in between.
                RUN_NEXT.setRelease(this, task);
                return null;
            }
            if (RUN_NEXT.compareAndSet(this, old, task)) {
                return old;
            }
        }
    }

    /**
     * Undoes {@link #replaceRunNext}, whose task has not been run by this carrier since. Owner only.
     *
     * @return false if someone has taken {@code task} meanwhile; {@code displaced} is run-next in either case
     */
    boolean restoreRunNext(Runnable task, Runnable displaced) {
        if (RUN_NEXT.compareAndSet(this, task, displaced)) {
            return true;
        }
        RUN_NEXT.setRelease(this, displaced); // it is null, and only the owner makes it non-null
        return false;
    }

    /** Adds at the tail of the ring; false if it is full. Owner only. */
    boolean offer(Runnable task) {
        int t = (int) TAIL.get(this);
        if (t - (int) HEAD.getAcquire(this) >= ring.length) {
            return false;
        }
        ring[t & mask] = task;
        TAIL.setRelease(this, t + 1);
        return true;
    }

    /** Takes the head of the ring, not run-next. Owner only. */
    @Nullable
    Runnable poll() {
        for (; ; ) {
            int h = (int) HEAD.getAcquire(this);
            if (h == (int) TAIL.get(this)) {
                return null;
            }
            Runnable task = ring[h & mask];
            if (HEAD.compareAndSet(this, h, h + 1)) {
                ring[h & mask] = null; // ours alone: nobody but the owner stores here
                return task;
            }
        }
    }

    /**
     * Moves the older half of a full ring into {@code into} and returns how many; 0 if a thief made room meanwhile. Owner
     * only.
     */
    int takeHalf(@Nullable Runnable[] into) {
        int h = (int) HEAD.getAcquire(this);
        int n = ((int) TAIL.get(this) - h) / 2;
        if (n != ring.length / 2) {
            return 0;
        }
        for (int i = 0; i < n; i++) {
            into[i] = ring[(h + i) & mask];
        }
        return HEAD.compareAndSet(this, h, h + n) ? n : 0;
    }

    /** Forgets tasks that others took, so that finished threads can be collected. Owner only. */
    void clearTaken() {
        int h = (int) HEAD.getAcquire(this);
        if (Integer.compareUnsigned(h - cleared, ring.length) > 0) { // more than 2^31 may have been taken since
            cleared = h - ring.length;
        }
        while (cleared != h) {
            ring[cleared++ & mask] = null;
        }
    }

    /**
     * Steals the older half (rounded up) of {@code victim}'s ring: the last of it is returned, to be run at once, the others
     * go into this queue. Owner of this queue only; the ring must be empty.
     */
    @Nullable
    Runnable stealFrom(RunQueue victim) {
        int t = (int) TAIL.get(this);
        assert t == (int) HEAD.getAcquire(this) : "a thief has an empty ring";
        int copied = 0;
        for (; ; ) {
            int h = (int) HEAD.getAcquire(victim);
            int n = (int) TAIL.getAcquire(victim) - h;
            n -= n / 2;
            if (n <= 0) {
                forget(t, copied);
                return null;
            }
            if (n > victim.ring.length / 2) {
                continue; // head and tail were read apart: look again
            }
            for (int i = 0; i < n; i++) {
                ring[(t + i) & mask] = victim.ring[(h + i) & victim.mask];
            }
            copied = Math.max(copied, n);
            if (HEAD.compareAndSet(victim, h, h + n)) {
                int last = t + n - 1;
                Runnable task = ring[last & mask];
                forget(last, copied - n + 1);
                TAIL.setRelease(this, last);
                return task;
            }
        }
    }

    /** Clears free slots that an attempt to steal has filled: their tasks went elsewhere. */
    private void forget(int from, int count) {
        for (int i = 0; i < count; i++) {
            ring[(from + i) & mask] = null;
        }
    }

    // ---- anyone ----

    /** Takes run-next. */
    @Nullable
    Runnable takeRunNext() {
        // A failed exchange means that someone else took it. Only the owner can put another one there, and it is
        // either the caller or still running what it ran: no reason to try again.
        Runnable task = (Runnable) RUN_NEXT.getAcquire(this);
        return task != null && RUN_NEXT.compareAndSet(this, task, null) ? task : null;
    }

    /** Takes run-next only if it still holds {@code task}. */
    boolean takeRunNext(Runnable task) {
        return RUN_NEXT.compareAndSet(this, task, null);
    }

    /** Takes the head of the ring, as a thief of one would: its slot keeps the reference until the owner clears it. */
    @Nullable
    Runnable take() {
        for (; ; ) {
            int h = (int) HEAD.getAcquire(this);
            if (h == (int) TAIL.getAcquire(this)) {
                return null;
            }
            Runnable task = ring[h & mask];
            if (HEAD.compareAndSet(this, h, h + 1)) {
                return task;
            }
        }
    }

    /** What lies in run-next, without taking it. */
    @Nullable
    Runnable peekRunNext() {
        return (Runnable) RUN_NEXT.getAcquire(this);
    }

    /** Tasks in the ring, without run-next: exact for the owner when nobody steals, else a moment's view. */
    int size() {
        for (; ; ) {
            int h = (int) HEAD.getAcquire(this);
            int n = (int) TAIL.getAcquire(this) - h;
            if (n >= 0 && n <= ring.length) {
                return n;
            }
        }
    }

    boolean isRingEmpty() {
        return size() == 0;
    }

    /** Whether ring and run-next were both empty at one moment. */
    boolean isEmpty() {
        // The owner may displace run-next into the ring between two reads; a tail that did not move says that it
        // did not.
        for (; ; ) {
            int h = (int) HEAD.getAcquire(this);
            int t = (int) TAIL.getAcquire(this);
            Object next = RUN_NEXT.getAcquire(this);
            if (t == (int) TAIL.getAcquire(this)) {
                return h == t && next == null;
            }
        }
    }

    /** Grows by one with each task taken from the ring: what stands still, waits. */
    int takenCount() {
        return (int) HEAD.getOpaque(this);
    }
}
