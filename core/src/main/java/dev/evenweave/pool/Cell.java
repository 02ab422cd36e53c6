// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import org.jspecify.annotations.Nullable;

/** What each owner of a place in a pool has: its shelf, and its counters. Padded, since it is written on every call. */
abstract class Cell extends RingPadding {
    /** Hits in the private slot. */
    long hits;

    /** Hits in the own shelf, either generation. */
    long shelfHits;

    /** Hits in the shelf of another. */
    long steals;

    long misses;

    /** Objects that were put and not kept. */
    long dropped;

    /** The number of hits when the keeper last came by, and whether the slot held an object. The keeper's. */
    long seenHits = -1;

    boolean seenHolding;

    /** The own shelf; null until the private slot overflows for the first time. */
    Shelf.@Nullable Ref shelf;

    /** Whether an object is in the private slot, as seen from outside. */
    abstract boolean holds();

    /** Loses what is in the private slot, from any thread. */
    abstract void forget();
}
