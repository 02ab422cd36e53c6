// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static dev.evenweave.scheduler.Testing.joinAll;
import static dev.evenweave.scheduler.Testing.oneProcessorOnly;
import static dev.evenweave.scheduler.Testing.run;
import static dev.evenweave.scheduler.Testing.scheduler;
import static dev.evenweave.scheduler.Testing.start;
import static dev.evenweave.scheduler.Testing.until;
import static dev.evenweave.scheduler.Testing.untilIdle;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.evenweave.scheduler.Testing.Task;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads, many switches: everyone ends, every queue is empty, nothing is allocated for a switch. */
@Timeout(600)
@SuppressWarnings("StringConcatToTextBlock") // the check fails on this file
class LoadTest {
    private static final boolean LONG = System.getProperty("proof", "short").equals("long");
    private static final long NANOS = Duration.ofSeconds(LONG ? 60 : 1).toNanos();

    private static void assertDrained(Scheduler scheduler, long started) throws InterruptedException {
        untilIdle(scheduler);
        until(() -> scheduler.stats().living() == 0);
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.started()).isEqualTo(started);
        assertThat(stats.total().ended()).isEqualTo(started);
        assertThat(stats.queued()).isZero();
        assertThat(stats.timers()).isZero();
        assertThat(stats.faults()).isZero();
        assertThat(Marks.any()).isFalse();
    }

    /** One million in all: some started from outside, most from within. */
    @Test
    void aMillionShortThreadsEnd() throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            int outside = 1_000;
            int inside = 999;
            AtomicInteger ended = new AtomicInteger();
            List<Task> starters = new ArrayList<>();
            for (int i = 0; i < outside; i++) {
                starters.add(start(scheduler, () -> {
                    for (int child = 0; child < inside; child++) {
                        Thread.startVirtualThread(ended::incrementAndGet);
                    }
                }));
            }
            joinAll(starters);
            assertDrained(scheduler, outside * (inside + 1L));
            assertThat(ended.get()).isEqualTo(outside * inside);
        }
    }

    /** More runnable threads than any ring holds, all started before the first of them runs. */
    @Test
    void oneThreadMayWakeAHundredThousand() throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            int count = 100_000;
            AtomicBoolean go = new AtomicBoolean();
            AtomicInteger parked = new AtomicInteger();
            Thread[] threads = new Thread[count];
            for (int i = 0; i < count; i++) {
                threads[i] = scheduler.threadBuilder().start(() -> {
                    parked.incrementAndGet();
                    while (!go.get()) {
                        LockSupport.park();
                    }
                });
            }
            until(() -> parked.get() == count);
            go.set(true);
            run(scheduler, () -> {
                for (Thread thread : threads) {
                    LockSupport.unpark(thread);
                }
            });
            for (Thread thread : threads) {
                thread.join();
            }
            assertDrained(scheduler, count + 1);
        }
    }

    @Test
    void sleepersInAnyNumberGetUp() throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            int count = 50_000;
            AtomicInteger up = new AtomicInteger();
            for (int i = 0; i < count; i++) {
                int millis = i % 50;
                scheduler.threadBuilder().start(() -> {
                    LockSupport.parkNanos(millis * 1_000_000L);
                    up.incrementAndGet();
                });
            }
            until(() -> up.get() == count);
            assertDrained(scheduler, count);
        }
    }

    // ---- allocation

    /**
     * Two threads that hand a turn to and fro allocate nothing, once their code is compiled and while nothing is collected.
     * Else the JDK may need a new piece of stack at every park: when that in which the frames below lie is old, or too small
     * for the frames above, which differ in size when they are compiled. So this runs in a JVM of its own, and in blocks,
     * between which the threads return to their lowest frame.
     */
    static final class RoundTrips {
        private static final int BLOCKS = 40;
        private static final int MEASURED = 20;
        private static final int ROUNDS = 10_000;

        private final AtomicInteger turn = new AtomicInteger(-1);
        private final Thread[] threads = new Thread[2];

        public static void main(String[] args) throws InterruptedException {
            for (int parallelism = 1; parallelism <= 2; parallelism++) {
                try (Scheduler scheduler =
                        scheduler(parallelism, oneProcessorOnly().build())) {
                    long least = Long.MAX_VALUE;
                    for (int attempt = 0; attempt < 5 && least >= MEASURED * ROUNDS; attempt++) {
                        least = Math.min(least, new RoundTrips().allocate(scheduler));
                    }
                    boolean none = least < MEASURED * ROUNDS; // less than a byte each, that of the measuring included
                    System.out.println(parallelism + ": " + (none ? "nothing" : least + " bytes"));
                }
            }
        }

        private long allocate(Scheduler scheduler) throws InterruptedException {
            AtomicLong bytes = new AtomicLong();
            List<Task> tasks = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                int me = i;
                tasks.add(start(scheduler, () -> {
                    threads[me] = Thread.currentThread();
                    for (int block = 0; block < BLOCKS; block++) {
                        if (me == 0 && block == BLOCKS - MEASURED) {
                            bytes.addAndGet(-allocated(scheduler));
                        }
                        pass(me);
                    }
                    if (me == 0) {
                        bytes.addAndGet(allocated(scheduler));
                    }
                }));
            }
            until(() -> threads[0] != null && threads[1] != null);
            turn.set(0);
            LockSupport.unpark(threads[0]);
            joinAll(tasks);
            return bytes.get();
        }

        private void pass(int me) {
            for (int round = 0; round < ROUNDS; round++) {
                while (turn.get() != me) {
                    LockSupport.park();
                }
                turn.set(1 - me);
                LockSupport.unpark(threads[1 - me]);
            }
        }
    }

    @Test
    void aRoundTripAllocatesNothing() throws Exception {
        ChildJvm.run(RoundTrips.class, ChildJvm.OPENS, "-Xmx512m", "-Xms512m", "-Xmn448m")
                .assertPrints("1: nothing", "2: nothing");
    }

    /** By the scheduler's platform threads: what a virtual thread allocates, its carrier is charged with. */
    private static long allocated(Scheduler scheduler) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (Worker worker : scheduler.dispatcher().workers) {
            sum += threads.getThreadAllocatedBytes(worker.thread().threadId());
        }
        return sum;
    }

    // ---- for a second, or with -P soak for a minute

    /** Threads (a hundred thousand in the long form) that park, sleep, yield and wake each other at random. */
    @Test
    void threadsThatWakeEachOtherAtRandomAllEnd() throws InterruptedException {
        int count = LONG ? 100_000 : 20_000;
        try (Scheduler scheduler = scheduler(Runtime.getRuntime().availableProcessors())) {
            long deadline = System.nanoTime() + NANOS;
            AtomicBoolean stop = new AtomicBoolean();
            Thread[] threads = new Thread[count];
            AtomicLong steps = new AtomicLong();
            for (int i = 0; i < count; i++) {
                threads[i] = scheduler.threadBuilder().unstarted(() -> {
                    ThreadLocalRandom random = ThreadLocalRandom.current();
                    while (!stop.get()) {
                        LockSupport.unpark(threads[random.nextInt(count)]);
                        LockSupport.unpark(threads[random.nextInt(count)]);
                        switch (random.nextInt(16)) {
                            case 0 -> Thread.yield();
                            case 1 -> LockSupport.parkNanos(random.nextInt(1_000_000));
                            case 2 -> {
                                for (int spin = random.nextInt(100_000); spin > 0; spin--) {
                                    Scheduler.checkpoint();
                                }
                            }
                            default -> LockSupport.park();
                        }
                        steps.incrementAndGet();
                    }
                });
            }
            for (Thread thread : threads) {
                thread.start();
            }
            int round = 0;
            while (System.nanoTime() < deadline) {
                // From outside too, and by stack traces, which make the JDK submit threads again.
                threads[round % count].getStackTrace();
                LockSupport.unpark(threads[(round * 7919 & Integer.MAX_VALUE) % count]);
                round++;
            }
            stop.set(true);
            for (Thread thread : threads) {
                LockSupport.unpark(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(steps.get()).isGreaterThan(count);
            untilIdle(scheduler);
            assertThat(scheduler.stats().queued()).isZero();
            until(() -> scheduler.stats().timers() == 0);
            assertThat(scheduler.stats().faults()).isZero();
        }
    }

    /** Timed operations of a queue under contention: hardwood 1230. */
    @Test
    void timedQueueOperationsLoseNobody() throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            long deadline = System.nanoTime() + NANOS;
            BlockingQueue<Long> queue = new ArrayBlockingQueue<>(4);
            AtomicLong sent = new AtomicLong();
            AtomicLong received = new AtomicLong();
            AtomicInteger producing = new AtomicInteger(8);
            List<Task> tasks = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                tasks.add(start(scheduler, () -> {
                    while (System.nanoTime() < deadline) {
                        if (queue.offer(1L, 10, TimeUnit.MILLISECONDS)) {
                            sent.incrementAndGet();
                        }
                    }
                    producing.decrementAndGet();
                }));
                tasks.add(start(scheduler, () -> {
                    while (producing.get() > 0 || !queue.isEmpty()) {
                        Long got = queue.poll(10, TimeUnit.MILLISECONDS);
                        if (got != null) {
                            received.incrementAndGet();
                        }
                    }
                }));
            }
            joinAll(tasks);
            assertThat(received.get()).isEqualTo(sent.get());
            assertDrained(scheduler, 16);
        }
    }
}
