// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static dev.evenweave.scheduler.Testing.impatient;
import static dev.evenweave.scheduler.Testing.joinAll;
import static dev.evenweave.scheduler.Testing.platformThreads;
import static dev.evenweave.scheduler.Testing.run;
import static dev.evenweave.scheduler.Testing.scheduler;
import static dev.evenweave.scheduler.Testing.start;
import static dev.evenweave.scheduler.Testing.until;
import static dev.evenweave.scheduler.Testing.untilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.carrier.CurrentCarrier;
import dev.evenweave.scheduler.Testing.Task;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong in one thread stays with that thread, and nothing is left behind. */
@Timeout(120)
@SuppressWarnings({"InfiniteRecursion", "StringConcatToTextBlock"
}) // it recurses on purpose; the second check fails on this file
class FaultsTest {
    // ---- threads that fail

    @Test
    void aThreadThatThrowsTakesNoCarrierDown() throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            List<Throwable> faults = List.of(
                    new IllegalStateException("exception"),
                    new Error("error"),
                    new OutOfMemoryError("out of memory"),
                    new StackOverflowError("overflow"));
            for (int i = 0; i < 100; i++) {
                Throwable fault = faults.get(i % faults.size());
                AtomicReference<Throwable> seen = new AtomicReference<>();
                Thread thread = scheduler
                        .threadBuilder()
                        .uncaughtExceptionHandler((t, e) -> seen.set(e))
                        .start(() -> FaultsTest.<RuntimeException>sneakyThrow(fault));
                thread.join();
                assertThat(seen.get()).isSameAs(fault);
            }
            run(scheduler, () -> {});
            assertThat(scheduler.stats().faults()).isZero();
            assertThat(scheduler.stats().carriers()).hasSize(2);
            until(() -> scheduler.stats().living() == 0);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneakyThrow(Throwable fault) throws E {
        throw (E) fault;
    }

