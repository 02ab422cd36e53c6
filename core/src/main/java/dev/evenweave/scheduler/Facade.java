// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. What the JDK sees of a scheduler. The JDK's code asks "is the scheduler a ForkJoinPool": if it is, timed parks,
 * sleeps and timed waits are given to its schedule() (else to one timer thread for the whole JVM), the management bean and
 * jcmd read its figures, and it may be the JVM's default scheduler.
 *
 * Nothing of the ForkJoinPool itself is used: no task ever reaches its queues, so it never starts a thread.
 */
/** A scheduler in the shape of the JDK's own. */
final class Facade extends ForkJoinPool {
    private final Scheduler scheduler;

    Facade(Scheduler scheduler, int parallelism) {
        super(Math.min(parallelism, 0x7fff));
        this.scheduler = scheduler;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    @Override
    public void execute(Runnable task) {
        scheduler.submit(task);
    }

    /**
     * The JDK asks the pool of the carrier that it runs on, for a thread of the JVM's default scheduler: that may be another
     * scheduler than this one.
     */
    @Override
    public <T> ForkJoinTask<T> externalSubmit(ForkJoinTask<T> task) {
        Runnable continuation = VirtualThreads.unwrap(task);
        Executor owner = VirtualThreads.ownerOf(continuation, this);
        if (owner == this) {
            scheduler.submit(continuation);
        } else {
            owner.execute(continuation);
        }
        return task;
    }

    @Override
    public <T> ForkJoinTask<T> lazySubmit(ForkJoinTask<T> task) {
        return externalSubmit(task);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return scheduler.timers().schedule(command, unit.toNanos(delay));
    }

    @Override
    public int getParallelism() {
        // Also called by the superclass's constructor, when there is no scheduler yet.
        Scheduler known = scheduler;
        return known == null ? 1 : known.parallelism();
    }

    @Override
    public int getPoolSize() {
        return scheduler.dispatcher().workers.length;
    }

    @Override
    public int getActiveThreadCount() {
        int running = 0;
        for (Worker worker : scheduler.dispatcher().workers) {
            if (worker.current() != null) {
                running++;
            }
        }
        return running;
    }

    @Override
    public long getQueuedTaskCount() {
        long queued = 0;
        for (Worker worker : scheduler.dispatcher().workers) {
            queued += worker.queue.size() + (worker.queue.peekRunNext() == null ? 0 : 1);
        }
        return queued;
    }

    @Override
    public int getQueuedSubmissionCount() {
        return scheduler.dispatcher().global.size();
    }

    @Override
    public long getStealCount() {
        long steals = 0;
        for (Worker worker : scheduler.dispatcher().workers) {
            steals += worker.steals.get();
        }
        return steals;
    }

    @Override
    public int setParallelism(int size) {
        throw new UnsupportedOperationException(
                "setParallelism(" + size + "): the parallelism of an Evenweave scheduler is fixed when it is built");
    }

    @Override
    public void close() {
        scheduler.close();
    }

    @Override
    public @Nullable String toString() {
        return String.valueOf(scheduler);
    }
}
