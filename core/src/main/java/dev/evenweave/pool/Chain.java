// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. An unbounded double-ended queue with one producer, out of Rings that double in size: what one carrier shares
 * with the others. (The bound of a pool is counted by its owner, see ShelfRef.)
 *
 * States.
 *
 *      tail                          head
 *       |                             |
 *       v      next          next     v
 *     [ 8 ] --------> [ 16 ] -----> [ 32 ]       prev the other way
 *
 *   The producer pushes to the ring at the head only; when that is full it links a new one of twice the size. It pops at the
 *   head, and walks toward the tail when the head ring is empty. Others pop at the tail, and unlink the tail ring when it
 *   is drained and has a successor: nothing will ever be pushed there again.
 *
 * Invariants.
 *   I1  An object that was pushed comes out of exactly one pop (each is in one ring; Ring I1).
 *   I2  A ring with a successor gets no more pushes; once empty it stays empty.
 *   I3  popTail returns null only if the chain was empty at some moment during the call.
 *   I4  Ring sizes are at most maxRing.
 *
 * Memory order. next is written after the new ring is complete (volatile) and read before the pop that may fail, so that
 * "empty, and had a successor" means drained for ever.
 *
 * Who may touch what. head: producer only, plain. tail: set by the producer once, moved by takers with compare-and-set.
 * pushHead, popHead: producer only.
 *
 * Why not simpler. One big ring wastes memory in every carrier for the sake of the one that has a burst. An array that
 * grows by copying cannot be popped at its tail by others meanwhile.
 */
/** A single-producer chain of {@link Ring}s; after the pool chain of Go 1.13's {@code sync.Pool}. */
final class Chain {
    private static final VarHandle TAIL;

    static {
        try {
            TAIL = MethodHandles.lookup().findVarHandle(Chain.class, "tail", Ring.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int firstRing;
    private final int maxRing;
    private @Nullable Ring head;
    private volatile @Nullable Ring tail;

    Chain(int firstRing, int maxRing) {
        assert firstRing <= maxRing;
        this.firstRing = firstRing;
        this.maxRing = maxRing;
    }

    /** Adds at the head. Producer only. */
    void pushHead(Object object) {
        Ring ring = head;
        if (ring == null) {
            ring = new Ring(firstRing, null);
            head = ring;
            tail = ring;
        }
        if (ring.pushHead(object)) {
            return;
        }
        Ring larger = new Ring(Math.min(ring.capacity() * 2, maxRing), ring);
        head = larger;
        ring.next = larger;
        boolean pushed = larger.pushHead(object);
        assert pushed;
    }

    /** Takes the youngest object, or null. Producer only. */
    @Nullable
    Object popHead() {
        for (Ring ring = head; ring != null; ring = ring.prev) {
            Object object = ring.popHead();
            if (object != null) {
                return object;
            }
        }
        return null;
    }

    /** Takes the oldest object, or null. Any thread. */
    @Nullable
    Object popTail() {
        Ring ring = tail;
        while (ring != null) {
            Ring successor = ring.next; // before the pop: see Memory order
            Object object = ring.popTail();
            if (object != null) {
                return object;
            }
            if (successor == null) {
                successor = ring.next;
                if (successor == null) {
                    return null; // it had no successor after it was seen empty: I3
                }
                continue; // filled and drained in between: only now is it drained for ever
            }
            if (TAIL.compareAndSet(this, ring, successor)) {
                successor.prev = null; // the producer need not walk into it any more
            }
            ring = successor;
        }
        return null;
    }

    /** The number of objects, exact when nobody takes or adds meanwhile. */
    int size() {
        int size = 0;
        for (Ring ring = tail; ring != null; ring = ring.next) {
            size += ring.size();
        }
        return size;
    }
}
