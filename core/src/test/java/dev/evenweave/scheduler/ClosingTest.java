// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static dev.evenweave.scheduler.Testing.joinAll;
import static dev.evenweave.scheduler.Testing.platformThreads;
import static dev.evenweave.scheduler.Testing.run;
import static dev.evenweave.scheduler.Testing.scheduler;
import static dev.evenweave.scheduler.Testing.start;
import static dev.evenweave.scheduler.Testing.startPlatform;
import static dev.evenweave.scheduler.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.scheduler.Testing.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Starting no more threads, and waiting for those there are. */
@Timeout(120)
class ClosingTest {
    @Test
    void closeWaitsForTheThreadsThatRun() throws InterruptedException {
        Scheduler scheduler = scheduler(2);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        for (int i = 0; i < 10; i++) {
            start(scheduler, () -> {
                go.await();
                ended.incrementAndGet();
            });
        }
        Task closer = startPlatform(scheduler::close).parked();
        assertThat(scheduler.isShutdown()).isTrue();
        assertThat(scheduler.isTerminated()).isFalse();
        assertThat(scheduler.stats().living()).isEqualTo(10);
        go.countDown();
        closer.join();
        assertThat(ended.get()).isEqualTo(10);
        assertThat(scheduler.isTerminated()).isTrue();
        assertThat(scheduler.stats().living()).isZero();
        assertThat(scheduler.stats().queued()).isZero();
        assertThat(scheduler.stats().faults()).isZero();
    }

    @Test
    void aSchedulerThatWasNeverUsedCloses() {
        Scheduler scheduler = scheduler(3);
        scheduler.close();
        assertThat(scheduler.isTerminated()).isTrue();
    }

