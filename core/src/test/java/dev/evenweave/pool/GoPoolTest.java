// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The behaviours that Go's own tests of {@code sync.Pool} check; each test is named after the one in Go. */
@Timeout(120)
class GoPoolTest {

    @Test
    void testPool() {
        CarrierPool<String> pool = pool(() -> "new");
        assertThat(pool.tryGet()).isNull();
        pool.put("a");
        pool.put("b");
        assertThat(pool.tryGet()).isEqualTo("a");
        assertThat(pool.tryGet()).isEqualTo("b");
        assertThat(pool.tryGet()).isNull();

        for (int i = 0; i < 100; i++) {
            pool.put("c");
        }
        pool.store().rotate();
        assertThat(pool.tryGet()).as("after one collection").isEqualTo("c");
        pool.store().rotate();
        assertThat(pool.tryGet()).as("after two").isNull();
    }

    @Test
    void testPoolNew() {
        AtomicInteger made = new AtomicInteger();
        CarrierPool<Integer> pool = pool(made::incrementAndGet);
        assertThat(pool.get()).isEqualTo(1);
        assertThat(pool.get()).isEqualTo(2);
        pool.put(42);
        assertThat(pool.get()).isEqualTo(42);
        assertThat(pool.get()).isEqualTo(3);
    }

    @Test
    void testPoolGc() throws InterruptedException {
        collectable(true);
    }

    @Test
    void testPoolRelease() throws InterruptedException {
        collectable(false);
    }

    /** All objects that were put become garbage by themselves, whether the pool is drained first or not. */
    private static void collectable(boolean drain) throws InterruptedException {
        Pool<byte[]> pool = Pool.builder(() -> new byte[100])
                .rotateEvery(Duration.ZERO, Duration.ofSeconds(30))
                .build();
        int n = 100;
        List<WeakReference<byte[]>> objects = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            byte[] object = new byte[100];
            objects.add(new WeakReference<>(object));
            pool.put(object);
        }
        if (drain) {
            for (int i = 0; i < n; i++) {
                assertThat(pool.get()).isNotNull();
            }
        }
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (objects.stream().anyMatch(object -> !object.refersTo(null))) {
            assertThat(System.nanoTime()).as("still held").isLessThan(deadline);
            System.gc();
            Thread.sleep(10); // lets the keeper come round; the condition is the one above
        }
        assertThat(pool.stats().retained()).isZero();
    }

    @Test
    void testPoolStress() throws InterruptedException {
        CarrierPool<Integer> pool = pool(() -> 0);
        int threads = 10;
        int rounds = 1_000_000;
        AtomicReference<Object> wrong = new AtomicReference<>();
        List<Thread> running = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            running.add(Thread.ofVirtual().start(() -> {
                Integer value = 0;
                for (int i = 0; i < rounds; i++) {
                    pool.put(value);
                    value = pool.get();
                    if (value != 0) {
                        wrong.set(value);
                    }
                }
            }));
        }
        for (Thread thread : running) {
            thread.join();
        }
        assertThat(wrong.get()).isNull();
    }

    @Test
    void testPoolDequeue() throws InterruptedException {
        Ring ring = new Ring(16, null);
        queue(new Queue() {
            @Override
            public boolean pushHead(Integer object) {
                return ring.pushHead(object);
            }

            @Override
            public Object popHead() {
                return ring.popHead();
            }

            @Override
            public Object popTail() {
                return ring.popTail();
            }
        });
    }

    @Test
    void testPoolChain() throws InterruptedException {
        Chain chain = new Chain(8, 1 << 20);
        queue(new Queue() {
            @Override
            public boolean pushHead(Integer object) {
                chain.pushHead(object);
                return true;
            }

            @Override
            public Object popHead() {
                return chain.popHead();
            }

            @Override
            public Object popTail() {
                return chain.popTail();
            }
        });
    }

    private interface Queue {
        boolean pushHead(Integer object);

        Object popHead();

        Object popTail();
    }

    /** One producer that now and then takes back, nine takers: each value comes out once. */
    private static void queue(Queue queue) throws InterruptedException {
        int n = (1 << 21) + 1000;
        int takers = 9;
        AtomicIntegerArray seen = new AtomicIntegerArray(n);
        AtomicInteger out = new AtomicInteger();
        CountDownLatch produced = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < takers; t++) {
            threads.add(Thread.ofPlatform().start(() -> {
                while (out.get() < n) {
                    Object value = queue.popTail();
                    if (value != null) {
                        seen.incrementAndGet((Integer) value);
                        out.incrementAndGet();
                    } else {
                        Thread.yield();
                    }
                }
            }));
        }
        int[] popped = new int[1];
        threads.add(Thread.ofPlatform().start(() -> {
            for (int i = 0; i < n; i++) {
                Integer value = i;
                while (!queue.pushHead(value)) {
                    Thread.yield();
                }
                if (i % 10 == 0) {
                    Object back = queue.popHead();
                    if (back != null) {
                        popped[0]++;
                        seen.incrementAndGet((Integer) back);
                        out.incrementAndGet();
                    }
                }
            }
            produced.countDown();
        }));
        produced.await();
        for (Thread thread : threads) {
            thread.join();
        }
        for (int i = 0; i < n; i++) {
            if (seen.get(i) != 1) {
                throw new AssertionError(i + " came out " + seen.get(i) + " times");
            }
        }
        assertThat(popped[0]).as("the producer got some back").isPositive();
    }

    private static <T> CarrierPool<T> pool(Supplier<T> factory) {
        return CarrierPool.create(Pool.builder(factory));
    }
}
