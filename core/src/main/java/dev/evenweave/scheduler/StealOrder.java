// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.jspecify.annotations.Nullable;

/*
 * Purpose. Ways to visit all of n carriers, each once, that differ between thieves and passes, without a permutation to
 * store: start anywhere and step by a stride that has no factor in common with n.
 *
 * Source: Go's randomOrder.
 */
/** Random visiting orders of {@code n} carriers. */
final class StealOrder {
    /** The last one made for each small count: carriers come and go rarely. A benign race makes one twice. */
    private static final @Nullable StealOrder[] CACHE = new StealOrder[2048];

    private final int count;
    private final int[] strides;

    private StealOrder(int count) {
        this.count = count;
        int[] found = new int[Math.max(count, 1)];
        int n = 0;
        for (int stride = 1; stride <= count; stride++) {
            if (greatestCommonDivisor(stride, count) == 1) {
                found[n++] = stride;
            }
        }
        strides = java.util.Arrays.copyOf(found, n);
    }

    static StealOrder of(int count) {
        if (count >= CACHE.length) {
            return new StealOrder(count);
        }
        StealOrder order = CACHE[count];
        if (order == null) {
            order = new StealOrder(count);
            CACHE[count] = order;
        }
        return order;
    }

    int start(int random) {
        return random % count;
    }

    int stride(int random) {
        return strides[random / count % strides.length];
    }

    int strideCount() {
        return strides.length;
    }

    private static int greatestCommonDivisor(int a, int b) {
        while (b != 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }
}
