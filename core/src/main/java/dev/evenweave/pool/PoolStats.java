// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

/**
 * What a pool has done so far, and what it holds. The numbers are exact while nobody uses the pool; otherwise each is what
 * it was at some moment during the call, and counts by virtual threads without visible carriers may be a little low.
 *
 * @param hits calls of {@code get} that were served by an idle object
 * @param misses calls of {@code get} that found none
 * @param steals those of the hits that took an object of another carrier
 * @param dropped objects that were put and not kept: the bound was reached, or the object was too large
 * @param expired objects that were kept and then released because nobody took them
 * @param retained idle objects in the pool
 */
public record PoolStats(long hits, long misses, long steals, long dropped, long expired, int retained) {

    /**
     * Returns the share of the calls of {@code get} that were served by an idle object.
     *
     * @return a number from 0 to 1; 1 if there was no call
     */
    public double hitRate() {
        long requests = hits + misses;
        return requests == 0 ? 1 : (double) hits / requests;
    }

    PoolStats plus(PoolStats other) {
        return new PoolStats(
                hits + other.hits,
                misses + other.misses,
                steals + other.steals,
                dropped + other.dropped,
                expired + other.expired,
                retained + other.retained);
    }
}
