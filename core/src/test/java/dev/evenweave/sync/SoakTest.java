// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.joinAll;
import static dev.evenweave.sync.Testing.start;
import static dev.evenweave.sync.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.sync.Testing.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The long way: {@code -Dproof=long} runs the full numbers, otherwise a twentieth of them. */
@Timeout(600)
class SoakTest {
    private static final int PART = System.getProperty("proof", "short").equals("long") ? 1 : 20;

    @Test
    void aMillionRoundsOfCancelsRacingReleasesConserveThePermits() throws Exception {
        Semaphore semaphore = new Semaphore(3);
        int threads = 8;
        int rounds = 1_000_000 / PART / threads;
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            tasks.add(start(t % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform(), () -> {
                ThreadLocalRandom random = ThreadLocalRandom.current();
                for (int i = 0; i < rounds; i++) {
                    long n = random.nextLong(1, 4);
                    switch (random.nextInt(4)) {
                        case 0 -> {
                            CompletableFuture<Permit> future = semaphore.acquireAsync(n);
                            if (!future.cancel(false)) {
                                future.join().close();
                            }
                        }
                        case 1 -> {
                            if (semaphore.tryAcquire(n, Duration.ofNanos(random.nextInt(30_000)))) {
                                semaphore.release(n);
                            }
                        }
                        case 2 -> {
                            Thread.currentThread().interrupt();
                            semaphore.acquireUninterruptibly(n);
                            assertThat(Thread.interrupted()).isTrue();
                            semaphore.release(n);
                        }
                        default -> semaphore.acquirePermit(n).close();
                    }
                }
            }));
        }
        joinAll(tasks);
        assertThat(semaphore.availablePermits()).isEqualTo(3);
        assertThat(semaphore.queueLength()).isZero();
    }

    @Test
    void twoHundredThousandReadersAtOnce() throws Exception {
        RwLock rwLock = new RwLock();
        int readers = 200_000 / PART;
        Semaphore mayLeave = new Semaphore(0);
        AtomicInteger inside = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
            tasks.add(start(() -> {
                rwLock.readLock().lock();
                inside.incrementAndGet();
                mayLeave.acquire();
                rwLock.readLock().unlock();
            }));
        }
        until(() -> inside.get() == readers);
        assertThat(rwLock.toString()).isEqualTo("RwLock[readers=" + readers + ", queued=0]");
        assertThat(rwLock.writeLock().tryLock()).isFalse();
        mayLeave.release(readers);
        joinAll(tasks);
        assertThat(rwLock.writeLock().tryLock()).isTrue();
    }

    @Test
    void aMillionChainedAsyncReleasesNeedNoStack() {
        SemaphoreTest.chainedReleases(1_000_000 / PART);
    }

    @Test
    void aChainThroughAMillionSemaphoresNeedsNoStack() {
        int length = 1_000_000 / PART;
        Semaphore first = new Semaphore(0);
        Semaphore previous = first;
        for (int i = 0; i < length; i++) {
            Semaphore next = new Semaphore(0);
            boolean now = previous.acquire(1, new Waiter() {
                @Override
                protected void completed(@Nullable Throwable failure) {
                    next.release();
                }
            });
            assertThat(now).isFalse();
            previous = next;
        }
        first.release();
        assertThat(previous.availablePermits()).isEqualTo(1);
    }

    @Test
    void aHundredThousandBlockedThreadsAreClosed() throws Exception {
        Semaphore semaphore = new Semaphore(0);
        int count = 100_000 / PART;
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tasks.add(start(semaphore::acquire));
        }
        until(() -> semaphore.queueLength() == count);
        long start = System.nanoTime();
        semaphore.close();
        System.out.println("closed " + count + " waiting virtual threads in " + (System.nanoTime() - start) / 1000
                + " us, all ended after " + ended(tasks, start) + " us");
    }

    private static long ended(List<Task> tasks, long start) throws InterruptedException {
        for (Task task : tasks) {
            assertThat(task.outcome()).isInstanceOf(ClosedException.class);
        }
        return (System.nanoTime() - start) / 1000;
    }
}
