// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.Parker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

// Purpose. The public face of Flights in which nothing stays: the leader takes its entry out before it lets the others
// go,
// so that a value is shared by those who asked while it was computed, and by nobody later.

/**
 * Lets those who want the same at the same time do it once, and share what comes of it. Nothing is kept.
 *
 * {@snippet :
 * Page page = pages.work(url, () -> fetch(url));   // of many at once for one url, one fetches
 * }
 *
 * <p>The first to come for a key is the leader and runs its body; those who come for the key meanwhile wait. When the body
 * returns, all of them get its value, and the next to come begins again. When it throws, the leader's method decides:
 *
 * <ul>
 *   <li>{@link #work}: all who wait get the failure, too, as the cause of a {@link CompletionException}. A thousand callers
 *       of what is broken make one attempt.
 *   <li>{@link #tryWork}: the failure is the leader's alone; the next in the queue leads, with its own body.
 * </ul>
 *
 * <p><b>Cancellation.</b> A leader that was cancelled, whose body threw an {@link InterruptedException} or a
 * {@link java.util.concurrent.CancellationException}, passes the lead on with either method. A wait that ends early leaves
 * the queue. Cancelling the future of a leader cancels the stage of its body, and passes the lead on when that is complete:
 * at once, if it is a {@link CompletableFuture}.
 *
 * <p><b>Memory.</b> What was done in the body happens-before what is done by whoever shares its outcome.
 *
 * <p>A body may ask for other keys; one that asks for its own gets an {@link IllegalStateException} where it would wait for
 * itself, if it is not asynchronous. Values are not null. See the {@linkplain dev.evenweave.sync package description} for
 * interruption and time limits. The name, and sharing failures, follow Go's singleflight; passing the lead on follows Apache
 * Asyncband.
 */
public final class SingleFlight<K, V> {
    private final Flights<K, V> flights;

    /** Makes one in which nobody flies. */
    public SingleFlight() {
        this(Parker.THREADS);
    }

    SingleFlight(Parker parker) {
        this.flights = new Flights<>(false, parker);
    }

    /**
     * Gives what the body gives, or what the one that runs already for this key gives. A failure is shared.
     *
     * @throws E what the body throws
     * @throws CompletionException if another one's body failed
     * @throws InterruptedException if the thread is interrupted on entry, or while it waits
     * @throws NullPointerException if the body gives null
     * @throws IllegalStateException if the thread runs a body for this key
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> V work(K key, ScopedValue.CallableOp<? extends V, E> body)
            throws E, InterruptedException {
        return flights.lead(key, body, true);
    }

    /**
     * The same, waiting for at most this time; the own body is not limited.
     *
     * @throws E what the body throws
     * @throws TimeoutException if the time was over first
     * @throws CompletionException if another one's body failed
     * @throws InterruptedException if the thread is interrupted on entry, or while it waits
     * @throws NullPointerException if the body gives null
     * @throws IllegalStateException if the thread runs a body for this key
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> V work(K key, ScopedValue.CallableOp<? extends V, E> body, Duration timeout)
            throws E, InterruptedException, TimeoutException {
        return flights.lead(key, body, true, timeout);
    }

    /**
     * The same, whether interrupted or not.
     *
     * @throws E what the body throws
     * @throws CompletionException if another one's body failed
     * @throws NullPointerException if the body gives null
     * @throws IllegalStateException if the thread runs a body for this key
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> V workUninterruptibly(K key, ScopedValue.CallableOp<? extends V, E> body) throws E {
        return flights.leadUninterruptibly(key, body, true);
    }

    /**
     * The same, without blocking the thread; the body is run, when it is its turn, by the thread that passes the lead on.
     * Completing the future from outside leaves the queue, or cancels the stage of the body.
     *
     * @return the future; failed with what the body that led failed with
     */
    @CheckReturnValue
    public CompletableFuture<V> workAsync(K key, Supplier<? extends CompletionStage<? extends V>> body) {
        return flights.leadAsync(key, body, true);
    }

    /**
     * Gives what the body gives, or what the one that runs already for this key gives. A failure is the caller's alone.
     *
     * @throws E what the body throws
     * @throws CompletionException if another one's body failed in {@link #work}
     * @throws InterruptedException if the thread is interrupted on entry, or while it waits
     * @throws NullPointerException if the body gives null
     * @throws IllegalStateException if the thread runs a body for this key
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> V tryWork(K key, ScopedValue.CallableOp<? extends V, E> body)
            throws E, InterruptedException {
        return flights.lead(key, body, false);
    }

    /**
     * The same, waiting for at most this time to run its body; the body itself is not limited.
     *
     * @throws E what the body throws
     * @throws TimeoutException if the time was over first
     * @throws CompletionException if another one's body failed in {@link #work}
     * @throws InterruptedException if the thread is interrupted on entry, or while it waits
     * @throws NullPointerException if the body gives null
     * @throws IllegalStateException if the thread runs a body for this key
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> V tryWork(K key, ScopedValue.CallableOp<? extends V, E> body, Duration timeout)
            throws E, InterruptedException, TimeoutException {
        return flights.lead(key, body, false, timeout);
    }

    /**
     * The same, whether interrupted or not.
     *
     * @throws E what the body throws
     * @throws CompletionException if another one's body failed in {@link #work}
     * @throws NullPointerException if the body gives null
     * @throws IllegalStateException if the thread runs a body for this key
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> V tryWorkUninterruptibly(K key, ScopedValue.CallableOp<? extends V, E> body) throws E {
        return flights.leadUninterruptibly(key, body, false);
    }

    /**
     * The same, without blocking the thread; the body is run, when it is its turn, by the thread that passes the lead on.
     * Completing the future from outside leaves the queue, or cancels the stage of the body.
     *
     * @return the future; failed with what the own body fails with, or one that led in {@link #work}
     */
    @CheckReturnValue
    public CompletableFuture<V> tryWorkAsync(K key, Supplier<? extends CompletionStage<? extends V>> body) {
        return flights.leadAsync(key, body, false);
    }

    /**
     * Forgets the computation of the key: those who wait for it still get its outcome, those who come later begin again.
     *
     * @return whether there was one
     */
    @CanIgnoreReturnValue
    public boolean forget(K key) {
        return flights.detach(key);
    }

    /** For how many keys somebody computes or waits. A snapshot, by counting them. */
    public int inFlight() {
        return flights.inFlight();
    }

    /** How many wait for the outcome of the key. A snapshot. */
    public int queueLength(K key) {
        return flights.waiting(key);
    }

    @Override
    public String toString() {
        return "SingleFlight[in flight=" + inFlight() + ", queued=" + flights.waiting() + "]";
    }
}
