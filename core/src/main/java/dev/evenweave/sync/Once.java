// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.Parker;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Purpose. The public face of Initialization without a value: what is kept is that a body has run to its end.

/**
 * Something that is done once, by one of those who need it done.
 *
 * {@snippet :
 * migration.run(() -> database.migrate());
 * }
 *
 * <p><b>Order.</b> The first to come runs its body; the others wait until it has returned, and then all go on. If it throws,
 * the exception is its caller's alone, and the next in the queue runs its own body. Bodies never run at the same time.
 *
 * <p><b>Cancellation.</b> A wait that ends early leaves the queue. A leader that is interrupted passes the lead on when its
 * body has thrown. Cancelling the future of a leader cancels the stage of its body, and passes the lead on when that is
 * complete: at once, if it is a {@link CompletableFuture}.
 *
 * <p><b>Memory.</b> What was done in the body that ran to its end happens-before what is done by whoever has waited for it.
 * Once completed, {@code run} and {@code await} are one acquire load, and look neither at the queue nor, unlike other
 * waits, at the interrupt flag.
 *
 * <p>A body that runs or awaits its own {@code Once} gets an {@link IllegalStateException} where it would wait for itself,
 * if it is not asynchronous.
 *
 * <p>See the {@linkplain dev.evenweave.sync package description} for interruption, time limits and callbacks.
 */
public final class Once extends Initialization<Boolean> {
    /** Makes one that has still to be done. */
    public Once() {
        this(Parker.THREADS);
    }

    Once(Parker parker) {
        super(parker);
    }

    /** Whether a body has run to its end. */
    public boolean isCompleted() {
        return outcome() != null;
    }

    /**
     * Runs the body unless one has run to its end, waiting for the one that may be running.
     *
     * @return whether the body was run by this call
     * @throws E what the body throws
     * @throws InterruptedException if this is not completed and the thread is interrupted on entry, or while it waits to run
     *     its body
     * @throws IllegalStateException if the thread runs a body of this
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> boolean run(ScopedValue.CallableOp<?, E> body) throws E, InterruptedException {
        return outcome() == null && lead(body, false);
    }

    /**
     * Runs the body unless one has run to its end, waiting for the one that may be running.
     *
     * @return whether the body was run by this call
     * @throws InterruptedException if this is not completed and the thread is interrupted on entry, or while it waits to run
     *     its body
     * @throws IllegalStateException if the thread runs a body of this
     */
    @CanIgnoreReturnValue
    public boolean run(Runnable body) throws InterruptedException {
        return outcome() == null && lead(op(body), false);
    }

    /**
     * The same, waiting for at most this time to run its body; the body itself is not limited.
     *
     * @return whether the body was run by this call
     * @throws E what the body throws
     * @throws TimeoutException if the time was over first; the body was not run
     * @throws InterruptedException as {@link #run(ScopedValue.CallableOp)}
     * @throws IllegalStateException if the thread runs a body of this
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> boolean run(ScopedValue.CallableOp<?, E> body, Duration timeout)
            throws E, InterruptedException, TimeoutException {
        return outcome() == null && lead(body, false, timeout);
    }

    /**
     * The same, waiting for at most this time to run its body; the body itself is not limited.
     *
     * @return whether the body was run by this call
     * @throws TimeoutException if the time was over first; the body was not run
     * @throws InterruptedException as {@link #run(Runnable)}
     * @throws IllegalStateException if the thread runs a body of this
     */
    @CanIgnoreReturnValue
    public boolean run(Runnable body, Duration timeout) throws InterruptedException, TimeoutException {
        return run(op(body), timeout);
    }

