// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.Rounds;
import dev.evenweave.wait.WaitQueue.Mode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

// Purpose. The public face of Rounds with a fixed number of parties that have no names.

/**
 * Lets a group of a fixed size meet, again and again: each waits until all have come, and one of them is the leader.
 *
 * {@snippet :
 * // each of the parties, in every generation:
 * compute(part);
 * if (barrier.await()) { combine(); }   // exactly one of them
 * barrier.await();                      // the others wait until that is done
 * }
 *
 * <p><b>Cancellation.</b> An arrival counts once made: a wait that ends early, by an interrupt, a time limit or
 * otherwise, does not take it back, and the others are not held up or broken. Whoever came back early must not arrive
 * again for the same generation; a {@link Phaser} knows its parties and forgives that. Use {@link #close(Throwable)} to
 * tell the others that somebody will not come.
 *
 * <p><b>Memory.</b> What each party did before it arrived happens-before what any of them does after it was let go.
 *
 * <p>See the {@linkplain dev.evenweave.sync package description} for interruption, time limits and callbacks.
 */
public final class Barrier {
    final Rounds rounds;
    private final long parties;

    /**
     * Makes a barrier for so many parties; one for 0, as one for 1, lets everybody pass at once.
     *
     * @throws IllegalArgumentException if the number is negative
     */
    public Barrier(long parties) {
        this(parties, Parker.THREADS);
    }

    Barrier(long parties, Parker parker) {
        Results.checkCount("parties", parties);
        this.parties = Math.max(parties, 1);
        this.rounds = new Rounds(0, this.parties, this.parties, parker);
    }

    /**
     * Arrives and waits for the others of this generation.
     *
     * @return true for the leader, the last to arrive; false for all others
     * @throws InterruptedException if the thread is interrupted on entry, and then it did not arrive; or while it waits, and
     *     then its arrival counts
     * @throws ClosedException if the barrier is or gets closed before the generation is complete
     */
    @CanIgnoreReturnValue
    public boolean await() throws InterruptedException {
        Results.checkInterrupt();
        long result = rounds.arriveAndAwait(Mode.INTERRUPTIBLE, Rounds.FOREVER);
        return isLeader(result) || others(result);
    }

    /**
     * Arrives and waits for the others of this generation, for at most this time.
     *
     * @return true for the leader, the last to arrive; false for all others
     * @throws TimeoutException if the time was over first; the arrival counts
     * @throws InterruptedException as {@link #await()}
     * @throws ClosedException as {@link #await()}
     */
    @CanIgnoreReturnValue
    public boolean await(Duration timeout) throws InterruptedException, TimeoutException {
        long nanos = Results.nanos(timeout);
        Results.checkInterrupt();
        long result = rounds.arriveAndAwait(Mode.INTERRUPTIBLE, nanos);
        if (result == Rounds.TIMED_OUT) {
            throw new TimeoutException("Not all of " + parties + " parties came within " + timeout);
        }
        return isLeader(result) || others(result);
    }

    /**
     * Arrives and waits for the others of this generation, whether interrupted or not.
     *
     * @return true for the leader, the last to arrive; false for all others
     * @throws ClosedException as {@link #await()}
     */
    @CanIgnoreReturnValue
    public boolean awaitUninterruptibly() {
        long result = rounds.arriveAndAwait(Mode.UNINTERRUPTIBLE, Rounds.FOREVER);
        if (!isLeader(result)) {
            Results.checkUninterruptible(rounds, result);
            return false;
        }
        return true;
    }

    private static boolean isLeader(long result) {
        return result == Rounds.LAST;
    }

    private boolean others(long result) throws InterruptedException {
        Results.check(rounds, result);
        return false;
    }

    /**
     * Arrives, and waits for the others of this generation without blocking the thread. Completing the future from
     * outside ends the wait; the arrival counts.
     *
     * @return true for the leader, the last to arrive; false for all others; failed with {@link ClosedException} if the
     *     barrier is or gets closed before the generation is complete
     */
    @CheckReturnValue
    public CompletableFuture<Boolean> awaitAsync() {
        Gates.Await<Boolean> future = new Gates.Await<>(rounds, () -> false);
        long result = rounds.arriveAndAwait(future.waiter());
        if (isLeader(result)) {
            return CompletableFuture.completedFuture(true);
        }
        return result == Rounds.WAITING ? future : future.settle(result);
    }

    /**
     * Arrives, and lets the waiter be called when all others of this generation have arrived.
     *
     * @return true for the leader, the last to arrive, whose waiter is not called; false if the waiter is in the queue
     * @throws IllegalStateException if the waiter waits already; it did not arrive
     * @throws ClosedException if the barrier is closed
     */
    @CheckReturnValue
    public boolean await(Waiter waiter) {
        long result = rounds.arriveAndAwait(waiter.node());
        return isLeader(result) || Results.checkNow(rounds, result);
    }

    /**
     * Takes the waiter out of the queue. Its arrival counts.
     *
     * @return false if it is not in the queue: it was never there, or its callback has run or is about to
     */
    public boolean cancel(Waiter waiter) {
        return rounds.cancel(waiter.node());
    }

    /** How many it takes. */
    public long parties() {
        return parties;
    }

    /** How many of the current generation have arrived. A snapshot. */
    public long arrived() {
        return rounds.arrived();
    }

    /** How many generations are complete. A snapshot. */
    public long generation() {
        return rounds.period();
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
     * Ends every wait for the current generation, now and later, with {@link ClosedException}; the reason is its cause.
     * Closing again does nothing: the first reason stays.
     */
    public void close(Throwable reason) {
        rounds.close(reason);
    }

    public boolean isClosed() {
        return rounds.isClosed();
    }

    @Override
    public String toString() {
        return "Barrier[generation=" + generation() + ", arrived=" + arrived() + " of " + parties + ", "
                + Gates.state(rounds) + "]";
    }
}
