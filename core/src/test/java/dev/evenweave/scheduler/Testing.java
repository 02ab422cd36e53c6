// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What the tests with real carriers share. */
final class Testing {
    private Testing() {}

    /** A body that may throw anything. */
    interface Body {
        void run() throws Throwable;
    }

    /** Waits until the condition holds; a test that would wait for ever is ended by its own timeout. */
    static void until(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            Thread.yield();
        }
    }

    /** A thread whose failure is not lost. */
    static final class Task {
        final Thread thread;
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        private Task(Thread.Builder builder, Body body) {
            thread = builder.unstarted(() -> {
                try {
                    body.run();
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
        }

        /** Waits for the end of a body that must not throw. */
        void join() throws InterruptedException {
            thread.join();
            Throwable thrown = failure.get();
            if (thrown != null) {
                throw new AssertionError(thread + " failed", thrown);
            }
        }

        /** Returns once the thread is parked, sleeps or waits. */
        Task parked() throws InterruptedException {
            until(() -> switch (thread.getState()) {
                case WAITING, TIMED_WAITING, BLOCKED -> true;
                case TERMINATED -> throw new AssertionError(thread + " has ended", failure.get());
                default -> false;
            });
            return this;
        }
    }

    static Task start(Thread.Builder builder, Body body) {
        Task task = new Task(builder, body);
        task.thread.start();
        return task;
    }

    static Task start(Scheduler scheduler, Body body) {
        return start(scheduler.threadBuilder(), body);
    }

    /** Starts a thread of the scheduler that the caller runs on. */
    static Task start(Body body) {
        return start(Thread.ofVirtual(), body);
    }

    static Task startPlatform(Body body) {
        return start(Thread.ofPlatform().daemon(), body);
    }

    static void joinAll(List<Task> tasks) throws InterruptedException {
        for (Task task : tasks) {
            task.join();
        }
    }

    /** Runs the body on a thread of the scheduler and waits for it. */
    static void run(Scheduler scheduler, Body body) throws InterruptedException {
        start(scheduler, body).join();
    }

    static Scheduler scheduler(int parallelism) {
        return Scheduler.builder().parallelism(parallelism).build();
    }

    static Scheduler scheduler(int parallelism, Policy policy) {
        return Scheduler.builder().parallelism(parallelism).policy(policy).build();
    }

    static Policy.Builder policy() {
        return Policy.defaults().toBuilder();
    }

    /** Without hand-over, so that only the rules of one processor decide. */
    static Policy.Builder oneProcessorOnly() {
        return policy().handOver(false);
    }

    /** Keeps what is asked for spare carriers short. */
    static Policy.Builder impatient() {
        return policy().keepAlive(Duration.ofMillis(10));
    }

    /** The scheduler's own platform threads. */
    static List<Thread> platformThreads(Scheduler scheduler) {
        List<Thread> threads = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith(scheduler.name() + "-")) {
                threads.add(thread);
            }
        }
        return threads;
    }

    /** Waits until nothing runs and every carrier has parked. */
    static void untilIdle(Scheduler scheduler) throws InterruptedException {
        Dispatcher dispatcher = scheduler.dispatcher();
        until(() -> dispatcher.areAllIdle() && dispatcher.spinningCount() == 0 && !dispatcher.isAnyTaskQueued());
    }
}
