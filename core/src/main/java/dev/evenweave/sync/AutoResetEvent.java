// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.CallbackWaiter;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.Permits;
import dev.evenweave.wait.WaitFuture;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

// Purpose. A signal for one: Permits of which there is at most one, so that signals nobody waits for become one.

/**
 * A signal that lets one go and is used up by that.
 *
 * <p><b>Order.</b> {@link #set} lets the one go that has waited longest. If nobody waits the signal is kept for the next to
 * come; a second one does not add to it. A signal that was given to somebody cannot be taken by another, nor be reset.
 *
 * <p><b>Cancellation.</b> If a future was given the signal but was completed from outside at the same time, the signal goes
 * to the next, or is kept.
 *
 * <p><b>Memory.</b> What was done before {@code set} happens-before what is done after the wait that got the signal.
 *
 * <p>See the {@linkplain dev.evenweave.sync package description} for interruption, time limits and callbacks. For an event
 * that lets all go use {@link ManualResetEvent}.
 */
public final class AutoResetEvent {
    final Permits signal;

    /** Makes an event without a signal. */
    public AutoResetEvent() {
        this(false);
    }

    /** Makes an event with or without a signal for the first to come. */
    public AutoResetEvent(boolean set) {
        this(set, Parker.THREADS);
    }

    AutoResetEvent(boolean set, Parker parker) {
        this.signal = new Permits(set ? 1 : 0, 1, parker);
    }

    /** Lets the one go that has waited longest, or keeps the signal if nobody waits; does nothing if closed. */
    public void set() {
        signal.releaseUpToMax(1);
    }

    /** Takes back a signal that nobody has got yet. */
    public void reset() {
        signal.drain(1);
    }

    /** Whether there is a signal that nobody has got yet. A snapshot. */
    public boolean isSet() {
        return signal.available() > 0;
    }

    /**
     * Takes the signal if there is one that nobody has got.
     *
     * @throws ClosedException if the event is closed
     */
    @CheckReturnValue
    public boolean tryAwait() {
        if (signal.tryAcquire(1)) {
            return true;
        }
        if (signal.isClosed()) {
            throw Results.closed(signal);
        }
        return false;
    }

    /**
     * Waits for a signal and takes it.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no signal was taken
     * @throws ClosedException if the event is or gets closed
     */
    public void await() throws InterruptedException {
        Results.checkInterrupt();
        Results.check(signal, signal.acquire(1, Mode.INTERRUPTIBLE, WaitQueue.FOREVER));
    }

    /**
     * Waits for a signal and takes it, for at most this time.
     *
     * @return false if the time was over first; no signal was taken
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no signal was taken
     * @throws ClosedException if the event is or gets closed
     */
    @CheckReturnValue
    public boolean await(Duration timeout) throws InterruptedException {
        long nanos = Results.nanos(timeout);
        Results.checkInterrupt();
        return Results.checkTimed(signal, signal.acquire(1, Mode.INTERRUPTIBLE, nanos));
    }

    /**
     * Waits for a signal and takes it, whether interrupted or not.
     *
     * @throws ClosedException if the event is or gets closed
     */
    public void awaitUninterruptibly() {
        Results.checkUninterruptible(signal, signal.acquire(1, Mode.UNINTERRUPTIBLE, WaitQueue.FOREVER));
    }

    /**
     * Waits for a signal and takes it, without blocking the thread. Completing the future from outside ends the wait; if
     * the signal had just been given to it, that goes to the next.
     *
     * @return the future; failed with {@link ClosedException} if the event is or gets closed
     */
    @CheckReturnValue
    public CompletableFuture<@Nullable Void> awaitAsync() {
        if (signal.tryAcquire(1)) {
            return CompletableFuture.completedFuture(null);
        }
        Await future = new Await();
        long now = signal.acquire(1, future.waiter());
        return now == WaitQueue.WAITING ? future : future.settle(now);
    }

    /**
     * Takes the signal, or lets the waiter be called when it has got one.
     *
     * @return true if the signal is taken, and the waiter is not called; false if the waiter is in the queue
     * @throws IllegalStateException if the waiter waits already
     * @throws ClosedException if the event is closed
     */
    @CheckReturnValue
    public boolean await(Waiter waiter) {
        return signal.tryAcquire(1) || Results.checkNow(signal, signal.acquire(1, waiter.node()));
    }

    /**
     * Takes the waiter out of the queue.
     *
     * @return false if it is not in the queue: it was never there, or its callback has run or is about to
     */
    public boolean cancel(Waiter waiter) {
        return signal.cancel(waiter.node());
    }

    /** How many wait, threads and callbacks. A snapshot. */
    public int queueLength() {
        return signal.waiting();
    }

    /** Closes without a reason: see {@link #close(Throwable)}. */
    public void close() {
        signal.close(null);
    }

    /**
     * Ends every wait, now and later, with {@link ClosedException}; the reason is its cause. A signal that nobody has got is
     * lost. Closing again does nothing: the first reason stays.
     */
    public void close(Throwable reason) {
        signal.close(reason);
    }

    public boolean isClosed() {
        return signal.isClosed();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("AutoResetEvent[")
                .append(isSet() ? "set" : "unset")
                .append(", queued=")
                .append(queueLength());
        if (isClosed()) {
            text.append(", closed");
            Throwable reason = signal.reason();
            if (reason != null) {
                text.append(" by ").append(reason);
            }
        }
        return text.append(']').toString();
    }

    private final class Await extends WaitFuture<@Nullable Void> {
        @Override
        protected boolean leave(CallbackWaiter waiter) {
            return signal.cancel(waiter);
        }

        @Override
        protected @Nullable Void granted() {
            return null;
        }

        @Override
        protected Throwable failed(long result) {
            return Results.closed(signal);
        }

        @Override
        protected void giveBack(CallbackWaiter waiter) {
            signal.releaseUpToMax(1);
        }
    }
}
