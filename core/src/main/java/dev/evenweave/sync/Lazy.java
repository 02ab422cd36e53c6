// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.Parker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Purpose. One computation that nobody owns: the first who asks starts it, all wait for it, and who stops waiting does
// not
// stop it. So it must not run on the thread of one of those who wait.
//
//     NEW ── the first get ──▶ RUNNING ──┬── value ────▶ complete
//                                        └── failure ──▶ closed, for ever
//
// `start` is taken by compare-and-set; everything after that is a Completion.

/**
 * A value that is computed when it is first asked for, once, whatever comes of it.
 *
 * {@snippet :
 * static final Lazy<Dictionary> WORDS = Lazy.of(() -> Dictionary.load(path));
 * Dictionary words = WORDS.get();
 * }
 *
 * <p>The computation does not belong to those who wait for it. {@link #of} runs it in a virtual thread of its own, on the
 * scheduler of the thread that asks first, without its scoped values; {@link #ofAsync} waits for a stage. A wait may end
 * early, by an interrupt, a time limit or otherwise; the computation goes on, and who asks next finds what it has come to.
 *
 * <p>If it fails, it has failed: all who ask get a {@link ClosedException} with the failure as its cause. For a computation
 * that is to be tried again use {@link OnceCell}.
 *
 * <p><b>Memory.</b> What was done in the computation happens-before what is done by whoever got its value. Getting a value
 * that is there is one acquire load, and does not look at the interrupt flag.
 *
 * <p>See the {@linkplain dev.evenweave.sync package description} for interruption, time limits and callbacks.
 */
public final class Lazy<T extends @Nullable Object> {
    private static final VarHandle START;