    /**
     * The same, whether interrupted or not.
     *
     * @return whether the body was run by this call
     * @throws E what the body throws
     * @throws IllegalStateException if the thread runs a body of this
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> boolean runUninterruptibly(ScopedValue.CallableOp<?, E> body) throws E {
        return outcome() == null && leadUninterruptibly(body, false);
    }

    /**
     * The same, whether interrupted or not.
     *
     * @return whether the body was run by this call
     * @throws IllegalStateException if the thread runs a body of this
     */
    @CanIgnoreReturnValue
    public boolean runUninterruptibly(Runnable body) {
        return runUninterruptibly(op(body));
    }

    private static ScopedValue.CallableOp<?, RuntimeException> op(Runnable body) {
        Objects.requireNonNull(body, "body");
        return () -> {
            body.run();
            return null;
        };
    }

    /** Whatever the body gave: it has run to its end. */
    @Override
    Boolean accept(@Nullable Object given) {
        return true;
    }

    /** Another one's body was run. */
    @Override
    Boolean shared() {
        return false;
    }

    /**
     * The same, without blocking the thread: the body is run, when it is its turn, by the thread that passes the lead on, and
     * has the lead until its stage is complete, with any value or null.
     *
     * <p>Completing the future from outside leaves the queue, or cancels the stage of the body.
     *
     * @return the future, complete when a body has run to its end: with true if it was the own one; failed with what that
     *     throws or its stage fails with
     */
    @CheckReturnValue
    public CompletableFuture<Boolean> runAsync(Supplier<? extends CompletionStage<?>> body) {
        return outcome() != null ? CompletableFuture.completedFuture(false) : computeAsync(body, false);
    }

    /**
     * Waits until a body has run to its end, and never runs one.
     *
     * @throws InterruptedException if this is not completed and the thread is interrupted on entry, or while it waits
     * @throws IllegalStateException if the thread runs a body of this
     */
    public void await() throws InterruptedException {
        Pending pending = pendingToBlock();
        if (pending != null) {
            Gates.await(pending.end, 0);
        }
    }

    /**
     * Waits until a body has run to its end, for at most this time, and never runs one.
     *
     * @return false if the time was over first
     * @throws InterruptedException as {@link #await()}
     * @throws IllegalStateException as {@link #await()}
     */
    @CheckReturnValue
    public boolean await(Duration timeout) throws InterruptedException {
        Pending pending = pendingToBlock();
        return pending == null || Gates.await(pending.end, 0, timeout);
    }

    /**
     * Waits until a body has run to its end, whether interrupted or not, and never runs one.
     *
     * @throws IllegalStateException as {@link #await()}
     */
    public void awaitUninterruptibly() {
        Pending pending = pendingToBlock();
        if (pending != null) {
            Gates.awaitUninterruptibly(pending.end, 0);
        }
    }

    /**
     * Waits until a body has run to its end without blocking the thread, and never runs one. Completing the future from
     * outside ends the wait.
     */
    @CheckReturnValue
    public CompletableFuture<@Nullable Void> awaitAsync() {
        Pending pending = pending();
        return pending == null ? CompletableFuture.completedFuture(null) : Gates.awaitAsync(pending.end, 0);
    }

    /**
     * Lets the waiter be called when a body has run to its end.
     *
     * @return true if one has, and the waiter is not called; false if the waiter is in the queue
     * @throws IllegalStateException if the waiter waits already
     */
    @CheckReturnValue
    public boolean await(Waiter waiter) {
        Pending pending = pending();
        return pending == null || Gates.await(pending.end, 0, waiter);
    }

    /**
     * Takes the waiter out of the queue.
     *
     * @return false if it is not in the queue: it was never there, or its callback has run or is about to
     */
    public boolean cancel(Waiter waiter) {
        return cancelAtEnd(waiter);
    }

    /** How many wait, to run a body or for the end of one, threads and callbacks. A snapshot. */
    public int queueLength() {
        return waiting();
    }

    @Override
    public String toString() {
        return "Once[" + (isCompleted() ? "completed" : (isLed() ? "running" : "not run") + ", queued=" + waiting())
                + "]";
    }
}
