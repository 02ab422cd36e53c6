// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Purpose. "Take it, run the body, give it back" where taking and the body are both asynchronous. What was taken is
// given
// back exactly once however the body ends: its stage completes, it throws before it returns a stage, it returns null,
// or
// nobody wants the result any more before it began.

/** The future of a body that runs with something held. */
final class AsyncBody<T extends @Nullable Object> extends CompletableFuture<T> {
    private final CompletableFuture<?> taking;

    private AsyncBody(CompletableFuture<?> taking) {
        this.taking = taking;
    }

    static <G, T extends @Nullable Object> CompletableFuture<T> run(
            CompletableFuture<G> taking, Consumer<? super G> giveBack, Supplier<? extends CompletionStage<T>> body) {
        Objects.requireNonNull(body, "body");
        AsyncBody<T> result = new AsyncBody<>(taking);
        taking.whenComplete((held, failure) -> {
            if (failure != null) {
                result.fail(failure);
            } else {
                result.runBody(held, giveBack, body);
            }
        });
        // Whoever completes the result from outside no longer wants to wait.
        result.whenComplete((value, failure) -> taking.cancel(false));
        return result;
    }

    private <G> void runBody(G held, Consumer<? super G> giveBack, Supplier<? extends CompletionStage<T>> body) {
        if (isDone()) {
            giveBack.accept(held);
            return;
        }
        CompletionStage<T> stage;
        try {
            stage = Objects.requireNonNull(body.get(), "the body returned no stage");
        } catch (Throwable t) {
            try {
                giveBack.accept(held);
            } finally {
                // If somebody's callback threw, too.
                fail(t);
            }
            return;
        }
        stage.whenComplete((value, failure) -> {
            try {
                giveBack.accept(held);
            } finally {
                if (failure != null) {
                    fail(failure);
                } else {
                    complete(value);
                }
            }
        });
    }

    private void fail(Throwable failure) {
        completeExceptionally(
                failure instanceof CompletionException wrapped && wrapped.getCause() != null
                        ? wrapped.getCause()
                        : failure);
    }

    @Override
    public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }
}
