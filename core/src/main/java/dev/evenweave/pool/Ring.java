// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. A bounded double-ended queue with one producer: the owner pushes and pops at the head, any thread pops at the
 * tail. A Chain is made of these.
 *
 * States. head and tail are 32-bit counters in one word, so that one compare-and-set sees both:
 *
 *      slots   . . a b c d . .          . free (null)
 *                  ^       ^
 *                 tail    head          size = head - tail, modulo 2^32
 *
 *      push      writes slots[head], then head + 1
 *      popHead   head - 1, then reads and clears slots[head]
 *      popTail   tail + 1, then reads and clears slots[tail]
 *
 *   A slot that a taker of the tail has won but not yet cleared is outside [tail, head) and not null: the ring counts as
 *   full when the head comes round to it.
 *
 * Invariants.
 *   I1  An object that was pushed comes out of exactly one pop.
 *   I2  0 <= head - tail <= capacity.
 *   I3  A slot outside [tail, head) is null, or is being cleared by the one thread that won it.
 *   I4  Everything that happened before an object was pushed happens before it is popped.
 *
 * Memory order. The counters are the only synchronisation between threads: the producer publishes a slot by the atomic add
 * to head; a taker owns a slot once its compare-and-set of the counters has succeeded, and hands it back by a release
 * store of null, which the producer reads with acquire before it writes there again. ABA of the word is harmless: a taker
 * reads the slot after it has won, so whatever is there is what the counters say.
 *
 * Who may touch what. slots, headTail: see above. next: written once, by the producer. prev: written by the producer at
 * construction, cleared by a taker. pushHead, popHead: producer only.
 *
 * Why not simpler. A stack under a lock costs as many atomic operations as this for the owner, and a taker could not tell
 * that it is empty without them. Two separate counters would need a fence in popHead and a tie-break for the last element.
 */
/** A single-producer, multi-consumer ring; after the pool dequeue of Go 1.13's {@code sync.Pool}. */
final class Ring extends RingCounters {
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final VarHandle HEAD_TAIL;

    static {
        try {
            HEAD_TAIL = MethodHandles.lookup().findVarHandle(RingCounters.class, "headTail", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // keeps what follows in memory off the line of headTail
    long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

    private static final long HEAD_UNIT = 1L << 32;

    private final @Nullable Object[] slots;

    /** The ring that follows in the chain, toward the head. */
    volatile @Nullable Ring next;

    /** The ring before this one, toward the tail; null once that one is drained. */
    volatile @Nullable Ring prev;

    Ring(int capacity, @Nullable Ring prev) {
        assert Integer.bitCount(capacity) == 1 : capacity;
        this.slots = new Object[capacity];
        this.prev = prev;
    }

    int capacity() {
        return slots.length;
    }

    /** Adds at the head; false if the ring is full. Producer only. */
    boolean pushHead(Object object) {
        long counters = (long) HEAD_TAIL.getAcquire(this);
        int head = head(counters);
        if (head - tail(counters) == slots.length) {
            return false;
        }
        int index = head & (slots.length - 1);
        if (SLOT.getAcquire(slots, index) != null) {
            return false; // a taker won it one round ago and has not cleared it yet
        }
        slots[index] = object;
        HEAD_TAIL.getAndAdd(this, HEAD_UNIT);
        return true;
    }

    /** Takes the youngest object, or null. Producer only. */
    @Nullable
    Object popHead() {
        while (true) {
            long counters = (long) HEAD_TAIL.getAcquire(this);
            if (head(counters) == tail(counters)) {
                return null;
            }
            if (HEAD_TAIL.compareAndSet(this, counters, counters - HEAD_UNIT)) {
                int index = (head(counters) - 1) & (slots.length - 1);
                Object object = slots[index];
                slots[index] = null; // only the producer will look here before the next push publishes it
                return object;
            }
        }
    }

    /** Takes the oldest object, or null. Any thread. */
    @Nullable
    Object popTail() {
        while (true) {
            long counters = (long) HEAD_TAIL.getVolatile(this);
            int tail = tail(counters);
            if (head(counters) == tail) {
                return null;
            }
            if (HEAD_TAIL.compareAndSet(this, counters, pack(head(counters), tail + 1))) {
                int index = tail & (slots.length - 1);
                Object object = slots[index];
                SLOT.setRelease(slots, index, null);
                return object;
            }
        }
    }

    /** The number of objects at some moment during the call. */
    int size() {
        long counters = (long) HEAD_TAIL.getAcquire(this);
        int size = head(counters) - tail(counters);
        assert size >= 0 && size <= slots.length : "I2: " + size;
        return size;
    }

    private static int head(long counters) {
        return (int) (counters >>> 32);
    }

    private static int tail(long counters) {
        return (int) counters;
    }

    private static long pack(int head, int tail) {
        return ((long) head << 32) | (tail & 0xffff_ffffL);
    }
}
