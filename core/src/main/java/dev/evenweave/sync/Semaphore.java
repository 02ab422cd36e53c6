// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.CallbackWaiter;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.Permits;
import dev.evenweave.wait.WaitFuture;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Purpose. The public face of Permits. No state of its own but the limit, which is only a number to compute from.

/**
 * A counting semaphore that serves in the order of asking and hands permits over directly.
 *
 * <p>Some ways to hold a permit, from the shortest to the barest:
 *
 * {@snippet :
 * semaphore.withPermit(() -> call());                  // cannot leak
 * try (Permit permit = semaphore.acquirePermit()) { call(); }
 * semaphore.acquire(); try { call(); } finally { semaphore.release(); }
 * }
 *
 * <p><b>Order.</b> First come, first served, whatever number was asked for: the head of the queue collects what is
 * released until it has enough, and those behind it wait, even if less would do for them. Asking for more than there
 * will ever be therefore blocks the queue until that wait is cancelled. {@code try} methods overtake nobody.
 *
 * <p><b>Permits from nowhere.</b> Whoever releases need not have acquired; {@link #release(long)} then adds permits. Use a
 * {@link Permit} where that must not happen by accident.
 *
 * <p><b>Memory.</b> What was done before a release happens-before what is done after an acquire that got the permit, or
 * any later one.
 *
 * <p>See the {@linkplain dev.evenweave.sync package description} for interruption, cancellation, time limits and
 * callbacks. Partial grants and debt follow Apache Asyncband and Tokio's batch semaphore.
 */
public final class Semaphore {
    private static final VarHandle LIMIT;

