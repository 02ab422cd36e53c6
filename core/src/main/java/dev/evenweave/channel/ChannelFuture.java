// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import dev.evenweave.wait.Callback;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

// Purpose. A send or receive that waits as a future.
//
// Who completes it. While it stands in the queue, whoever wants to complete it from outside (cancel, complete,
// orTimeout, ...) must take it out first, under the lock of the channel; once a granter has taken it out, only the
// granter's callback completes it. So an element that was granted has a future to go to, and none is lost or doubled.

/**
 * An operation that waits in a queue of a channel. Completing it from outside, by {@code cancel} or {@code orTimeout} for
 * instance, takes it out of the queue: then nothing has been sent or received. If the channel has served it already,
 * that is too late, and returns false.
 */
final class ChannelFuture<T extends @Nullable Object> extends CompletableFuture<T> {
    private final Channel<?> channel;
    private final boolean sends;
    final Waiting party = new Waiting();

    ChannelFuture(Channel<?> channel, boolean sends) {
        this.channel = channel;
        this.sends = sends;
    }

    /** What stands in the queue for the future. */
    final class Waiting extends Party {
        private @Nullable Object outcome;

        private final Callback completion = new Callback() {
            @Override
            protected void call() {
                settle(outcome);
            }
        };

        @Override
        @Nullable
        Object finish(@Nullable Object granted) {
            waiter = null;
            outcome = granted;
            return completion;
        }
    }

    /** Completes it with what the channel gave. */
    @SuppressWarnings("unchecked")
    void settle(@Nullable Object outcome) {
        if (outcome == Channel.CLOSED) {
            super.completeExceptionally(channel.closedException());
        } else {
            super.complete((T) outcome);
        }
    }

    @Override
    public boolean complete(T value) {
        return left() && super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return left() && super.completeExceptionally(failure);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return left() ? super.cancel(mayInterruptIfRunning) : isCancelled();
    }

    /** Dependents are plain futures: cancelling one of them does not leave the queue. */
    @Override
    public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }

    private boolean left() {
        return channel.withdraw(party, sends);
    }
}
