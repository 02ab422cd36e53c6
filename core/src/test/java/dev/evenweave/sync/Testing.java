// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the tests of this package share. */
final class Testing {
    private Testing() {}

    /** A body that may throw anything. */
    interface Body {
        void run() throws Throwable;
    }

    /** Waits until the condition holds; a test that would wait for ever is ended by its own timeout. */
    static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.yield();
        }
    }

    /** A thread whose failure is not lost. */
    static final class Task {
        final Thread thread;
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        private Task(Thread.Builder builder, Body body) {
            thread = builder.start(() -> {
                try {
                    body.run();
                } catch (Throwable t) {
                    failure.set(t);
                }
            });
        }

        /** Waits for the end and gives what the body threw, or null. */
        @Nullable
        Throwable outcome() throws InterruptedException {
            thread.join();
            return failure.get();
        }

        /** Waits for the end of a body that must not throw. */
        void join() throws InterruptedException {
            Throwable thrown = outcome();
            if (thrown != null) {
                throw new AssertionError("the task failed", thrown);
            }
        }
    }

    static Task start(Thread.Builder builder, Body body) {
        return new Task(builder, body);
    }

    static Task start(Body body) {
        return new Task(Thread.ofVirtual(), body);
    }

    static void joinAll(List<Task> tasks) throws InterruptedException {
        for (Task task : tasks) {
            task.join();
        }
    }

    /** The kinds of thread that may wait. */
    static Stream<Thread.Builder> threads() {
        return Stream.of(Thread.ofVirtual().name("virtual"), Thread.ofPlatform().name("platform"));
    }

    /** Notes its calls in a common log, then does something. */
    static final class Noting extends Waiter {
        final String name;
        private final List<String> log;
        private final Runnable then;

        Noting(String name, List<String> log, Runnable then) {
            this.name = name;
            this.log = log;
            this.then = then;
        }

        Noting(String name, List<String> log) {
            this(name, log, () -> {});
        }

        @Override
        protected void completed(@Nullable Throwable failure) {
            log.add(failure == null ? name : name + ": " + failure.getMessage());
            then.run();
        }
    }

    /** Counts its calls and nothing else. */
    static final class Counting extends Waiter {
        int calls;

        @Override
        protected void completed(@Nullable Throwable failure) {
            calls++;
        }
    }

    static List<String> log() {
        return new ArrayList<>();
    }
}
