// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Threads for tests, virtual and platform. */
final class Threads {
    private Threads() {}

    /** What may fail. */
    interface Action {
        void run() throws Exception;
    }

    /** A task and its thread. */
    record Started<V>(Thread thread, FutureTask<V> task) {
        V get() throws Exception {
            try {
                return task.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Exception cause) {
                    throw cause;
                }
                throw e;
            }
        }

        /** Returns when the thread waits; an interrupt, by the test's timeout for instance, is a failure. */
        Started<V> parked() {
            while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
                assertThat(thread.getState()).as("a thread that should wait").isNotEqualTo(Thread.State.TERMINATED);
                assertThat(Thread.currentThread().isInterrupted())
                        .as("out of time, and the thread does not wait: " + thread.getState())
                        .isFalse();
                Thread.onSpinWait();
            }
            return this;
        }
    }

    static <V> Started<V> start(Callable<V> task) {
        FutureTask<V> future = new FutureTask<>(task);
        return new Started<>(Thread.ofVirtual().start(future), future);
    }

    static Started<Void> go(Action action) {
        return start(() -> {
            action.run();
            return null;
        });
    }

    static Started<Void> goPlatform(Action action) {
        FutureTask<Void> future = new FutureTask<>(() -> {
            action.run();
            return null;
        });
        return new Started<>(Thread.ofPlatform().daemon().start(future), future);
    }
}
