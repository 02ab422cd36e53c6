// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import dev.evenweave.wait.CallbackWaiter;
import dev.evenweave.wait.Gate;
import dev.evenweave.wait.WaitFuture;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Purpose. The faces of waiting for the end of a gate's period, written once for all classes that have a gate.

/** Waits for the end of a period in every manner. */
final class Gates {
    private Gates() {}

    static void await(Gate gate, long seen) throws InterruptedException {
        Results.checkInterrupt();
        Results.check(gate, gate.await(seen, Mode.INTERRUPTIBLE, WaitQueue.FOREVER));
    }

    static boolean await(Gate gate, long seen, Duration timeout) throws InterruptedException {
        long nanos = Results.nanos(timeout);
        Results.checkInterrupt();
        return Results.checkTimed(gate, gate.await(seen, Mode.INTERRUPTIBLE, nanos));
    }

    static void awaitUninterruptibly(Gate gate, long seen) {
        Results.checkUninterruptible(gate, gate.await(seen, Mode.UNINTERRUPTIBLE, WaitQueue.FOREVER));
    }

    static CompletableFuture<@Nullable Void> awaitAsync(Gate gate, long seen) {
        return awaitAsync(gate, seen, () -> null);
    }

    /** @param value gives what the future completes with */
    static <T extends @Nullable Object> CompletableFuture<T> awaitAsync(
            Gate gate, long seen, Supplier<? extends T> value) {
        if (gate.period() != seen) {
            return CompletableFuture.completedFuture(value.get());
        }
        Await<T> future = new Await<>(gate, value);
        long now = gate.await(seen, future.waiter());
        return now == WaitQueue.WAITING ? future : future.settle(now);
    }

    static boolean await(Gate gate, long seen, Waiter waiter) {
        return Results.checkNow(gate, gate.await(seen, waiter.node()));
    }

    /** The end of the text of a {@code toString}: how many wait, and whether it is closed and why. */
    static String state(Gate gate) {
        String queued = "queued=" + gate.waiting();
        if (!gate.isClosed()) {
            return queued;
        }
        Throwable reason = gate.reason();
        return queued + (reason == null ? ", closed" : ", closed by " + reason);
    }

    /** A wait for the end of a period that is a future. */
    static final class Await<T extends @Nullable Object> extends WaitFuture<T> {
        private final Gate gate;
        private final Supplier<? extends T> value;

        Await(Gate gate, Supplier<? extends T> value) {
            this.gate = gate;
            this.value = value;
        }

        @Override
        protected boolean leave(CallbackWaiter waiter) {
            return gate.cancel(waiter);
        }

        @Override
        protected T granted() {
            return value.get();
        }

        @Override
        protected Throwable failed(long result) {
            return Results.closed(gate);
        }

        @Override
        protected void giveBack(CallbackWaiter waiter) {
            // Nothing was taken.
        }
    }
}
