// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. What one owner (a carrier, a platform thread, a stripe) holds beyond its private slot, where others can steal it.
 *
 * States. Two generations. At a rotation the keeper throws away the victim and makes the chain the victim:
 *
 *      push --> chain --rotation--> victim --rotation--> garbage
 *                 |                    |
 *                 +------ takers ------+
 *
 *   so an object that nobody takes survives one rotation and dies at the second.
 *
 * Invariants.
 *   I1  Only the owner pushes and pops heads, and only of the chain.
 *   I2  A rotation never moves an object: it swings references. An owner that is in the middle of a push finishes it in the
 *       old chain; the object is then in the victim, or lost with it, and never in two places.
 *
 * Who may touch what. chain, victim: written by the keeper under the lock of the pool, read by all.
 */
/** The stealable part of a pool that belongs to one owner, reachable only through a {@link Ref}. */
final class Shelf {
    private static final int FIRST_RING = 8;

    volatile Chain chain;
    volatile @Nullable Chain victim;
    private final int maxRing;

    Shelf(int maxRing) {
        this.maxRing = maxRing;
        this.chain = newChain();
    }

    /** The number of objects in both generations. */
    int size() {
        Chain old = victim;
        return chain.size() + (old == null ? 0 : old.size());
    }

    /** Drops the victim and makes the chain the victim; returns how many objects were dropped. Under the lock. */
    int rotate() {
        Chain old = victim;
        Chain current = chain;
        if (current.size() == 0) {
            victim = null;
        } else {
            victim = current;
            chain = newChain();
        }
        return old == null ? 0 : old.size();
    }

    private Chain newChain() {
        return new Chain(Math.min(FIRST_RING, maxRing), maxRing);
    }

    /*
     * The only way to a shelf, and soft: the collector clears it rather than throw an OutOfMemoryError. What must outlive
     * the shelf is here.
     *
     * Invariants.
     *   I3  chain.size() + victim.size() <= tokens, while this is not retired. Only the owner adds, and it adds only while
     *       room > 0; room is never more than tokens - size, since takers only make the size smaller.
     *   I4  The sum of all tokens (and one for each private slot) is at most the bound of the pool: tokens come out of the
     *       budget of the pool and go back into it under its lock.
     *
     * Who may touch what. room: the owner. tokens, retired, seenPushes: under the lock of the pool. pushes: the owner writes,
     * the keeper reads (a stale value makes it keep the shelf for longer).
     */
    /** The pool's hold on a shelf. */
    static final class Ref extends SoftReference<Shelf> {
        final Store<?> store;
        int tokens;
        boolean retired;
        int seenPushes = -1;

        /** How many objects the owner may add before it has to count again. */
        int room;

        /** How often the owner pushed. */
        int pushes;

        Ref(Store<?> store, Shelf shelf, ReferenceQueue<Object> queue) {
            super(shelf, queue);
            this.store = store;
        }
    }
}
