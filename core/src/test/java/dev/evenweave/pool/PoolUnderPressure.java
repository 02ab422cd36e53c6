// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.time.Duration;

/** Fills three fifths of a small heap with idle objects, and then asks for as much again. */
final class PoolUnderPressure {
    /** Small enough not to be humongous for any collector. */
    private static final int CHUNK = 64 << 10;

    private PoolUnderPressure() {}

    public static void main(String[] args) {
        int size = Integer.parseInt(args[0]);
        Pool<byte[]> pool = Pool.builder(() -> new byte[size])
                .sizeOf(array -> array.length, size)
                .maxRetainedPerCarrier(100_000)
                .maxRetained(100_000)
                .rotateEvery(Duration.ofHours(1), Duration.ofHours(2))
                .build();
        long wanted = Runtime.getRuntime().maxMemory() * 3 / 5;
        int count = (int) (wanted / size);
        byte[][] out = new byte[count][];
        for (int i = 0; i < count; i++) {
            out[i] = pool.get();
        }
        for (int i = 0; i < count; i++) {
            pool.put(out[i]);
            out[i] = null;
        }
        int before = pool.stats().retained();
        byte[][] rest = new byte[(int) (wanted / CHUNK)][];
        for (int i = 0; i < rest.length; i++) {
            rest[i] = new byte[CHUNK];
        }
        System.out.println("kept " + before + " of " + count + ", then had room for " + rest.length + " chunks");
    }
}
