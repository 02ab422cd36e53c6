// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Purpose. The public face of Initialization: the value is kept.

/**
 * A place for a value that is computed once, by one of those who ask for it.
 *
 * {@snippet :
 * Connection connection = cell.getOrInit(() -> connect(address));
 * }
 *
 * <p><b>Order.</b> The first to come runs its body; the others wait. When the body returns, its value is kept, and all who
 * wait get it at once. When it throws, the exception is its caller's alone, and the next in the queue runs its own body.
 * Bodies never run at the same time. For a computation that is not to be tried again use {@link Lazy}.
 *
 * <p><b>Cancellation.</b> A wait that ends early leaves the queue. A leader that is interrupted passes the lead on when its
 * body has thrown. Cancelling the future of a leader cancels the stage of its body, and passes the lead on when that is
 * complete: at once, if it is a {@link CompletableFuture}.
 *
 * <p><b>Memory.</b> What was done in the body happens-before what is done by whoever got the value. Getting a value that is
 * there is one acquire load, and looks neither at the queue nor, unlike other waits, at the interrupt flag.
 *
 * <p>A body that asks for the value which it is to compute gets an {@link IllegalStateException} where it would wait for
 * itself, if it is not asynchronous. The value is never null: a body that gives null has failed.
 *
 * <p>See the {@linkplain dev.evenweave.sync package description} for interruption, time limits and callbacks.
 */
public final class OnceCell<T> extends Initialization<T> {
    /** Makes a cell without a value. */
    public OnceCell() {
        this(Parker.THREADS);
    }

    OnceCell(Parker parker) {
        super(parker);
    }

    /** Makes a cell with this value. */
    public static <T> OnceCell<T> of(T value) {
        OnceCell<T> cell = new OnceCell<>();
        cell.initial(Objects.requireNonNull(value, "value"));
        return cell;
    }

    /** The value, or null if there is none. Does not wait. */
    @SuppressWarnings("unchecked")
    public @Nullable T get() {
        return (T) outcome();
    }

    /** Whether there is a value. */
    public boolean isInitialized() {
        return outcome() != null;
    }

    /**
     * Gives the value, computing it or waiting for whoever does.
     *
     * @throws E what the body throws
     * @throws InterruptedException if there is no value and the thread is interrupted on entry, or while it waits to run its
     *     body
     * @throws NullPointerException if the body gives null
     * @throws IllegalStateException if the thread runs a body of this cell
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> T getOrInit(ScopedValue.CallableOp<? extends T, E> body)
            throws E, InterruptedException {
        T now = get();
        return now != null ? now : lead(body, false);
    }

    /**
     * The same, waiting for at most this time to run its body; the body itself is not limited.
     *
     * @throws E what the body throws
     * @throws TimeoutException if the time was over first
     * @throws InterruptedException as {@link #getOrInit(ScopedValue.CallableOp)}
     * @throws NullPointerException if the body gives null
     * @throws IllegalStateException if the thread runs a body of this cell
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> T getOrInit(ScopedValue.CallableOp<? extends T, E> body, Duration timeout)
            throws E, InterruptedException, TimeoutException {
        T now = get();
        return now != null ? now : lead(body, false, timeout);
    }

    /**
     * The same, whether interrupted or not.
     *
     * @throws E what the body throws
     * @throws NullPointerException if the body gives null
     * @throws IllegalStateException if the thread runs a body of this cell
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> T getOrInitUninterruptibly(ScopedValue.CallableOp<? extends T, E> body) throws E {
        T now = get();
        return now != null ? now : leadUninterruptibly(body, false);
    }

    /**
     * The same, without blocking the thread: the body is run, when it is its turn, by the thread that passes the lead on, and
     * has the lead until its stage is complete.
     *
     * <p>Completing the future from outside leaves the queue, or cancels the stage of the body.
     *
     * @return the future of the value; failed with what the body throws or its stage fails with
     */
    @CheckReturnValue
    public CompletableFuture<T> getOrInitAsync(Supplier<? extends CompletionStage<? extends T>> body) {
        T now = get();
        return now != null ? CompletableFuture.completedFuture(now) : computeAsync(body, false);
    }

    /**
     * Gives the cell this value unless it has one, waiting for the body that may be running.
     *
     * @return false if there is a value already, or the body gave one
     * @throws InterruptedException if there is no value and the thread is interrupted on entry, or while it waits
     * @throws IllegalStateException if the thread runs a body of this cell
     */
    @CanIgnoreReturnValue
    public boolean set(T value) throws InterruptedException {
        Objects.requireNonNull(value, "value");
        if (isInitialized()) {
            return false;
        }
        Results.checkInterrupt();
        Pending pending = pendingToBlock();
        if (pending == null || !leads(pending, pending.lead.acquire(1, Mode.INTERRUPTIBLE, WaitQueue.FOREVER))) {
            return false;
        }
        succeed(pending, value);
        return true;
    }

    /**
     * The same, without waiting.
     *
     * @return false if there is a value already, or a body runs or waits to run
     */
    @CheckReturnValue
    public boolean trySet(T value) {
        Objects.requireNonNull(value, "value");
        Pending pending = pending();
        if (pending == null || !pending.lead.tryAcquire(1)) {
            return false;
        }
        succeed(pending, value);
        return true;
    }

    /**
     * Waits for the value, and never computes it.
     *
     * @throws InterruptedException if there is no value and the thread is interrupted on entry, or while it waits
     * @throws IllegalStateException if the thread runs a body of this cell
     */
    @CanIgnoreReturnValue
    public T await() throws InterruptedException {
        Pending pending = pendingToBlock();
        if (pending != null) {
            Gates.await(pending.end, 0);
        }
        return value();
    }

    /**
     * Waits for the value, for at most this time, and never computes it.
     *
     * @throws TimeoutException if the time was over first
     * @throws InterruptedException as {@link #await()}
     * @throws IllegalStateException as {@link #await()}
     */
    @CanIgnoreReturnValue
    public T await(Duration timeout) throws InterruptedException, TimeoutException {
        Pending pending = pendingToBlock();
        if (pending != null && !Gates.await(pending.end, 0, timeout)) {
            throw new TimeoutException("No value came within " + timeout);
        }
        return value();
    }

    /**
     * Waits for the value, whether interrupted or not, and never computes it.
     *
     * @throws IllegalStateException as {@link #await()}
     */
    @CanIgnoreReturnValue
    public T awaitUninterruptibly() {
        Pending pending = pendingToBlock();
        if (pending != null) {
            Gates.awaitUninterruptibly(pending.end, 0);
        }
        return value();
    }

    /**
     * Waits for the value without blocking the thread, and never computes it. Completing the future from outside ends the
     * wait.
     */
    @CheckReturnValue
    public CompletableFuture<T> awaitAsync() {
        Pending pending = pending();
        return pending == null
                ? CompletableFuture.completedFuture(value())
                : Gates.awaitAsync(pending.end, 0, this::value);
    }

    /**
     * Lets the waiter be called when there is a value; {@link #get} gives it.
     *
     * @return true if there is a value now, and the waiter is not called; false if the waiter is in the queue
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

    /** How many wait, to compute the value or only for it, threads and callbacks. A snapshot. */
    public int queueLength() {
        return waiting();
    }

    @Override
    public String toString() {
        T now = get();
        return "OnceCell["
                + (now != null ? "initialized: " + now : (isLed() ? "initializing" : "empty") + ", queued=" + waiting())
                + "]";
    }
}
