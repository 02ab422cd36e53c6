// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Purpose. A callback waiter with the face of a CompletableFuture. Whoever completes the future first decides: the
// queue, and the result is in it; or somebody else (cancel, orTimeout, complete), and the waiter leaves the queue. If
// both came at once and the queue lost, what it granted is given back.

/**
 * A wait as a future: completing it from outside, by {@code cancel} or {@code orTimeout} for instance, takes the waiter
 * out of the queue.
 */
public abstract class WaitFuture<T extends @Nullable Object> extends CompletableFuture<T> {
    private final CallbackWaiter waiter = new CallbackWaiter() {
        @Override
        protected void completed(WaitQueue queue, long result) {
            settle(result);
        }
    };

    protected WaitFuture() {}

    /** Takes the waiter out of its queue; false if its result is on the way. */
    protected abstract boolean leave(CallbackWaiter waiter);

    /** What the future gives for GRANTED. */
    protected abstract @Nullable T granted();

    /** What the future fails with for another result. */
    protected abstract Throwable failed(long result);

    /** The queue granted, but the future was completed from outside: gives back what {@link #granted} would stand for. */
    protected abstract void giveBack(CallbackWaiter waiter);

    /** The waiter to put into the queue. */
    public final CallbackWaiter waiter() {
        return waiter;
    }

    /** Completes the future with the result, which the queue gave at once or later. */
    public final WaitFuture<T> settle(long result) {
        if (result != WaitQueue.GRANTED) {
            super.completeExceptionally(failed(result));
        } else if (isDone() || !completeGranted()) {
            giveBack(waiter);
        }
        return this;
    }

    private boolean completeGranted() {
        T value;
        try {
            value = granted();
        } catch (Throwable t) {
            // Out of memory, say: nobody will ever hold what was granted.
            super.completeExceptionally(t);
            return false;
        }
        return super.complete(value);
    }

    @Override
    public boolean complete(T value) {
        return super.complete(value) && left();
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return super.completeExceptionally(failure) && left();
    }

    /** As in the superclass, which would complete this without a word to {@link #complete}. */
    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        Objects.requireNonNull(supplier, "supplier");
        executor.execute(() -> {
            if (!isDone()) {
                T value;
                try {
                    value = supplier.get();
                } catch (Throwable t) {
                    completeExceptionally(t);
                    return;
                }
                complete(value);
            }
        });
        return this;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean wasDone = isDone();
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        if (cancelled && !wasDone) {
            left();
        }
        return cancelled;
    }

    /** Dependents are plain futures: cancelling one of them does not leave the queue. */
    @Override
    public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }

    private boolean left() {
        leave(waiter);
        return true;
    }
}