    @Test
    void itsPlatformThreadsEnd() throws InterruptedException {
        Scheduler scheduler = scheduler(3);
        run(scheduler, () -> {});
        List<Thread> threads = platformThreads(scheduler);
        assertThat(threads).as("three carriers, monitor and timer").hasSize(5);
        assertThat(threads).allMatch(Thread::isDaemon);
        scheduler.close();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    // ---- no more threads

    @Test
    void aThreadStartedAfterCloseIsRefusedAndNotHalfStarted() throws InterruptedException {
        Scheduler scheduler = scheduler(1);
        scheduler.close();
        AtomicBoolean ran = new AtomicBoolean();
        Thread thread = scheduler.threadBuilder().unstarted(() -> ran.set(true));
        assertThatThrownBy(thread::start)
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining(scheduler.name())
                .hasMessageContaining("closed");
        assertThat(thread.isAlive()).isFalse();
        thread.join();
        assertThat(ran.get()).isFalse();
        assertThat(scheduler.stats().started()).isZero();
        assertThat(scheduler.stats().living()).isZero();
    }

    @Test
    void anExecutorRefusesAndStillCloses() throws Exception {
        Scheduler scheduler = scheduler(1);
        try (ExecutorService executor = scheduler.newThreadPerTaskExecutor()) {
            Future<Integer> before = executor.submit(() -> 1);
            assertThat(before.get()).isEqualTo(1);
            scheduler.close();
            assertThatThrownBy(() -> executor.submit(() -> 2)).isInstanceOf(RejectedExecutionException.class);
        }
    }

    @Test
    void aThreadOfAClosingSchedulerStartsNoOther() throws InterruptedException {
        Scheduler scheduler = scheduler(1);
        run(scheduler, () -> {
            scheduler.shutdown();
            Thread child = Thread.ofVirtual().unstarted(() -> {});
            assertThatThrownBy(child::start).isInstanceOf(RejectedExecutionException.class);
            assertThat(child.isAlive()).isFalse();
        });
        scheduler.close();
        assertThat(scheduler.stats().started()).isEqualTo(1);
    }

    /** Whatever a living thread does to go on is accepted: woken, timed out, yielded, unblocked. */
    @Test
    void livingThreadsAreServedUntilTheyEnd() throws InterruptedException {
        Scheduler scheduler = scheduler(2);
        CountDownLatch closing = new CountDownLatch(1);
        Object monitor = new Object();
        List<Task> tasks = new ArrayList<>();
        List<Task> parkers = new ArrayList<>();
        AtomicBoolean unparked = new AtomicBoolean();
        for (int i = 0; i < 4; i++) {
            tasks.add(start(scheduler, () -> {
                closing.await();
                Thread.sleep(1);
                Thread.yield();
                synchronized (monitor) {
                    monitor.wait(1);
                }
                LockSupport.parkNanos(1_000);
            }));
            parkers.add(start(scheduler, () -> {
                while (!unparked.get()) {
                    LockSupport.park();
                }
            }));
        }
        Task closer = startPlatform(scheduler::close);
        until(scheduler::isShutdown);
        closing.countDown();
        joinAll(tasks);
        unparked.set(true);
        parkers.forEach(task -> LockSupport.unpark(task.thread));
        joinAll(parkers);
        closer.join();
    }

    /** Each of many racing starts is either run to its end before close returns, or refused. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void startsThatRaceWithCloseRunOrAreRefused(boolean fromInside) throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            Scheduler scheduler = scheduler(2);
            AtomicInteger accepted = new AtomicInteger();
            AtomicInteger ran = new AtomicInteger();
            AtomicBoolean refused = new AtomicBoolean();
            Testing.Body starter = () -> {
                while (!refused.get()) {
                    try {
                        scheduler.threadBuilder().start(ran::incrementAndGet);
                        accepted.incrementAndGet();
                    } catch (RejectedExecutionException e) {
                        refused.set(true);
                    }
                }
            };
            List<Task> starters = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                starters.add(fromInside ? start(scheduler, starter) : startPlatform(starter));
            }
            until(() -> ran.get() > 0);
            scheduler.close();
            joinAll(starters);
            assertThat(ran.get()).isEqualTo(accepted.get());
            assertThat(scheduler.stats().living()).isZero();
        }
    }

    // ---- interruption

    @Test
    void anInterruptedCloseInterruptsTheThreadsAndWaitsOn() throws InterruptedException {
        Scheduler scheduler = scheduler(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Task sleeper = start(
                        scheduler,
                        () -> assertThatThrownBy(() -> Thread.sleep(Duration.ofDays(1)))
                                .isInstanceOf(InterruptedException.class))
                .parked();
        Task stubborn = start(scheduler, () -> {
                    assertThatThrownBy(new CountDownLatch(1)::await).isInstanceOf(InterruptedException.class);
                    interrupted.countDown();
                    go.await();
                })
                .parked();
        AtomicBoolean status = new AtomicBoolean();
        Task closer = startPlatform(() -> {
                    scheduler.close();
                    status.set(Thread.currentThread().isInterrupted());
                })
                .parked();
        closer.thread.interrupt();
        interrupted.await();
        sleeper.join();
        assertThat(scheduler.isTerminated()).isFalse();
        go.countDown();
        stubborn.join();
        closer.join();
        assertThat(status.get()).as("interrupt status after close").isTrue();
    }

    @Test
    void shutdownNowInterruptsThreadsOfThisSchedulerOnly() throws InterruptedException {
        Scheduler scheduler = scheduler(1);
        Testing.Body forever = () -> new CountDownLatch(1).await();
        Thread other = Thread.ofVirtual().start(() -> LockSupport.park());
        Task mine = start(scheduler, () -> assertThatThrownBy(forever::run).isInstanceOf(InterruptedException.class))
                .parked();
        scheduler.shutdownNow();
        mine.join();
        scheduler.close();
        assertThat(other.isInterrupted()).isFalse();
        LockSupport.unpark(other);
        other.join();
    }

    // ---- who may close, and how often

    @Test
    void closeHasNoEffectTheSecondTime() {
        Scheduler scheduler = scheduler(1);
        scheduler.close();
        scheduler.close();
        scheduler.shutdown();
        scheduler.shutdownNow();
        assertThat(scheduler.isTerminated()).isTrue();
    }

    @Test
    void manyMayCloseAtOnceAndAllWait() throws InterruptedException {
        Scheduler scheduler = scheduler(2);
        CountDownLatch go = new CountDownLatch(1);
        Task last = start(scheduler, go::await);
        List<Task> closers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Testing.Body close = () -> {
                scheduler.close();
                assertThat(scheduler.isTerminated()).isTrue();
            };
            closers.add(i % 2 == 0 ? startPlatform(close) : start(close));
        }
        for (Task closer : closers) {
            closer.parked();
        }
        go.countDown();
        last.join();
        joinAll(closers);
    }

    @Test
    void aThreadOfTheSchedulerMayNotWaitForItself() throws InterruptedException {
        Scheduler scheduler = scheduler(1);
        run(scheduler, () -> {
            assertThatThrownBy(scheduler::close)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("close")
                    .hasMessageContaining("wait for itself");
            assertThatThrownBy(() -> scheduler.awaitTermination(Duration.ofSeconds(1)))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(scheduler.isShutdown())
                    .as("refused before it had an effect")
                    .isFalse();
            scheduler.shutdown();
        });
        scheduler.close();
    }

    @Test
    void aThreadOfAnotherSchedulerMayClose() throws InterruptedException {
        try (Scheduler one = scheduler(1)) {
            Scheduler two = scheduler(1);
            start(two, () -> Thread.sleep(1));
            run(one, two::close);
            assertThat(two.isTerminated()).isTrue();
        }
    }

    @Test
    void awaitTerminationTellsWhetherTheTimeRanOut() throws InterruptedException {
        Scheduler scheduler = scheduler(1);
        assertThat(scheduler.awaitTermination(Duration.ZERO))
                .as("not shut down")
                .isFalse();
        CountDownLatch go = new CountDownLatch(1);
        Task task = start(scheduler, go::await);
        scheduler.shutdown();
        assertThat(scheduler.awaitTermination(Duration.ofMillis(1))).isFalse();
        assertThat(scheduler.awaitTermination(Duration.ofSeconds(-1))).isFalse();
        go.countDown();
        task.join();
        assertThat(scheduler.awaitTermination(Duration.ofDays(365_000))).isTrue();
        assertThat(scheduler.awaitTermination(Duration.ZERO)).isTrue();
    }

    @Test
    void anInterruptEndsAwaitTermination() throws InterruptedException {
        Scheduler scheduler = scheduler(1);
        CountDownLatch go = new CountDownLatch(1);
        Task task = start(scheduler, go::await);
        Task waiter = startPlatform(() -> assertThatThrownBy(() -> scheduler.awaitTermination(Duration.ofDays(1)))
                        .isInstanceOf(InterruptedException.class))
                .parked();
        waiter.thread.interrupt();
        waiter.join();
        go.countDown();
        task.join();
        scheduler.close();
    }

    // ---- the count of living threads

    /** Go: TestNumGoroutine. */
    @Test
    void theLivingAreCountedParkedSleepingAndWaitingOnesIncluded() throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            assertThat(scheduler.stats().living()).isZero();
            CountDownLatch go = new CountDownLatch(1);
            List<Task> tasks = new ArrayList<>();
            Object monitor = new Object();
            for (int i = 0; i < 30; i++) {
                int kind = i % 3;
                tasks.add(start(scheduler, () -> {
                    switch (kind) {
                        case 0 -> go.await();
                        case 1 -> {
                            while (go.getCount() != 0) {
                                Thread.sleep(1);
                            }
                        }
                        default -> {
                            synchronized (monitor) {
                                while (go.getCount() != 0) {
                                    monitor.wait(1);
                                }
                            }
                        }
                    }
                }));
            }
            assertThat(scheduler.stats().living()).isEqualTo(30);
            assertThat(scheduler.stats().started()).isEqualTo(30);
            go.countDown();
            joinAll(tasks);
            until(() -> scheduler.stats().living() == 0);
            assertThat(scheduler.stats().started()).isEqualTo(30);
        }
    }

    /** A stack trace of a runnable, unmounted thread makes the JDK submit it again: it still ends only once. */
    @Test
    void aThreadThatIsQueuedManyTimesOverEndsOnce() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1, Testing.oneProcessorOnly().build())) {
            AtomicBoolean stop = new AtomicBoolean();
            CountDownLatch parkedOnce = new CountDownLatch(1);
            Task woken = start(scheduler, () -> {
                parkedOnce.countDown();
                LockSupport.park();
            });
            parkedOnce.await();
            woken.parked();
            CountDownLatch running = new CountDownLatch(1);
            Task hog = start(scheduler, () -> {
                running.countDown();
                while (!stop.get()) {
                    Thread.onSpinWait();
                }
            });
            running.await();
            LockSupport.unpark(woken.thread);
            for (int i = 0; i < 1000; i++) {
                assertThat(woken.thread.getStackTrace()).isNotEmpty();
            }
            assertThat(scheduler.stats().queued()).as("queued again and again").isGreaterThan(1000);
            stop.set(true);
            hog.join();
            woken.join();
            CountDownLatch go = new CountDownLatch(1);
            List<Task> more = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                more.add(start(scheduler, go::await).parked());
            }
            assertThat(scheduler.stats().queued()).isZero();
            assertThat(scheduler.stats().living()).isEqualTo(10);
            go.countDown();
            joinAll(more);
        }
    }
}