    @Test
    void aThreadThatOverflowsItsStackTakesNoCarrierDown() throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            for (int i = 0; i < 10; i++) {
                run(scheduler, () -> assertThatThrownBy(() -> recurse(0)).isInstanceOf(StackOverflowError.class));
            }
            run(scheduler, () -> {});
            assertThat(scheduler.stats().faults()).isZero();
        }
    }

    private static int recurse(int depth) {
        return recurse(depth + 1) + 1;
    }

    /** Something else than a continuation, as no code of the JDK hands over: the carrier survives it and tells. */
    @Test
    void whatIsThrownPastAThreadIsCountedAndReported() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1)) {
            scheduler.submit(() -> {
                throw new IllegalStateException("as expected: a fault that the scheduler reports");
            });
            until(() -> scheduler.stats().faults() == 1);
            run(scheduler, () -> {});
        }
    }

    @Test
    void interruptsOfItsPlatformThreadsAreCleared() throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            run(scheduler, () -> {});
            for (int i = 0; i < 3; i++) {
                List<Thread> threads = platformThreads(scheduler);
                assertThat(threads).hasSize(4);
                threads.forEach(Thread::interrupt);
                // Each notices at its next wake-up: else park would return at once, for ever.
                until(() -> threads.stream().noneMatch(Thread::isInterrupted));
            }
            run(
                    scheduler,
                    () -> assertThat(Thread.currentThread().isInterrupted()).isFalse());
        }
    }

    // ---- the end of a stack

    /** Submits one of {@code tasks} at each of the last frames of a stack that has overflowed, and notes which were taken. */
    private static final class Diver {
        final Scheduler scheduler;
        final Recorded[] tasks;
        final boolean[] taken;
        private final int frames;
        private int next;

        Diver(Scheduler scheduler, int frames) {
            this.scheduler = scheduler;
            this.frames = frames;
            tasks = new Recorded[2 * frames];
            Arrays.setAll(tasks, i -> new Recorded());
            taken = new boolean[tasks.length];
        }

        int dive(int depth, long a, long b) {
            int above;
            try {
                above = dive(depth + 1, b, a + 1);
            } catch (StackOverflowError e) {
                above = 0;
            }
            if (above < frames) {
                submit(); // two at each: one goes to run-next, the other displaces it
                submit();
            }
            return above + 1;
        }

        private void submit() {
            if (next == tasks.length) {
                return; // some frames were too near to the end even for this call, and began anew above
            }
            int mine = next++;
            try {
                scheduler.submit(tasks[mine]);
                taken[mine] = true;
            } catch (StackOverflowError e) {
                // refused before anything was done: the submitting thread knows
            }
        }

        boolean haveAllRun() {
            for (int i = 0; i < tasks.length; i++) {
                if (taken[i] && !tasks[i].ran) {
                    return false;
                }
            }
            return true;
        }
    }

    private static final class Recorded implements Runnable {
        volatile boolean ran;

        @Override
        public void run() {
            ran = true;
        }
    }

    /**
     * At every depth near the end of the stack a submission is either taken, and then runs, or refused with the overflow: no
     * task is lost, no lock stays held, no carrier stays counted as spinning. With an empty ring and with one that is about
     * to spill.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 255, 300})
    void atTheEndOfAStackNothingIsLost(int inTheRing) throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            for (int round = 0; round < 20; round++) {
                Diver diver = new Diver(scheduler, 50);
                Recorded[] waiting = new Recorded[inTheRing];
                Arrays.setAll(waiting, i -> new Recorded());
                run(scheduler, () -> {
                    for (Recorded each : waiting) {
                        scheduler.submit(each);
                    }
                    diver.dive(0, 0, 0);
                });
                until(diver::haveAllRun);
                until(() -> Arrays.stream(waiting).allMatch(each -> each.ran));
                assertThat(diver.taken).contains(true);
            }
            untilIdle(scheduler);
            until(() -> !scheduler.dispatcher().lock.isHeld());
            assertThat(scheduler.stats().faults()).isZero();
        }
    }

    /** A platform thread may submit from the end of its stack, too. */
    @Test
    void atTheEndOfAPlatformThreadsStackNothingThatWasTakenIsLost() throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            for (int round = 0; round < 10; round++) {
                Diver diver = new Diver(scheduler, 50);
                Thread thread = new Thread(null, () -> diver.dive(0, 0, 0), "diver", 512 * 1024);
                thread.start();
                thread.join();
                until(diver::haveAllRun);
            }
            untilIdle(scheduler);
        }
    }

    /**
     * unpark at every depth near the end of the stack. The JDK's own part of it may overflow between its steps, and then it
     * throws and the thread stays parked or unqueued, on every scheduler; a stack trace makes the JDK queue it after all.
     */
    @Test
    void atTheEndOfAStackAnUnparkThatReturnsHasWoken() throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            for (int round = 0; round < 10; round++) {
                int frames = 50;
                AtomicBoolean go = new AtomicBoolean();
                Task[] parked = new Task[frames];
                boolean[] woken = new boolean[frames];
                for (int i = 0; i < frames; i++) {
                    parked[i] = start(scheduler, () -> {
                        while (!go.get()) {
                            LockSupport.park();
                        }
                    });
                }
                for (Task task : parked) {
                    task.parked();
                }
                go.set(true);
                run(scheduler, () -> unparkOnTheWayUp(0, parked, woken));
                for (int i = 0; i < frames; i++) {
                    if (woken[i]) {
                        parked[i].join();
                    }
                }
                for (Task task : parked) {
                    LockSupport.unpark(task.thread);
                    while (task.thread.isAlive()) {
                        task.thread.getStackTrace();
                        Thread.yield();
                    }
                }
            }
            untilIdle(scheduler);
            assertThat(scheduler.stats().faults()).isZero();
        }
    }

    private static int unparkOnTheWayUp(int depth, Task[] parked, boolean[] woken) {
        int above;
        try {
            above = unparkOnTheWayUp(depth + 1, parked, woken);
        } catch (StackOverflowError e) {
            above = 0;
        }
        if (above < parked.length) {
            try {
                LockSupport.unpark(parked[above].thread);
                woken[above] = true;
            } catch (StackOverflowError e) {
                // the JDK's part
            }
        }
        return above + 1;
    }

    /** What a thread could not queue is queued by its carrier, though that has lost its processor meanwhile. */
    @Test
    void whatWasRescuedIsNotForgottenByADemotedCarrier() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1)) {
            Recorded rescued = new Recorded();
            AtomicBoolean stop = new AtomicBoolean();
            CountDownLatch running = new CountDownLatch(1);
            Task hog = start(scheduler, () -> {
                Worker worker = ((SchedulerCarrier) CurrentCarrier.get()).worker;
                running.countDown();
                while (!stop.get()) {
                    Thread.onSpinWait();
                }
                assertThat(worker.processor).as("it was taken").isNull();
                worker.rescued[worker.rescuedCount++] = rescued;
            });
            running.await();
            run(scheduler, () -> {}); // only by another carrier
            stop.set(true);
            hog.join();
            until(() -> rescued.ran);
        }
    }

    // ---- nothing is left behind

    @Test
    void spareCarriersRetireWhenTheyAreNoLongerNeeded() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1, impatient().build())) {
            AtomicBoolean stop = new AtomicBoolean();
            List<Task> hogs = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                hogs.add(start(scheduler, () -> {
                    while (!stop.get()) {
                        Thread.onSpinWait();
                    }
                }));
            }
            run(scheduler, () -> {});
            assertThat(scheduler.stats().carriers()).hasSizeGreaterThan(1);
            stop.set(true);
            joinAll(hogs);
            until(() -> scheduler.stats().carriers().size() == 1);
            SchedulerStats stats = scheduler.stats();
            assertThat(stats.total().handOvers()).isPositive();
            assertThat(stats.total().ended())
                    .as("what ended carriers counted is kept")
                    .isEqualTo(4);
            assertThat(stats.living()).isZero();
            run(scheduler, () -> {});
        }
    }

    /** A mark that stayed would make every checkpoint of the JVM take the long way, for the rest of its life. */
    @Test
    void noMarkIsLeftWhenAllIsQuiet() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1, impatient().build())) {
            AtomicBoolean stop = new AtomicBoolean();
            Task hog = start(scheduler, () -> {
                while (!stop.get()) {
                    Thread.onSpinWait();
                }
            });
            run(scheduler, () -> {});
            until(() -> scheduler.stats().total().requests() > 0);
            stop.set(true);
            hog.join();
            untilIdle(scheduler);
            until(() -> scheduler.stats().carriers().size() == 1);
            until(() -> !Marks.any());
            CarrierStats stats = scheduler.stats().total();
            assertThat(stats.requests()).isEqualTo(stats.caught() + stats.lost());
        }
    }

    @Test
    void endedThreadsCanBeCollected() throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            List<WeakReference<Thread>> ended = new ArrayList<>();
            List<Task> tasks = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                Task task = start(scheduler, () -> {
                    start(Thread::yield).join();
                    LockSupport.parkNanos(1_000);
                });
                tasks.add(task);
                ended.add(new WeakReference<>(task.thread));
            }
            joinAll(tasks);
            tasks.clear();
            untilIdle(scheduler);
            until(() -> {
                System.gc();
                return ended.stream().filter(each -> each.get() != null).count() == 0;
            });
        }
    }

    @Test
    void aSchedulerThatWasClosedCanBeCollected() throws InterruptedException {
        WeakReference<Scheduler> closed = closedScheduler();
        until(() -> {
            System.gc();
            return closed.get() == null;
        });
    }

    private static WeakReference<Scheduler> closedScheduler() throws InterruptedException {
        Scheduler scheduler = scheduler(2);
        run(scheduler, () -> Thread.sleep(1));
        List<Thread> threads = platformThreads(scheduler);
        scheduler.close();
        for (Thread thread : threads) {
            thread.join();
        }
        return new WeakReference<>(scheduler);
    }

    // ---- checkpoints

    @Test
    void aCheckpointHasNoEffectWhereThereIsNothingToDo() throws InterruptedException {
        Scheduler.checkpoint();
        Thread.ofVirtual().start(Scheduler::checkpoint).join();
        try (Scheduler scheduler = scheduler(1)) {
            run(scheduler, () -> {
                Thread.currentThread().interrupt();
                Scheduler.checkpoint();
                assertThat(Thread.interrupted()).isTrue();
            });
        }
    }

    /** A thread that was asked makes room at its checkpoint, keeps its interrupt status, and goes on. */
    @Test
    void aCheckpointOfAThreadThatWasAskedYields() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1, Testing.oneProcessorOnly().build())) {
            AtomicInteger others = new AtomicInteger();
            run(scheduler, () -> {
                Thread.currentThread().interrupt();
                start(others::incrementAndGet);
                while (others.get() == 0) {
                    Scheduler.checkpoint();
                }
                assertThat(Thread.interrupted()).isTrue();
            });
            assertThat(scheduler.stats().total().caught()).isPositive();
        }
    }
}
