// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks.pool;

import dev.evenweave.scheduler.Scheduler;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Runs the threads of a benchmark as virtual threads of Evenweave: {@code -Djmh.executor.class}. */
public final class OnCarriers extends AbstractExecutorService {
    private final Scheduler scheduler = Scheduler.builder().build();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(scheduler.newThreadFactory());

    /**
     * Called by the harness.
     *
     * @param maxThreads how many threads there will be
     * @param prefix their name
     */
    public OnCarriers(int maxThreads, String prefix) {}

    @Override
    public void execute(Runnable task) {
        threads.execute(task);
    }

    @Override
    public void shutdown() {
        threads.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return threads.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return threads.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return threads.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return threads.awaitTermination(timeout, unit);
    }
}