    static {
        try {
            LIMIT = MethodHandles.lookup().findVarHandle(Semaphore.class, "limit", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Permits permits;
    private volatile long limit;

    /**
     * Makes a semaphore with so many permits.
     *
     * @throws IllegalArgumentException if the number is negative
     */
    public Semaphore(long permits) {
        this(permits, Parker.THREADS);
    }

    Semaphore(long permits, Parker parker) {
        Results.checkCount("permits", permits);
        this.permits = new Permits(permits, Long.MAX_VALUE, parker);
        this.limit = permits;
    }

    /**
     * Takes a permit, waiting in the queue if there is none.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no permit is held
     * @throws ClosedException if the semaphore is or gets closed
     */
    public void acquire() throws InterruptedException {
        acquire(1);
    }

    /**
     * Takes n permits, waiting in the queue until it has got them all; n = 0 never waits.
     *
     * @throws IllegalArgumentException if n is negative
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no permit is held
     * @throws ClosedException if the semaphore is or gets closed; no permit is held
     */
    public void acquire(long n) throws InterruptedException {
        Results.checkCount("permits", n);
        Results.checkInterrupt();
        if (!permits.tryAcquire(n)) {
            Results.check(permits, permits.acquire(n, Mode.INTERRUPTIBLE, WaitQueue.FOREVER));
        }
    }

    /**
     * Takes a permit, waiting in the queue if there is none, whether interrupted or not.
     *
     * @throws ClosedException if the semaphore is or gets closed
     */
    public void acquireUninterruptibly() {
        acquireUninterruptibly(1);
    }

    /**
     * Takes n permits, waiting in the queue until it has got them all, whether interrupted or not: the interrupt flag is
     * left, or set again, as it was meant.
     *
     * @throws IllegalArgumentException if n is negative
     * @throws ClosedException if the semaphore is or gets closed; no permit is held
     */
    public void acquireUninterruptibly(long n) {
        Results.checkCount("permits", n);
        if (!permits.tryAcquire(n)) {
            Results.checkUninterruptible(permits, permits.acquire(n, Mode.UNINTERRUPTIBLE, WaitQueue.FOREVER));
        }
    }

    /**
     * Takes a permit if there is one and nobody waits for it.
     *
     * @throws ClosedException if the semaphore is closed
     */
    public boolean tryAcquire() {
        return tryAcquire(1);
    }

    /**
     * Takes n permits if they are there and nobody waits; n = 0 succeeds even then.
     *
     * @throws IllegalArgumentException if n is negative
     * @throws ClosedException if the semaphore is closed
     */
    public boolean tryAcquire(long n) {
        Results.checkCount("permits", n);
        if (permits.tryAcquire(n)) {
            return true;
        }
        if (permits.isClosed()) {
            throw Results.closed(permits);
        }
        return false;
    }

    /**
     * Takes a permit, waiting in the queue for at most this time.
     *
     * @return false if the time was over first; then no permit is held
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no permit is held
     * @throws ClosedException if the semaphore is or gets closed
     */
    public boolean tryAcquire(Duration timeout) throws InterruptedException {
        return tryAcquire(1, timeout);
    }

    /**
     * Takes n permits, waiting in the queue for at most this time.
     *
     * @return false if the time was over first; then no permit is held, and what was granted in part went to the next
     * @throws IllegalArgumentException if n is negative
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no permit is held
     * @throws ClosedException if the semaphore is or gets closed; no permit is held
     */
    public boolean tryAcquire(long n, Duration timeout) throws InterruptedException {
        Results.checkCount("permits", n);
        long nanos = Results.nanos(timeout);
        Results.checkInterrupt();
        return Results.checkTimed(permits, permits.acquire(n, Mode.INTERRUPTIBLE, nanos));
    }

    /**
     * Takes a permit without blocking the thread.
     *
     * @return as {@link #acquireAsync(long)}
     */
    @CheckReturnValue
    public CompletableFuture<Permit> acquireAsync() {
        return acquireAsync(1);
    }

    /**
     * Takes n permits without blocking the thread: the future completes with them, in turn with all others who wait.
     *
     * <p>Completing the future from outside, by {@code cancel}, {@code orTimeout} or otherwise, leaves the queue; if the
     * permits had just been granted they go on to the next. That holds for this future, not for those derived from it.
     *
     * @return the future; failed with {@link ClosedException} if the semaphore is or gets closed
     * @throws IllegalArgumentException if n is negative
     */
    @CheckReturnValue
    public CompletableFuture<Permit> acquireAsync(long n) {
        Results.checkCount("permits", n);
        if (permits.tryAcquire(n)) {
            return CompletableFuture.completedFuture(new Permit(this, n));
        }
        Acquire future = new Acquire(n);
        long now = permits.acquire(n, future.waiter());
        return now == WaitQueue.WAITING ? future : future.settle(now);
    }

    /**
     * Takes n permits now, or lets the waiter be called when it has got them.
     *
     * @return true if the permits are taken, and the waiter is not called; false if the waiter is in the queue
     * @throws IllegalArgumentException if n is negative
     * @throws IllegalStateException if the waiter waits already
     * @throws ClosedException if the semaphore is closed
     */
    @CheckReturnValue
    public boolean acquire(long n, Waiter waiter) {
        Results.checkCount("permits", n);
        return permits.tryAcquire(n) || Results.checkNow(permits, permits.acquire(n, waiter.node()));
    }

    /**
     * Takes the waiter out of the queue; what it had been granted in part goes to the next.
     *
     * @return false if it is not in the queue: it was never there, or its callback has run or is about to
     */
    public boolean cancel(Waiter waiter) {
        return permits.cancel(waiter.node());
    }

    /** Gives a permit to whoever has waited longest, or adds it to those available. */
    public void release() {
        release(1);
    }

    /**
     * Gives n permits to those who have waited longest, and adds what is left to those available; n = 0 does nothing.
     *
     * @throws IllegalArgumentException if n is negative
     * @throws IllegalStateException if more permits would be available than a long can hold; nothing changed
     */
    public void release(long n) {
        Results.checkCount("permits", n);
        if (!permits.release(n)) {
            throw overflow(n);
        }
    }

    private IllegalStateException overflow(long n) {
        return new IllegalStateException("Releasing " + n + " permits to " + permits.available()
                + " would exceed Long.MAX_VALUE: more was released than was acquired");
    }

    /**
     * Takes a permit as an object that gives it back when closed.
     *
     * @throws InterruptedException as {@link #acquire()}
     * @throws ClosedException if the semaphore is or gets closed
     */
    @CheckReturnValue
    public Permit acquirePermit() throws InterruptedException {
        return acquirePermit(1);
    }

    /**
     * Takes n permits as an object that gives them back when closed.
     *
     * @throws IllegalArgumentException if n is negative
     * @throws InterruptedException as {@link #acquire(long)}
     * @throws ClosedException if the semaphore is or gets closed
     */
    @CheckReturnValue
    public Permit acquirePermit(long n) throws InterruptedException {
        acquire(n);
        return new Permit(this, n);
    }

    /**
     * Takes n permits as an object that gives them back when closed, if they are there and nobody waits.
     *
     * @throws IllegalArgumentException if n is negative
     * @throws ClosedException if the semaphore is closed
     */
    @CheckReturnValue
    public Optional<Permit> tryAcquirePermit(long n) {
        return tryAcquire(n) ? Optional.of(new Permit(this, n)) : Optional.empty();
    }

    /**
     * Runs the body with a permit, which is given back however the body ends.
     *
     * @return what the body returns
     * @throws E what the body throws
     * @throws InterruptedException if the thread is interrupted before it has the permit; the body did not run
     * @throws ClosedException if the semaphore is or gets closed before that
     */
    public <T extends @Nullable Object, E extends Throwable> T withPermit(ScopedValue.CallableOp<T, E> body)
            throws E, InterruptedException {
        acquire(1);
        try {
            return body.call();
        } finally {
            release(1);
        }
    }

    /**
     * Runs the body with a permit, which is given back however the body ends.
     *
     * @throws InterruptedException if the thread is interrupted before it has the permit; the body did not run
     * @throws ClosedException if the semaphore is or gets closed before that
     */
    public void withPermit(Runnable body) throws InterruptedException {
        acquire(1);
        try {
            body.run();
        } finally {
            release(1);
        }
    }

    /**
     * Runs the body with a permit, which is given back when the stage that the body returns is completed, or when the
     * body throws or returns null.
     *
     * <p>Completing the returned future from outside, by {@code cancel} for instance, leaves the queue if the body has not
     * begun. A body that has begun goes on, and the permit stays taken until its stage completes.
     *
     * @return the outcome of the body's stage
     */
    @CheckReturnValue
    public <T extends @Nullable Object> CompletableFuture<T> withPermitAsync(
            Supplier<? extends CompletionStage<T>> body) {
        return AsyncBody.run(acquireAsync(1), Permit::close, body);
    }

    /** The permits that could be taken now; those granted in part to a waiter are not among them. A snapshot. */
    public long availablePermits() {
        return permits.available();
    }

    /**
     * Takes all permits that are available, never waiting and never from those who wait.
     *
     * @return how many
     */
    public long drainPermits() {
        return drainPermits(Long.MAX_VALUE);
    }

    /**
     * Takes the permits that are available, at most so many, never waiting and never from those who wait.
     *
     * @return how many
     * @throws IllegalArgumentException if the number is negative
     */
    public long drainPermits(long atMost) {
        Results.checkCount("permits", atMost);
        return permits.drain(atMost);
    }

    /**
     * Makes n permits vanish without waiting: those that are available at once, the rest as {@linkplain #debt() debt}, that
     * the next releases repay before anybody who waits gets a permit.
     *
     * @throws IllegalArgumentException if n is negative
     */
    public void reducePermits(long n) {
        Results.checkCount("permits", n);
        permits.reduce(n);
    }

    /** What is still to vanish after {@link #reducePermits} or {@link #resize}. A snapshot. */
    public long debt() {
        return permits.debt();
    }

    /** The number of permits that this was made with or resized to last. */
    public long limit() {
        return limit;
    }

    /**
     * Makes the limit another: adds the difference as if released, or makes it vanish as {@link #reducePermits} does.
     * Nobody's permits are revoked: a smaller limit holds as soon as enough are released.
     *
     * @throws IllegalArgumentException if the limit is negative
     * @throws IllegalStateException if more permits would be available than a long can hold; nothing changed
     */
    public void resize(long newLimit) {
        Results.checkCount("limit", newLimit);
        long before = (long) LIMIT.getAndSet(this, newLimit);
        if (newLimit > before) {
            if (!permits.release(newLimit - before)) {
                LIMIT.getAndAdd(this, before - newLimit);
                throw overflow(newLimit - before);
            }
        } else {
            permits.reduce(before - newLimit);
        }
    }

    /** How many wait, threads and callbacks. A snapshot. */
    public int queueLength() {
        return permits.waiting();
    }

    /** Closes without a reason: see {@link #close(Throwable)}. */
    public void close() {
        permits.close(null);
    }

    /**
     * Ends every wait, now and later, with {@link ClosedException}; the reason is its cause. Permits that are held can
     * still be released. Closing again does nothing: the first reason stays.
     */
    public void close(Throwable reason) {
        permits.close(reason);
    }

    public boolean isClosed() {
        return permits.isClosed();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Semaphore[available=")
                .append(availablePermits())
                .append(", limit=")
                .append(limit)
                .append(", queued=")
                .append(queueLength());
        long debt = debt();
        if (debt > 0) {
            text.append(", debt=").append(debt);
        }
        if (isClosed()) {
            text.append(", closed");
            Throwable reason = permits.reason();
            if (reason != null) {
                text.append(" by ").append(reason);
            }
        }
        return text.append(']').toString();
    }

    private final class Acquire extends WaitFuture<Permit> {
        private final long n;

        Acquire(long n) {
            this.n = n;
        }

        @Override
        protected boolean leave(CallbackWaiter waiter) {
            return permits.cancel(waiter);
        }

        @Override
        protected Permit granted() {
            return new Permit(Semaphore.this, n);
        }

        @Override
        protected Throwable failed(long result) {
            return Results.closed(permits);
        }

        @Override
        protected void giveBack(CallbackWaiter waiter) {
            release(n);
        }
    }
}
