// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.Rounds;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

// Purpose. The public face of one round of Rounds, without parties: what ends it is that the count is 0, for ever.

/**
 * A count that goes down, and lets all go who wait for it to be 0. It stays 0.
 *
 * {@snippet :
 * Latch ready = new Latch(3);
 * // each of three workers:
 * ready.countDown();
 * // and who needs all three:
 * ready.await();
 * }
 *
 * <p><b>Order.</b> All who wait are let go by the call that makes the count 0, none before.
 *
 * <p><b>Memory.</b> What was done before each call of {@code countDown} happens-before what is done after the wait ended
 * well.
 *
 * <p>See the {@linkplain dev.evenweave.sync package description} for interruption, cancellation, time limits and
 * callbacks. Cancelling a wait does not change the count.
 */
public final class Latch {
    private static final long COUNTING = 0;

    final Rounds rounds;

    /**
     * Makes a latch with this count; with 0 nobody waits.
     *
     * @throws IllegalArgumentException if the count is negative
     */
    public Latch(long count) {
        this(count, Parker.THREADS);
    }

    Latch(long count, Parker parker) {
        Results.checkCount("count", count);
        this.rounds = new Rounds(count == 0 ? COUNTING + 1 : COUNTING, count, 0, parker);
    }

    /** Counts one down, and lets all go if the count is 0 then; at 0, and after closing, does nothing. */
    public void countDown() {
        countDown(1);
    }

    /**
     * Counts n down, but not below 0, and lets all go if the count is 0 then; n = 0 does nothing.
     *
     * @throws IllegalArgumentException if n is negative
     */
    public void countDown(long n) {
        Results.checkCount("arrivals", n);
        rounds.countDown(n);
    }

    /** What is still to be counted down. A snapshot. */
    public long count() {
        return rounds.left();
    }

    /** Whether the count is 0, so that nobody waits. */
    public boolean isOpen() {
        return rounds.period() != COUNTING;
    }

    /**
     * Waits until the count is 0.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     * @throws ClosedException if the latch is or gets closed before the count is 0
     */
    public void await() throws InterruptedException {
        Gates.await(rounds, COUNTING);
    }

    /**
     * Waits until the count is 0, for at most this time.
     *
     * @return false if the time was over first
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     * @throws ClosedException if the latch is or gets closed before the count is 0
     */
    @CheckReturnValue
    public boolean await(Duration timeout) throws InterruptedException {
        return Gates.await(rounds, COUNTING, timeout);
    }

    /**
     * Waits until the count is 0, whether interrupted or not.
     *
     * @throws ClosedException if the latch is or gets closed before the count is 0
     */
    public void awaitUninterruptibly() {
        Gates.awaitUninterruptibly(rounds, COUNTING);
    }

    /**
     * Waits until the count is 0 without blocking the thread. Completing the future from outside ends the wait.
     *
     * @return the future; failed with {@link ClosedException} if the latch is or gets closed before the count is 0
     */
    @CheckReturnValue
    public CompletableFuture<@Nullable Void> awaitAsync() {
        return Gates.awaitAsync(rounds, COUNTING);
    }

    /**
     * Lets the waiter be called when the count is 0.
     *
     * @return true if it is 0 now, and the waiter is not called; false if the waiter is in the queue
     * @throws IllegalStateException if the waiter waits already
     * @throws ClosedException if the latch is closed
     */
    @CheckReturnValue
    public boolean await(Waiter waiter) {
        return Gates.await(rounds, COUNTING, waiter);
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
     * Says that the count will not come to 0: ends every wait, now and later, with {@link ClosedException}; the reason is
     * its cause. If the count is 0 already, or this was closed before, that stays as it is.
     */
    public void close(Throwable reason) {
        rounds.close(reason);
    }

    /** Whether this was closed before the count was 0. */
    public boolean isClosed() {
        return !isOpen() && rounds.isClosed();
    }

    @Override
    public String toString() {
        return "Latch[count=" + count() + ", " + (isOpen() ? "open" : Gates.state(rounds)) + "]";
    }
}
