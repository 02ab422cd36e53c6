// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Futures of guards that keep what a future of a hold promises: completing them from outside leaves the queue. */
final class Guards {
    private Guards() {}

    static <H extends Hold, G> CompletableFuture<G> map(CompletableFuture<H> taking, Function<? super H, G> guard) {
        Mapped<G> result = new Mapped<>();
        taking.whenComplete((hold, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
                return;
            }
            G made;
            try {
                made = guard.apply(hold);
            } catch (Throwable t) {
                result.completeExceptionally(t);
                hold.close();
                return;
            }
            if (!result.complete(made)) {
                hold.close();
            }
        });
        result.whenComplete((value, failure) -> taking.cancel(false));
        return result;
    }

    /** Takes one after the other and makes one hold of both, which it ends. */
    static <H extends Hold> CompletableFuture<H> both(
            CompletableFuture<Hold> first, Supplier<CompletableFuture<Hold>> second, BiFunction<Hold, Hold, H> join) {
        Mapped<H> result = new Mapped<>();
        first.whenComplete((one, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
                return;
            }
            CompletableFuture<Hold> next = second.get();
            next.whenComplete((other, nextFailure) -> {
                if (nextFailure != null) {
                    one.close();
                    result.completeExceptionally(nextFailure);
                    return;
                }
                H both = join.apply(one, other);
                if (!result.complete(both)) {
                    both.close();
                }
            });
            result.whenComplete((value, end) -> next.cancel(false));
        });
        result.whenComplete((value, end) -> first.cancel(false));
        return result;
    }

    private static final class Mapped<G> extends CompletableFuture<G> {
        @Override
        public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }
    }
}
