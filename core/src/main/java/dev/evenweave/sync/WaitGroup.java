// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.Rounds;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

// Purpose. The public face of Rounds without parties, to which anybody may add: a round ends when the count comes to 0.

/**
 * Counts work in progress, and lets all go who wait for there to be none.
 *
 * <p>Some ways to count, from the shortest to the barest:
 *
 * {@snippet :
 * group.start(() -> work());                                  // a virtual thread, counted until it ends
 * try (WaitGroup.Member member = group.register()) { work(); }  // gives back once, whatever happens
 * group.add(); try { work(); } finally { group.done(); }
 * group.await();
 * }
 *
 * <p>A group may be used again: after the count came to 0 it may go up again. Whoever waited is let go when the count
 * comes to 0, even if it goes up right after that.
 *
 * <p><b>Memory.</b> What was done before each {@code done}, or before a member was closed, happens-before what is done
 * after the wait ended well.
 *
 * <p>See the {@linkplain dev.evenweave.sync package description} for interruption, cancellation, time limits and
 * callbacks. The names and the reuse follow Go's WaitGroup.
 */
public final class WaitGroup {
    final Rounds rounds;

    /** Makes a group in which no work is in progress. */
    public WaitGroup() {
        this(Parker.THREADS);
    }

    WaitGroup(Parker parker) {
        this.rounds = new Rounds(0, 0, 0, parker);
    }

    /** Counts one piece of work more: see {@link #add(long)}. */
    public void add() {
        add(1);
    }

    /**
     * Counts n pieces of work more; n = 0 does nothing. Call it before the work starts and before the wait that is to
     * include it.
     *
     * @throws IllegalArgumentException if n is negative
     * @throws IllegalStateException if the count would be more than a long can hold; nothing changed
     * @throws ClosedException if the group is closed
     */
    public void add(long n) {
        Results.checkCount("work to add", n);
        long result = rounds.add(n, 0);
        if (result == Rounds.FULL) {
            throw new IllegalStateException(
                    "Adding " + n + " to " + count() + " pieces of work would exceed Long.MAX_VALUE");
        }
        Results.checkUninterruptible(rounds, result);
    }

    /**
     * Counts one piece of work less, and lets all go if there is none then.
     *
     * @throws IllegalStateException if none is counted
     */
    public void done() {
        done(1);
    }

    /**
     * Counts n pieces of work less, and lets all go if there is none then; n = 0 does nothing.
     *
     * @throws IllegalArgumentException if n is negative
     * @throws IllegalStateException if fewer than n are counted; nothing changed
     */
    public void done(long n) {
        Results.checkCount("work done", n);
        if (!rounds.tryCountDown(n)) {
            throw new IllegalStateException(n + " pieces of work are said to be done, but only " + count()
                    + " are counted: call add before the work starts and done once for each");
        }
    }

    /**
     * Counts one piece of work more, until the member is closed.
     *
     * @throws IllegalStateException if the count would be more than a long can hold; nothing changed
     * @throws ClosedException if the group is closed
     */
    @CheckReturnValue
    public Member register() {
        add(1);
        return new Member(this);
    }

    /**
     * Runs the task in a virtual thread of its own, counted until it ends.
     *
     * @return the thread, started
     * @throws ClosedException if the group is closed; no thread was started
     */
    @CanIgnoreReturnValue
    public Thread start(Runnable task) {
        return start(Thread.ofVirtual().factory(), task);
    }

    /**
     * Runs the task in a thread of the factory, counted until it ends.
     *
     * @return the thread, started
     * @throws NullPointerException if the factory makes no thread
     * @throws ClosedException if the group is closed; no thread was started
     */
    @CanIgnoreReturnValue
    public Thread start(ThreadFactory factory, Runnable task) {
        Member member = register();
        try {
            Thread thread = factory.newThread(() -> {
                try (member) {
                    task.run();
                }
            });
            if (thread == null) {
                throw new NullPointerException("The factory " + factory + " made no thread");
            }
            thread.start();
            return thread;
        } catch (Throwable t) {
            member.close();
            throw t;
        }
    }

    /** How many pieces of work are in progress. A snapshot. */
    public long count() {
        return rounds.left();
    }

    /**
     * Waits until no work is in progress.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     * @throws ClosedException if the group is or gets closed while work is in progress
     */
    public void await() throws InterruptedException {
        Gates.await(rounds, rounds.busyRound());
    }

    /**
     * Waits until no work is in progress, for at most this time.
     *
     * @return false if the time was over first
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     * @throws ClosedException if the group is or gets closed while work is in progress
     */
    @CheckReturnValue
    public boolean await(Duration timeout) throws InterruptedException {
        return Gates.await(rounds, rounds.busyRound(), timeout);
    }

    /**
     * Waits until no work is in progress, whether interrupted or not.
     *
     * @throws ClosedException if the group is or gets closed while work is in progress
     */
    public void awaitUninterruptibly() {
        Gates.awaitUninterruptibly(rounds, rounds.busyRound());
    }

    /**
     * Waits until no work is in progress without blocking the thread. Completing the future from outside ends the wait.
     *
     * @return the future; failed with {@link ClosedException} if the group is or gets closed while work is in progress
     */
    @CheckReturnValue
    public CompletableFuture<@Nullable Void> awaitAsync() {
        return Gates.awaitAsync(rounds, rounds.busyRound());
    }

    /**
     * Lets the waiter be called when no work is in progress.
     *
     * @return true if there is none now, and the waiter is not called; false if the waiter is in the queue
     * @throws IllegalStateException if the waiter waits already
     * @throws ClosedException if the group is closed and work is in progress
     */
    @CheckReturnValue
    public boolean await(Waiter waiter) {
        return Gates.await(rounds, rounds.busyRound(), waiter);
    }

    /**
     * Takes the waiter out of the queue.
     *
     * @return false if it is not in the queue: it was never there, or its callback has run or is about to
     */
    public boolean cancel(Waiter waiter) {
        return rounds.cancel(waiter.node());
    }

    /** How many wait, threads and callbacks. A snapshot. */
    public int queueLength() {
        return rounds.waiting();
    }

    /** Closes without a reason: see {@link #close(Throwable)}. */
    public void close() {
        rounds.close(null);
    }

    /**
     * Ends every wait for work in progress, now and later, with {@link ClosedException}, and lets nobody add more; the
     * reason is the cause of the exception. What is in progress is still counted down. Closing again does nothing.
     */
    public void close(Throwable reason) {
        rounds.close(reason);
    }

    public boolean isClosed() {
        return rounds.isClosed();
    }

    @Override
    public String toString() {
        return "WaitGroup[count=" + count() + ", " + Gates.state(rounds) + "]";
    }

    /** One piece of work in progress, until it is closed; closing again does nothing. Any thread may close it. */
    public static final class Member implements AutoCloseable {
        private static final VarHandle GROUP;

        static {
            try {
                GROUP = MethodHandles.lookup().findVarHandle(Member.class, "group", WaitGroup.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private volatile @Nullable WaitGroup group;

        private Member(WaitGroup group) {
            this.group = group;
        }

        /** Says that the work is done. */
        @Override
        public void close() {
            WaitGroup counted = (WaitGroup) GROUP.getAndSet(this, (WaitGroup) null);
            if (counted != null) {
                counted.done();
            }
        }

        @Override
        public String toString() {
            WaitGroup counted = group;
            return "WaitGroup.Member[" + (counted == null ? "closed" : "of " + counted) + "]";
        }
    }
}
