// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import dev.evenweave.wait.CallbackWaiter;
import dev.evenweave.wait.Gate;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.Permits;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Purpose. "One computes, the others wait for it and share": the engine of Once, OnceCell, OnceMap and SingleFlight.
//
// States.
//
//              first to come            body returned
//   EMPTY ───────────────────▶ LED ───────────────────────▶ DONE    all who wait get the outcome, in one broadcast
//     ▲                         │ ▲
//     │  nobody waits           │ │ the next in the queue leads, with its own body
//     └─────────────────────────┴─┘
//        body failed, or the leader was cancelled: the lead passes on
//        (a shared failure, which only SingleFlight knows, makes it DONE)
//
// The lead is a permit of one. Who wants to compute waits for it; who only wants to know waits at a gate. Both are made
// for the first to come, and dropped when there is an outcome: a cell that is done costs two references.
//
// Invariants.
//   I1  At most one body runs at a time, and none begins once there is an outcome: who has the lead of a Pending has it
//       while `outcome` is null, since the outcome is written by the leader, before its lead is closed.
//   I2  The lead is passed on exactly once by each leader that does not succeed, whatever its body throws.
//   I3  A Pending is dropped only after the outcome is there. So who finds none, makes one, and then still finds no
//       outcome, has made the only one.
//   I4  What those who wait get is not given one by one: closing the lead lets all go.
//
// Memory order. `outcome` is written with release, then `pending` is cleared with release; readers load `pending`
// before
// `outcome`. The fast path is one acquire load of `outcome`.
//
// Who may touch what. `outcome`: written by the leader, read by anyone. `pending`: set by anyone by compare-and-set
// from
// null, cleared by the leader that succeeded, or by who made one too late. `owner`: written by the leader, read by
// anyone
// to find only itself.
//
// Why not simpler. Passing the permit from one waiter to the next after success costs a chain of n wake-ups, each
// waiting
// for the one before.

