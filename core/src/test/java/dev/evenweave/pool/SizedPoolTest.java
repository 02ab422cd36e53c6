// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SizedPoolTest {

    @Test
    void aRequestGetsTheNextPowerOfTwo() {
        SizedPool<byte[]> pool = SizedPool.ofBytes(64, 1024);
        int[][] expected = {{0, 64}, {1, 64}, {64, 64}, {65, 128}, {512, 512}, {513, 1024}, {1024, 1024}, {1025, 1025}};
        for (int[] pair : expected) {
            assertThat(pool.get(pair[0])).as("request for %d", pair[0]).hasSize(pair[1]);
        }
    }

    @Test
    void aBufferIsFoundAgainByItsSize() {
        SizedPool<char[]> pool = SizedPool.ofChars(64, 1024);
        char[] large = pool.get(1000);
        char[] small = pool.get(10);
        pool.put(large);
        pool.put(small);
        assertThat(pool.get(600)).isSameAs(large);
        assertThat(pool.get(60)).isSameAs(small);
    }

    @Test
    void whatIsLargerThanTheLargestIsNotKept() {
        SizedPool<byte[]> pool = SizedPool.ofBytes(64, 1024);
        try (Lease<byte[]> lease = pool.lease(1 << 20)) {
            assertThat(lease.get()).hasSize(1 << 20);
        }
        pool.put(pool.get(1 << 20));
        pool.put(new byte[100]);
        pool.put(new byte[0]);
        pool.put(new byte[32]);
        assertThat(pool.stats().retained()).isZero();
        assertThat(pool.stats().dropped()).isEqualTo(4);
    }

    @Test
    void aLeaseGivesBack() {
        SizedPool<ByteBuffer> pool = SizedPool.ofByteBuffers(64, 1024);
        try (Lease<ByteBuffer> lease = pool.lease(100)) {
            lease.get().putInt(1);
        }
        assertThat(pool.stats().retained()).isEqualTo(1);
        assertThat(pool.get(100).position()).isZero();
        pool.put(SizedPool.ofDirectByteBuffers(64, 1024).get(64));
        pool.clear();
        assertThat(pool.stats().retained()).isZero();
    }

    /** Reports golang/go 23199 and buildbuddy 12676: a few huge uses made every pooled buffer huge. */
    @Test
    void heavyTailedSizesDoNotPinMemory() {
        SizedPool<byte[]> pool = SizedPool.ofBytes(1 << 10, 1 << 20);
        Random random = new Random(7);
        for (int round = 0; round < 2_000; round++) {
            List<byte[]> out = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                double size = 1024 / Math.pow(random.nextDouble(), 1.2); // a tail without end
                out.add(pool.get((int) Math.min(size, 1 << 25)));
            }
            out.forEach(pool::put);
        }
        long bytes = 0;
        for (int size = 1 << 10; size <= 1 << 20; size *= 2) {
            bytes += (long) size * pool.poolFor(size).stats().retained();
        }
        assertThat(bytes).as("eleven sizes, 1 MiB each for the one owner").isLessThanOrEqualTo(11L << 20);
        assertThat(pool.stats().hitRate()).isGreaterThan(0.5);
    }

    @Test
    void badSizesAreNamed() {
        assertThatThrownBy(() -> SizedPool.ofBytes(100, 1024)).hasMessageContaining("100");
        assertThatThrownBy(() -> SizedPool.ofBytes(1024, 64)).hasMessageContaining("1024");
        assertThatThrownBy(() -> SizedPool.ofBytes(64, 1024).get(-1)).hasMessageContaining("-1");
    }
}
