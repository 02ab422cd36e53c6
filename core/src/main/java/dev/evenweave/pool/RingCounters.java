// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

/** The contended word of a {@link Ring}, a pair of cache lines away from what the heap has before it. */
abstract class RingCounters extends RingPadding {
    /** The head in the upper half, the tail in the lower one. */
    volatile long headTail;
}

/** Sixteen longs: two cache lines, since processors fetch lines in pairs. */
@SuppressWarnings("unused")
abstract class RingPadding {
    long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15;
}