/** A computation that is done once, by one of those who ask. */
abstract class Initialization<T> {
    private static final VarHandle OUTCOME;
    private static final VarHandle PENDING;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OUTCOME = lookup.findVarHandle(Initialization.class, "outcome", Object.class);
            PENDING = lookup.findVarHandle(Initialization.class, "pending", Pending.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long OPEN_END = 0;

    /** The value, or a {@link Failure}. */
    @SuppressWarnings("unused")
    private @Nullable Object outcome;

    @SuppressWarnings("unused")
    private @Nullable Pending pending;

    private final Parker parker;

    Initialization(Parker parker) {
        this.parker = parker;
    }

    /** Where those wait who came before the outcome. */
    static final class Pending {
        final Permits lead;
        final Gate end;

        /** The thread whose body runs now; null for an asynchronous body. */
        private volatile @Nullable Thread owner;

        Pending(Parker parker) {
            this.lead = new Permits(1, 1, parker);
            this.end = new Gate(OPEN_END, parker);
        }
    }

    /** A failure that all share. */
    record Failure(Throwable cause) {}

    /** The outcome, null if there is none: one acquire load. */
    final @Nullable Object outcome() {
        return OUTCOME.getAcquire(this);
    }

    /** The value; only when it is known that there is an outcome. */
    @SuppressWarnings("unchecked")
    final T value() {
        Object now = Objects.requireNonNull(outcome());
        if (now instanceof Failure failure) {
            throw new CompletionException(failure.cause());
        }
        return (T) now;
    }

    /** Gives a new one its value, before anybody else can see it. */
    final void initial(T value) {
        OUTCOME.setRelease(this, value);
    }

    /** Where to wait, null if there is an outcome. */
    final @Nullable Pending pending() {
        Pending present = (Pending) PENDING.getAcquire(this);
        if (outcome() != null) {
            return null;
        }
        if (present != null) {
            return present;
        }
        Pending fresh = new Pending(parker);
        Pending other = (Pending) PENDING.compareAndExchange(this, (Pending) null, fresh);
        if (outcome() != null) {
            // Too late: nobody else uses it (I3).
            PENDING.compareAndSet(this, fresh, (Pending) null);
            return null;
        }
        return other == null ? fresh : other;
    }

    /**
     * As {@link #pending}, for a thread that will stand still.
     *
     * @throws IllegalStateException if the thread waits for itself
     */
    final @Nullable Pending pendingToBlock() {
        Pending present = pending();
        if (present != null && present.owner == Thread.currentThread()) {
            throw new IllegalStateException("The body that is to give the value waits for that value itself: "
                    + "it must not ask what it computes");
        }
        return present;
    }

    /** Waits to run the body and runs it, or shares the outcome of another one. */
    final <E extends Throwable> T lead(ScopedValue.CallableOp<?, E> body, boolean shares)
            throws E, InterruptedException {
        Results.checkInterrupt();
        Pending pending = pendingToBlock();
        return pending != null && leads(pending, pending.lead.acquire(1, Mode.INTERRUPTIBLE, WaitQueue.FOREVER))
                ? compute(pending, body, shares)
                : shared();
    }

    /** The same, waiting for at most this time. */
    final <E extends Throwable> T lead(ScopedValue.CallableOp<?, E> body, boolean shares, Duration timeout)
            throws E, InterruptedException, TimeoutException {
        long nanos = Results.nanos(timeout);
        Results.checkInterrupt();
        Pending pending = pendingToBlock();
        if (pending == null) {
            return shared();
        }
        long result = pending.lead.acquire(1, Mode.INTERRUPTIBLE, nanos);
        if (result == WaitQueue.TIMED_OUT) {
            throw new TimeoutException("The one that computes did not end within " + timeout);
        }
        return leads(pending, result) ? compute(pending, body, shares) : shared();
    }

    /** The same, whether interrupted or not. */
    final <E extends Throwable> T leadUninterruptibly(ScopedValue.CallableOp<?, E> body, boolean shares) throws E {
        Pending pending = pendingToBlock();
        return pending != null && pending.lead.acquire(1, Mode.UNINTERRUPTIBLE, WaitQueue.FOREVER) == WaitQueue.GRANTED
                ? compute(pending, body, shares)
                : shared();
    }

    /** Whether the thread leads now; false if there is an outcome. */
    static boolean leads(Pending pending, long result) throws InterruptedException {
        if (result < 0) {
            return false;
        }
        Results.check(pending.lead, result);
        return true;
    }

    /**
     * Runs the body, as the leader.
     *
     * @param shares whether a failure, unless it is a cancellation, is the outcome for all who wait
     */
    private <E extends Throwable> T compute(Pending led, ScopedValue.CallableOp<?, E> body, boolean shares) throws E {
        T value;
        led.owner = Thread.currentThread();
        try {
            value = accept(body.call());
        } catch (Throwable t) {
            led.owner = null;
            fail(led, t, shares);
            throw t;
        }
        led.owner = null;
        succeed(led, value);
        return value;
    }

    /** What the body gave, as the value. */
    @SuppressWarnings("unchecked")
    T accept(@Nullable Object given) {
        return (T) Objects.requireNonNull(given, "The body gave null, which is no value: nothing is kept");
    }

    /** What one who only shares gets, when there is an outcome. */
    T shared() {
        return value();
    }

    /** The leader has the value: lets all go. */
    final void succeed(Pending led, T value) {
        finish(led, value, null);
    }

    private void fail(Pending led, Throwable failure, boolean shares) {
        try {
            if (shares && !isCancellation(failure)) {
                finish(led, new Failure(failure), failure);
            } else {
                giveUp(led);
            }
        } catch (Throwable t) {
            // Of a callback.
            if (t != failure) {
                failure.addSuppressed(t);
            }
        }
    }

    private static boolean isCancellation(Throwable failure) {
        return failure instanceof InterruptedException || failure instanceof CancellationException;
    }

    /** There is to be an outcome, which nobody sees yet. */
    void finishing() {}

    private void finish(Pending led, Object result, @Nullable Throwable failure) {
        try {
            finishing();
        } finally {
            OUTCOME.setRelease(this, result);
            PENDING.setRelease(this, (Pending) null);
            letGo(led, failure);
        }
    }

    private static void letGo(Pending led, @Nullable Throwable failure) {
        try {
            led.lead.close(failure);
        } finally {
            if (failure == null) {
                led.end.advance(OPEN_END);
            } else {
                led.end.close(failure);
            }
        }
    }

    /** The leader has no value: the next in the queue leads. */
    final void giveUp(Pending led) {
        led.lead.release(1);
    }

    /** How many wait, to lead or to know. A snapshot. */
    final int waiting() {
        Pending present = (Pending) PENDING.getAcquire(this);
        return present == null ? 0 : present.lead.waiting() + present.end.waiting();
    }

    /** Whether somebody computes now. A snapshot. */
    final boolean isLed() {
        Pending present = (Pending) PENDING.getAcquire(this);
        return present != null && outcome() == null && present.lead.available() == 0;
    }

    /** Takes the waiter out of the queue of those who want to know. */
    final boolean cancelAtEnd(Waiter waiter) {
        Pending present = (Pending) PENDING.getAcquire(this);
        return present != null && present.end.cancel(waiter.node());
    }

    /** Computes without blocking the thread, or waits for whoever does. */
    final CompletableFuture<T> computeAsync(Supplier<? extends CompletionStage<?>> body, boolean shares) {
        Objects.requireNonNull(body, "body");
        return new Async<>(this, body, shares).begin();
    }

    /**
     * The asynchronous leader, or one who would be.
     *
     * <p>Completing it from outside leaves the queue. If its body has begun, its stage is cancelled, and the lead passes on
     * when the stage is complete: for a CompletableFuture that is at once. Should it complete with a value all the same,
     * that is the value. So never do two bodies run at a time (I1).
     */
    private static final class Async<T> extends CompletableFuture<T> {
        private final Initialization<T> home;
        private final Supplier<? extends CompletionStage<?>> body;
        private final boolean shares;
        private volatile @Nullable Pending at;
        private volatile @Nullable CompletionStage<?> stage;

        private final CallbackWaiter waiter = new CallbackWaiter() {
            @Override
            protected void completed(WaitQueue queue, long result) {
                settle(result);
            }
        };

        Async(Initialization<T> home, Supplier<? extends CompletionStage<?>> body, boolean shares) {
            this.home = home;
            this.body = body;
            this.shares = shares;
        }

        CompletableFuture<T> begin() {
            Pending pending = home.pending();
            at = pending;
            settle(pending == null ? WaitQueue.CLOSED : pending.lead.acquire(1, waiter));
            return this;
        }

        private void settle(long result) {
            if (result == WaitQueue.GRANTED) {
                lead(Objects.requireNonNull(at));
            } else if (result < 0) {
                takeOutcome();
            }
        }

        private void takeOutcome() {
            try {
                super.complete(home.shared());
            } catch (CompletionException e) {
                super.completeExceptionally(Objects.requireNonNull(e.getCause()));
            }
        }

        private void lead(Pending led) {
            if (isDone()) {
                home.giveUp(led);
                return;
            }
            CompletionStage<?> running;
            try {
                running = Objects.requireNonNull(body.get(), "The body returned no stage");
            } catch (Throwable t) {
                fail(led, t);
                return;
            }
            stage = running;
            if (isDone()) {
                // From outside, before it could see the stage.
                cancelStage();
            }
            running.whenComplete((given, failure) -> end(led, given, failure));
        }

        private void end(Pending led, @Nullable Object given, @Nullable Throwable failure) {
            if (failure != null) {
                fail(led, unwrapped(failure));
                return;
            }
            T value;
            try {
                value = home.accept(given);
            } catch (Throwable t) {
                fail(led, t);
                return;
            }
            try {
                home.succeed(led, value);
            } finally {
                super.complete(value);
            }
        }

        private void fail(Pending led, Throwable failure) {
            // First, so that one whose failure is its own does not hear of the next leader's value.
            super.completeExceptionally(failure);
            home.fail(led, failure, shares);
        }

        private static Throwable unwrapped(Throwable failure) {
            Throwable cause = failure.getCause();
            return failure instanceof CompletionException && cause != null ? cause : failure;
        }

        @Override
        public boolean complete(T value) {
            return super.complete(value) && left();
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            return super.completeExceptionally(failure) && left();
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

        private boolean left() {
            Pending pending = at;
            if (pending != null && !pending.lead.cancel(waiter)) {
                cancelStage();
            }
            return true;
        }

        private void cancelStage() {
            CompletionStage<?> running = stage;
            if (running != null) {
                running.toCompletableFuture().cancel(true);
            }
        }

        /** Dependents are plain futures: cancelling one of them does not leave the queue. */
        @Override
        public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }
    }
}
