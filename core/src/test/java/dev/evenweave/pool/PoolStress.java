// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import dev.evenweave.carrier.CurrentCarrier;
import dev.evenweave.scheduler.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Many threads of every kind take and put, yield and park in between, are interrupted and computed aside; the pool is rotated,
 * cleared and collected meanwhile. Each object counts its holders.
 */
final class PoolStress {
    static final int BOUND = 48;
    static final int PER_CARRIER = 12;

    /** What is pooled. */
    static final class Thing {
        final AtomicInteger holders = new AtomicInteger();
    }

    /** A pool, or a twin of one. */
    interface Subject {
        Thing get();

        void put(Thing thing);

        /** Disturbs; returns how many idle objects there are. */
        default int disturb(int step) {
            return 0;
        }
    }

    /** What was seen; an operation is a get and mostly a put. */
    record Result(long operations, long doubled, int mostRetained) {}

    private final Subject subject;
    private final long operationsPerThread;
    private final LongAdder operations = new LongAdder();
    private final LongAdder doubled = new LongAdder();
    private final AtomicInteger running = new AtomicInteger();

    PoolStress(Subject subject, long operationsPerThread) {
        this.subject = subject;
        this.operationsPerThread = operationsPerThread;
    }

    static Subject product() {
        CarrierPool<Thing> pool =
                CarrierPool.create(Pool.builder(Thing::new).maxRetained(BOUND).maxRetainedPerCarrier(PER_CARRIER));
        return new Subject() {
            @Override
            public Thing get() {
                return pool.get();
            }

            @Override
            public void put(Thing thing) {
                pool.put(thing);
            }

            @Override
            public int disturb(int step) {
                if (step % 5 == 0) {
                    pool.store().rotate();
                }
                if (step % 97 == 0) {
                    pool.clear();
                }
                return pool.stats().retained();
            }
        };
    }

    Result run() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        List<Scheduler> schedulers = new ArrayList<>();
        if (CurrentCarrier.isVisible()) {
            Scheduler scheduler = Scheduler.builder().build();
            schedulers.add(scheduler);
            start(scheduler.newThreadFactory(), 8, threads);
            threads.add(scheduler.threadBuilder().start(this::computeNowAndThen));
        }
        start(Thread.ofVirtual().factory(), 6, threads);
        start(Thread.ofPlatform().factory(), 3, threads);
        int most = 0;
        for (int step = 1; running.get() > 0; step++) {
            most = Math.max(most, subject.disturb(step));
            Thread victim = threads.get(step % threads.size());
            victim.interrupt();
            if (step % 500 == 0) {
                System.gc();
            }
            LockSupport.parkNanos(500_000);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (Scheduler scheduler : schedulers) {
            scheduler.close();
        }
        return new Result(operations.sum(), doubled.sum(), most);
    }

    private void start(ThreadFactory factory, int count, List<Thread> threads) {
        for (int i = 0; i < count; i++) {
            long seed = threads.size();
            running.incrementAndGet();
            Thread thread = factory.newThread(() -> {
                try {
                    work(new SplittableRandom(seed));
                } finally {
                    running.decrementAndGet();
                }
            });
            threads.add(thread);
            thread.start();
        }
    }

    private void work(SplittableRandom random) {
        Deque<Thing> held = new ArrayDeque<>();
        long count = 0;
        for (long i = 0; i < operationsPerThread; i++) {
            Thing thing = take();
            int chance = random.nextInt(4096);
            if (chance < 64) {
                Thread.yield();
            } else if (chance < 68) {
                LockSupport.parkNanos(20_000);
            } else if (chance < 70) {
                Thread.interrupted();
            } else if (chance < 1000) {
                held.push(take());
                count++;
            } else if (chance < 1100) {
                while (!held.isEmpty()) {
                    give(held.pop());
                }
            }
            give(thing);
        }
        operations.add(operationsPerThread + count);
    }

    private Thing take() {
        Thing thing = subject.get();
        if (thing.holders.incrementAndGet() != 1) {
            doubled.increment();
        }
        return thing;
    }

    private void give(Thing thing) {
        thing.holders.decrementAndGet();
        subject.put(thing);
    }

    /** A thread that the scheduler has to take its processor from, so that the others move to another carrier. */
    private void computeNowAndThen() {
        while (running.get() > 0) {
            long until = System.nanoTime() + Duration.ofMillis(15).toNanos();
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            LockSupport.parkNanos(Duration.ofMillis(30).toNanos());
        }
    }

    /** For a JVM of its own: prints what was seen. */
    public static void main(String[] args) throws InterruptedException {
        System.out.println(CurrentCarrier.isVisible() + " " + new PoolStress(product(), Long.parseLong(args[0])).run());
    }
}
