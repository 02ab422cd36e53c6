// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.Gate;
import dev.evenweave.wait.Parker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

// Purpose. A flag on which one can wait: a gate whose periods are in turn unset (even) and set (odd).
//
//     unset ── set ──▶ set ── reset ──▶ unset ── set ──▶ ...
//     period 0         1                2
//
// Who waits, waits for the end of an unset period. So those whom a set let go stay let go whatever reset comes after,
// and who comes after the reset waits for the next set. In a set period nobody waits.

/**
 * A flag that is set and reset by hand; while it is set nobody waits.
 *
 * <p><b>Order.</b> {@link #set} lets all go who wait, at once: a {@link #reset} right after it holds none of them back, and
 * who begins to wait after that reset waits for the next set.
 *
 * <p><b>Memory.</b> What was done before a call of {@code set} that found the event unset happens-before what is done after
 * a wait that it ended, or that found the event set.
 *
 * <p>See the {@linkplain dev.evenweave.sync package description} for interruption, cancellation, time limits and
 * callbacks. For an event that lets one go at a time use {@link AutoResetEvent}.
 */
public final class ManualResetEvent {
    final Gate gate;

    /** Makes an event that is not set. */
    public ManualResetEvent() {
        this(false);
    }

    /** Makes an event that is set or not. */
    public ManualResetEvent(boolean set) {
        this(set, Parker.THREADS);
    }

    ManualResetEvent(boolean set, Parker parker) {
        this.gate = new Gate(set ? 1 : 0, parker);
    }

    /** Sets the event and lets all go who wait; does nothing if it is set, or closed. */
    public void set() {
        long now = gate.period();
        while (!isSet(now) && !gate.advance(now) && !gate.isClosed()) {
            now = gate.period();
        }
    }

    /** Makes the event unset; does nothing if it is not set, or closed. */
    public void reset() {
        long now = gate.period();
        while (isSet(now) && !gate.advance(now) && !gate.isClosed()) {
            now = gate.period();
        }
    }

    /** Whether the event is set, so that nobody waits. */
    public boolean isSet() {
        return isSet(gate.period());
    }

    private static boolean isSet(long period) {
        return (period & 1) != 0;
    }

    /** The period to wait for: this one, or one that is over if the event is set. */
    private long unsetPeriod() {
        long now = gate.period();
        return isSet(now) ? now - 1 : now;
    }

    /**
     * Waits until the event is set.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     * @throws ClosedException if the event is not set and is or gets closed
     */
    public void await() throws InterruptedException {
        Gates.await(gate, unsetPeriod());
    }

    /**
     * Waits until the event is set, for at most this time.
     *
     * @return false if the time was over first
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     * @throws ClosedException if the event is not set and is or gets closed
     */
    @CheckReturnValue
    public boolean await(Duration timeout) throws InterruptedException {
        return Gates.await(gate, unsetPeriod(), timeout);
    }

    /**
     * Waits until the event is set, whether interrupted or not.
     *
     * @throws ClosedException if the event is not set and is or gets closed
     */
    public void awaitUninterruptibly() {
        Gates.awaitUninterruptibly(gate, unsetPeriod());
    }

    /**
     * Waits until the event is set without blocking the thread. Completing the future from outside ends the wait.
     *
     * @return the future; failed with {@link ClosedException} if the event is not set and is or gets closed
     */
    @CheckReturnValue
    public CompletableFuture<@Nullable Void> awaitAsync() {
        return Gates.awaitAsync(gate, unsetPeriod());
    }

    /**
     * Lets the waiter be called when the event is set.
     *
     * @return true if it is set now, and the waiter is not called; false if the waiter is in the queue
     * @throws IllegalStateException if the waiter waits already
     * @throws ClosedException if the event is not set and is closed
     */
    @CheckReturnValue
    public boolean await(Waiter waiter) {
        return Gates.await(gate, unsetPeriod(), waiter);
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

    /** Closes without a reason: see {@link #close(Throwable)}. */
    public void close() {
        gate.close(null);
    }

    /**
     * Leaves the event for ever as it is. If it is not set, that ends every wait, now and later, with
     * {@link ClosedException}; the reason is its cause. If it is set, nobody waits. Closing again does nothing.
     */
    public void close(Throwable reason) {
        gate.close(reason);
    }

    public boolean isClosed() {
        return gate.isClosed();
    }

    @Override
    public String toString() {
        return "ManualResetEvent[" + (isSet() ? "set" : "unset") + ", " + Gates.state(gate) + "]";
    }
}
