// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.testkit;

import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. A scheduler of virtual threads that runs none by itself: it keeps those that can run, and whoever drives it picks
 * one and runs it until it parks, yields or ends.
 *
 * Why a ForkJoinPool. Only such a scheduler is asked by the JDK to keep the time limits of its threads; otherwise they would
 * run out on a thread of the JDK's, in an order that no seed decides. Nothing else of the pool is used.
 *
 * Who may touch what. ready, timers: anyone, under the lock (the JDK wakes threads that waited for a monitor from a thread
 * of its own). Everything else: the driving thread.
 */
/** The scheduler of one {@link Interleaving}. */
final class OneCarrier extends ForkJoinPool {
    private static final String HOW_TO_OPEN = "The test kit needs access to the package java.lang: start the tests with"
            + " --add-opens java.base/java.lang=ALL-UNNAMED (in Maven: <argLine> of the surefire plugin)";

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Runnable> ready = new ArrayList<>();
    private final Queue<Timeout> timers = new PriorityQueue<>();
    private final Thread driver = Thread.currentThread();
    private long timersAdded;

    OneCarrier() {
        super(1);
    }

    Thread.Builder.OfVirtual threads() {
        try {
            Constructor<?> builder = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                    .getDeclaredConstructor(Executor.class);
            builder.setAccessible(true);
            return (Thread.Builder.OfVirtual) builder.newInstance(this);
        } catch (InaccessibleObjectException e) {
            throw new IllegalStateException(HOW_TO_OPEN, e);
        } catch (ReflectiveOperationException e) {
            throw new UnsupportedOperationException(
                    "The virtual threads of this JDK (" + Runtime.version()
                            + ") are not built as the test kit knows them",
                    e);
        }
    }

    /** Takes one of those that can run, or null. */
    @Nullable
    Runnable pick(RandomGenerator random) {
        lock.lock();
        try {
            int count = ready.size();
            return count == 0 ? null : ready.remove(count == 1 ? 0 : random.nextInt(count));
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the earliest time limit has come, and ends that wait; false if there is none. */
    boolean expireNext() {
        while (true) {
            Timeout next;
            lock.lock();
            try {
                next = timers.peek();
                if (next == null) {
                    return false;
                }
                if (next.left() <= 0) {
                    timers.remove();
                }
            } finally {
                lock.unlock();
            }
            long left = next.left();
            if (left <= 0) {
                next.run();
                return true;
            }
            LockSupport.parkNanos(this, left);
        }
    }

    /** Waits for a wake-up that a thread of the JDK has to make. */
    boolean awaitReady(long nanos) {
        long end = System.nanoTime() + nanos;
        while (true) {
            lock.lock();
            try {
                if (!ready.isEmpty()) {
                    return true;
                }
            } finally {
                lock.unlock();
            }
            long left = end - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            LockSupport.parkNanos(this, left);
        }
    }

    @Override
    public void execute(Runnable task) {
        lock.lock();
        try {
            ready.add(task);
        } finally {
            lock.unlock();
        }
        if (Thread.currentThread() != driver) {
            LockSupport.unpark(driver);
        }
    }

    @Override
    public <T> ForkJoinTask<T> externalSubmit(ForkJoinTask<T> task) {
        execute(task::quietlyInvoke);
        return task;
    }

    @Override
    public <T> ForkJoinTask<T> lazySubmit(ForkJoinTask<T> task) {
        return externalSubmit(task);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        lock.lock();
        try {
            Timeout timeout = new Timeout(command, System.nanoTime() + unit.toNanos(delay), timersAdded++);
            timers.add(timeout);
            return timeout;
        } finally {
            lock.unlock();
        }
    }

    /** The time limit of a wait. */
    private final class Timeout extends FutureTask<@Nullable Object>
            implements RunnableScheduledFuture<@Nullable Object> {
        private final long deadline;
        private final long order;

        Timeout(Runnable command, long deadline, long order) {
            super(command, null);
            this.deadline = deadline;
            this.order = order;
        }

        long left() {
            return deadline - System.nanoTime();
        }

        @Override
        protected void done() {
            lock.lock();
            try {
                timers.remove(this);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public boolean isPeriodic() {
            return false;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(left(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            Timeout timeout = (Timeout) other;
            long difference = deadline - timeout.deadline;
            return difference != 0 ? Long.signum(difference) : Long.compare(order, timeout.order);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }
}
