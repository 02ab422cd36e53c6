// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class KeeperTest {
    private final Store<Object> store =
            CarrierPool.create(Pool.builder(Object::new)).store();
    private final Keeper.Entry entry = new Keeper.Entry(store, 10, 100, 0);

    @Test
    void aCollectionRotatesAfterTheShortestTime() {
        store.put("idle");
        assertThat(entry.turn(5, true, false)).as("time left").isEqualTo(5);
        assertThat(entry.turn(9, false, false)).isEqualTo(1);
        assertThat(entry.turn(10, false, false)).as("rotated").isEqualTo(100);
        assertThat(store.stats().retained()).isEqualTo(1);
        assertThat(entry.turn(20, true, false)).isEqualTo(100);
        assertThat(store.stats().retained()).isZero();
        assertThat(store.stats().expired()).isEqualTo(1);
    }

    @Test
    void i1TimeRotatesWithoutACollection() {
        store.put("idle");
        assertThat(entry.turn(99, false, false)).isEqualTo(1);
        assertThat(entry.turn(100, false, false)).isEqualTo(100);
        assertThat(store.stats().retained()).isEqualTo(1);
        assertThat(entry.turn(199, false, false)).isEqualTo(1);
        assertThat(store.stats().retained()).isEqualTo(1);
        assertThat(entry.turn(200, false, false)).isEqualTo(100);
        assertThat(store.stats().retained()).isZero();
    }

    @Test
    void scarceMemoryReleasesEverythingAtOnce() {
        store.put("idle");
        store.put("idle too");
        assertThat(entry.turn(1, false, true)).isEqualTo(100);
        assertThat(store.stats().retained()).isZero();
    }

    @Test
    void i2ThePoolOfNobodyIsGarbage() throws InterruptedException {
        WeakReference<Pool<Object>> pool =
                new WeakReference<>(Pool.builder(Object::new).build());
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!pool.refersTo(null)) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            System.gc();
            Thread.sleep(10);
        }
    }

    @Test
    void timeAloneReleasesWhatIsIdle() throws InterruptedException {
        Pool<Object> pool = Pool.builder(Object::new)
                .rotateEvery(Duration.ZERO, Duration.ofMillis(20))
                .build();
        pool.put("a");
        pool.put("b");
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (pool.stats().retained() > 0) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(1);
        }
        assertThat(pool.stats().expired()).isEqualTo(2);
    }
}
