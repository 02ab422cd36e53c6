// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.Gate;
import dev.evenweave.wait.Parker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

// Purpose. A value that comes once, with any number that wait for it.
//
//                     ┌── complete(value) ──▶ value
//     outcome: null ──┤
//                     └── close(reason) ────▶ ABANDONED
//
// Whoever changes `outcome` from null, by compare-and-set, decides, and then moves the gate accordingly: on, or closed.
// So the two never disagree for long, and who has waited at the gate reads `outcome`.
//
// Memory order. `outcome` is published by a compare-and-set and read with acquire.

/**
 * A value that is given once and seen by all who wait for it, before and after.
 *
 * {@snippet :
 * Completion<Config> config = new Completion<>();
 * // the one who makes it; leaving without a value ends all waits
 * try (config) { config.complete(load()); }
 * // whoever needs it:
 * config.await().port();
 * }
 *
 * <p>Closing says that no value will come, or, by those who wait, that nobody wants it any more: {@link #complete} then
 * returns false.
 *
 * <p><b>Memory.</b> What was done before {@code complete} happens-before what is done by whoever got the value. Getting a
 * value that is there is one acquire load.
 *
 * <p>See the {@linkplain dev.evenweave.sync package description} for interruption, cancellation, time limits and
 * callbacks. Cancelling a wait, or a future from {@link #awaitAsync}, changes nothing for the others.
 */
public final class Completion<T extends @Nullable Object> implements AutoCloseable {
    private static final Object ABANDONED = new Object();
    private static final Object NULL = new Object();
    private static final long PENDING = 0;
    private static final VarHandle OUTCOME;

    static {
        try {
            OUTCOME = MethodHandles.lookup().findVarHandle(Completion.class, "outcome", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused")
    private @Nullable Object outcome;

    final Gate gate;

    /** Makes a completion that waits for its value. */
    public Completion() {
        this(Parker.THREADS);
    }

    Completion(Parker parker) {
        this.gate = new Gate(PENDING, parker);
    }

    /**
     * Gives the value, which may be null, to all who wait, now and later.
     *
     * @return false, with nothing changed, if there was a value before or this is closed: then nobody gets this one
     */
    @CanIgnoreReturnValue
    public boolean complete(T value) {
        if (!OUTCOME.compareAndSet(this, (Object) null, value == null ? NULL : value)) {
            return false;
        }
        gate.advance(PENDING);
        return true;
    }

    /** Closes without a reason: see {@link #close(Throwable)}. */
    @Override
    public void close() {
        abandon(null);
    }

    /**
     * Says that no value will come: ends every wait, now and later, with {@link ClosedException}; the reason is its cause.
     * If there is a value, or this was closed before, that stays as it is.
     */
    public void close(Throwable reason) {
        abandon(reason);
    }

    private void abandon(@Nullable Throwable reason) {
        if (OUTCOME.compareAndSet(this, (Object) null, ABANDONED)) {
            gate.close(reason);
        }
    }

    /** Whether there is a value. */
    public boolean isComplete() {
        Object now = outcome();
        return now != null && now != ABANDONED;
    }

    /** Whether this was closed before there was a value. */
    public boolean isClosed() {
        return outcome() == ABANDONED;
    }

    /**
     * The value, if there is one.
     *
     * @throws IllegalStateException if there is none yet
     * @throws ClosedException if there will be none
     */
    public T resultNow() {
        Object now = outcome();
        if (now == null) {
            throw new IllegalStateException("There is no value yet: await it, or ask isComplete first");
        }
        if (now == ABANDONED) {
            Gates.awaitUninterruptibly(gate, PENDING);
        }
        return value();
    }

    /**
     * Waits for the value.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     * @throws ClosedException if no value will come
     */
    @CanIgnoreReturnValue
    public T await() throws InterruptedException {
        Results.checkInterrupt();
        if (!isComplete()) {
            Gates.await(gate, PENDING);
        }
        return value();
    }

    /**
     * Waits for the value, for at most this time.
     *
     * @throws TimeoutException if the time was over first
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     * @throws ClosedException if no value will come
     */
    @CanIgnoreReturnValue
    public T await(Duration timeout) throws InterruptedException, TimeoutException {
        Results.checkInterrupt();
        if (!isComplete() && !Gates.await(gate, PENDING, timeout)) {
            throw new TimeoutException("No value came within " + timeout);
        }
        return value();
    }

    /**
     * Waits for the value, whether interrupted or not.
     *
     * @throws ClosedException if no value will come
     */
    @CanIgnoreReturnValue
    public T awaitUninterruptibly() {
        if (!isComplete()) {
            Gates.awaitUninterruptibly(gate, PENDING);
        }
        return value();
    }

    /**
     * Waits for the value without blocking the thread. Completing the future from outside ends the wait.
     *
     * @return the future; failed with {@link ClosedException} if no value will come
     */
    @CheckReturnValue
    public CompletableFuture<T> awaitAsync() {
        return isComplete() ? CompletableFuture.completedFuture(value()) : Gates.awaitAsync(gate, PENDING, this::value);
    }

    /**
     * Lets the waiter be called when there is a value; {@link #resultNow} gives it.
     *
     * @return true if there is a value now, and the waiter is not called; false if the waiter is in the queue
     * @throws IllegalStateException if the waiter waits already
     * @throws ClosedException if no value will come
     */
    @CheckReturnValue
    public boolean await(Waiter waiter) {
        return isComplete() || Gates.await(gate, PENDING, waiter);
    }

    /**
     * Takes the waiter out of the queue.
     *
     * @return false if it is not in the queue: it was never there, or its callback has run or is about to
     */
    public boolean cancel(Waiter waiter) {
        return gate.cancel(waiter.node());
    }

    /** How many wait, threads and callbacks. A snapshot. */
    public int queueLength() {
        return gate.waiting();
    }

    private @Nullable Object outcome() {
        return OUTCOME.getAcquire(this);
    }

    /** The value; only when it is known that there is one. */
    @SuppressWarnings({"unchecked", "NullAway"})
    private T value() {
        Object now = outcome();
        return now == NULL ? null : (T) now;
    }

    @Override
    public String toString() {
        return "Completion["
                + (isComplete() ? "complete: " + value() : (isClosed() ? "" : "pending, ") + Gates.state(gate)) + "]";
    }
}