    static {
        try {
            START = MethodHandles.lookup().findVarHandle(Lazy.class, "start", Runnable.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Completion<T> completion;

    /** What begins the computation; null when it was begun. */
    private volatile @Nullable Runnable start;

    /** The thread of the computation, while it runs in one of its own. */
    private volatile @Nullable Thread runner;

    private Lazy(Parker parker) {
        this.completion = new Completion<>(parker);
    }

    /** A value to be computed by this body, in a virtual thread of its own. The body may give null. */
    public static <T extends @Nullable Object> Lazy<T> of(ScopedValue.CallableOp<? extends T, ?> body) {
        return of(body, Parker.THREADS);
    }

    static <T extends @Nullable Object> Lazy<T> of(ScopedValue.CallableOp<? extends T, ?> body, Parker parker) {
        Objects.requireNonNull(body, "body");
        Lazy<T> lazy = new Lazy<>(parker);
        lazy.start = () -> Thread.ofVirtual().name("lazy").start(() -> lazy.run(body));
        return lazy;
    }

    /** A value to be computed by the stage that this body returns; the first who asks runs the body. */
    public static <T extends @Nullable Object> Lazy<T> ofAsync(Supplier<? extends CompletionStage<? extends T>> body) {
        return ofAsync(body, Parker.THREADS);
    }

    static <T extends @Nullable Object> Lazy<T> ofAsync(
            Supplier<? extends CompletionStage<? extends T>> body, Parker parker) {
        Objects.requireNonNull(body, "body");
        Lazy<T> lazy = new Lazy<>(parker);
        lazy.start = () -> lazy.await(body);
        return lazy;
    }

    /** A value that is there already. */
    public static <T extends @Nullable Object> Lazy<T> ofValue(T value) {
        Lazy<T> lazy = new Lazy<>(Parker.THREADS);
        lazy.completion.complete(value);
        return lazy;
    }

    private void run(ScopedValue.CallableOp<? extends T, ?> body) {
        runner = Thread.currentThread();
        T value;
        try {
            value = body.call();
        } catch (Throwable t) {
            runner = null;
            completion.close(t);
            return;
        }
        runner = null;
        completion.complete(value);
    }

    private void await(Supplier<? extends CompletionStage<? extends T>> body) {
        Objects.requireNonNull(body.get(), "The body returned no stage").whenComplete((value, failure) -> {
            if (failure == null) {
                completion.complete(value);
            } else {
                Throwable cause = failure.getCause();
                completion.close(failure instanceof CompletionException && cause != null ? cause : failure);
            }
        });
    }

    /**
     * Begins the computation unless it was begun, without waiting for it.
     *
     * @return whether this call began it
     */
    @CanIgnoreReturnValue
    public boolean start() {
        Runnable begin = start;
        if (begin == null || !START.compareAndSet(this, begin, (Runnable) null)) {
            return false;
        }
        try {
            begin.run();
        } catch (Throwable t) {
            completion.close(t);
        }
        return true;
    }

    /** Begins the computation, for one who will stand still until its end. */
    private void startToBlock() {
        if (!start() && runner == Thread.currentThread()) {
            throw new IllegalStateException(
                    "The computation of this value asks for the value itself: it would wait for ever");
        }
    }

    /**
     * The value, begun to compute if nobody asked before.
     *
     * @throws ClosedException if the computation has failed; its cause is the failure
     * @throws InterruptedException if there is no value yet and the thread is interrupted on entry or while it waits; the
     *     computation goes on
     * @throws IllegalStateException if the thread runs the computation
     */
    public T get() throws InterruptedException {
        if (!completion.isComplete()) {
            Results.checkInterrupt();
            startToBlock();
            return completion.await();
        }
        return completion.resultNow();
    }

    /**
     * The value, begun to compute if nobody asked before, and waited for for at most this time.
     *
     * @throws TimeoutException if the time was over first; the computation goes on
     * @throws ClosedException as {@link #get()}
     * @throws InterruptedException as {@link #get()}
     * @throws IllegalStateException as {@link #get()}
     */
    public T get(Duration timeout) throws InterruptedException, TimeoutException {
        if (!completion.isComplete()) {
            Results.checkInterrupt();
            startToBlock();
            return completion.await(timeout);
        }
        return completion.resultNow();
    }

    /**
     * The value, begun to compute if nobody asked before, and waited for whether interrupted or not.
     *
     * @throws ClosedException as {@link #get()}
     * @throws IllegalStateException as {@link #get()}
     */
    public T getUninterruptibly() {
        if (!completion.isComplete()) {
            startToBlock();
            return completion.awaitUninterruptibly();
        }
        return completion.resultNow();
    }

    /**
     * The value, begun to compute if nobody asked before, without blocking the thread. Completing the future from outside
     * ends the wait; the computation goes on.
     *
     * @return the future; failed with {@link ClosedException} if the computation fails
     */
    @CheckReturnValue
    public CompletableFuture<T> getAsync() {
        start();
        return completion.awaitAsync();
    }

    /**
     * Begins the computation unless it was begun, and lets the waiter be called when there is a value; {@link #resultNow}
     * gives it.
     *
     * @return true if there is a value now, and the waiter is not called; false if the waiter is in the queue
     * @throws ClosedException if the computation has failed; its cause is the failure
     * @throws IllegalStateException if the waiter waits already
     */
    @CheckReturnValue
    public boolean await(Waiter waiter) {
        start();
        return completion.await(waiter);
    }

    /**
     * Takes the waiter out of the queue.
     *
     * @return false if it is not in the queue: it was never there, or its callback has run or is about to
     */
    public boolean cancel(Waiter waiter) {
        return completion.cancel(waiter);
    }

    /** Whether there is a value. */
    public boolean isComplete() {
        return completion.isComplete();
    }

    /** Whether the computation has failed. */
    public boolean isFailed() {
        return completion.isClosed();
    }

    /**
     * The value, if there is one. Begins nothing.
     *
     * @throws IllegalStateException if there is none yet
     * @throws ClosedException if the computation has failed; its cause is the failure
     */
    public T resultNow() {
        return completion.resultNow();
    }

    /** How many wait, threads and callbacks. A snapshot. */
    public int queueLength() {
        return completion.queueLength();
    }

    @Override
    public String toString() {
        if (start != null && !isComplete()) {
            return "Lazy[not begun]";
        }
        String state = completion.toString();
        return "Lazy" + state.substring(state.indexOf('['));
    }
}
