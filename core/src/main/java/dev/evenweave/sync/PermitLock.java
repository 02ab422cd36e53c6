// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.CallbackWaiter;
import dev.evenweave.wait.Permits;
import dev.evenweave.wait.WaitFuture;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Purpose. Every face of a lock, once: a lock is a number of permits to take and to give back, and what the kinds of
// lock add is who is known to hold it.
//
// Who may touch what. Subclasses that know their owner keep it in a field of their own, written by the owner alone
// while
// it holds the lock. A thread that reads it asks only "is it me", and for that its own last write is what it sees.

/**
 * What all locks of this package can do. Not re-entrant. See the {@linkplain dev.evenweave.sync package description} for
 * order, interruption, cancellation, time limits, callbacks and memory effects, which hold for each method here.
 *
 * @param <H> how the lock is held as an object
 */
abstract class PermitLock<H extends Hold> implements Lock, Hold.Held {
    final Permits permits;

    /** How many permits the lock takes. */
    final long share;

    PermitLock(Permits permits, long share) {
        this.permits = permits;
        this.share = share;
    }

    /** Takes the lock if it is free and nobody waits. */
    abstract boolean tryTake();

    /** Gives the lock back; false if nobody can have held it. */
    abstract boolean give();

    /** The lock was taken by the current thread. */
    abstract void entered();

    /**
     * The current thread is about to wait.
     *
     * @throws IllegalStateException if it would wait for itself
     */
    abstract void checkNotOwn();

    /**
     * The current thread is about to unlock.
     *
     * @throws IllegalMonitorStateException if it is known that it does not hold the lock
     */
    abstract void leaving();

    /** Somebody unlocks what a hold or a waiter took; nobody is known to hold it after this. */
    abstract void forgetOwner();

    abstract H newHold();

    /**
     * Takes the lock, waiting in the queue whether interrupted or not.
     *
     * @throws IllegalStateException if the current thread is known to hold it
     */
    @Override
    public void lock() {
        if (!tryTake()) {
            checkNotOwn();
            Results.checkUninterruptible(permits, permits.acquire(share, Mode.UNINTERRUPTIBLE, WaitQueue.FOREVER));
        }
        entered();
    }

    /**
     * Takes the lock, waiting in the queue.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; the lock is not held
     * @throws IllegalStateException if the current thread is known to hold it
     */
    @Override
    public void lockInterruptibly() throws InterruptedException {
        Results.checkInterrupt();
        if (!tryTake()) {
            checkNotOwn();
            Results.check(permits, permits.acquire(share, Mode.INTERRUPTIBLE, WaitQueue.FOREVER));
        }
        entered();
    }

    /** Takes the lock if it is free and nobody waits for it. */
    @Override
    public boolean tryLock() {
        if (!tryTake()) {
            return false;
        }
        entered();
        return true;
    }

    /**
     * Takes the lock, waiting in the queue for at most this time.
     *
     * @return false if the time was over first; then the lock is not held
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; the lock is not held
     * @throws IllegalStateException if the current thread is known to hold it and would have to wait
     */
    public boolean tryLock(Duration timeout) throws InterruptedException {
        return tryLock(Results.nanos(timeout), TimeUnit.NANOSECONDS);
    }

    /** As {@link #tryLock(Duration)}. */
    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        long nanos = unit.toNanos(time);
        Results.checkInterrupt();
        if (!tryTake()) {
            if (nanos <= 0) {
                return false;
            }
            checkNotOwn();
            if (!Results.checkTimed(permits, permits.acquire(share, Mode.INTERRUPTIBLE, nanos))) {
                return false;
            }
        }
        entered();
        return true;
    }

    /**
     * Gives the lock to whoever has waited longest, or frees it.
     *
     * @throws IllegalMonitorStateException if it is known that the current thread does not hold it
     */
    @Override
    public void unlock() {
        leaving();
        release();
    }

    private void release() {
        if (!give()) {
            throw new IllegalMonitorStateException(this + " is not held");
        }
    }

    /**
     * Takes the lock as an object that gives it back when closed; waits as {@link #lock} does.
     *
     * @throws IllegalStateException if the current thread is known to hold it
     */
    @CheckReturnValue
    public H hold() {
        lock();
        return newHold();
    }

    /**
     * Takes the lock as an object that gives it back when closed; waits as {@link #lockInterruptibly} does.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; the lock is not held
     * @throws IllegalStateException if the current thread is known to hold it
     */
    @CheckReturnValue
    public H holdInterruptibly() throws InterruptedException {
        lockInterruptibly();
        return newHold();
    }

    /** Takes the lock as an object that gives it back when closed, if it is free and nobody waits for it. */
    @CheckReturnValue
    public Optional<H> tryHold() {
        return tryLock() ? Optional.of(newHold()) : Optional.empty();
    }

    /**
     * Takes the lock as an object that gives it back when closed, waiting in the queue for at most this time.
     *
     * @return empty if the time was over first
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; the lock is not held
     * @throws IllegalStateException if the current thread is known to hold it and would have to wait
     */
    @CheckReturnValue
    public Optional<H> tryHold(Duration timeout) throws InterruptedException {
        return tryLock(timeout) ? Optional.of(newHold()) : Optional.empty();
    }

    /**
     * Takes the lock without blocking the thread: the future completes with the lock held, in turn with all who wait.
     *
     * <p>The lock then belongs to the {@link Hold}, and to no thread. Completing the future from outside, by
     * {@code cancel}, {@code orTimeout} or otherwise, leaves the queue; a lock that had just been granted goes on to the
     * next. That holds for this future, not for those derived from it.
     */
    @CheckReturnValue
    public CompletableFuture<H> lockAsync() {
        if (tryTake()) {
            return CompletableFuture.completedFuture(newHold());
        }
        Locking future = new Locking();
        long now = permits.acquire(share, future.waiter());
        return now == WaitQueue.WAITING ? future : future.settle(now);
    }

    /**
     * Takes the lock now, or lets the waiter be called when it has got it. It belongs to no thread then, and is given
     * back by {@link #unlock(Waiter)}.
     *
     * @return true if the lock is taken, and the waiter is not called; false if the waiter is in the queue
     * @throws IllegalStateException if the waiter waits already
     */
    @CheckReturnValue
    public boolean lock(Waiter waiter) {
        return tryTake() || Results.checkNow(permits, permits.acquire(share, waiter.node()));
    }

    /**
     * Takes the waiter out of the queue.
     *
     * @return false if it is not in the queue: it was never there, or its callback has run or is about to
     */
    public boolean cancel(Waiter waiter) {
        return permits.cancel(waiter.node());
    }

    /**
     * Gives back the lock that {@link #lock(Waiter)} took for this waiter.
     *
     * @throws IllegalMonitorStateException if nobody holds it, or a thread does
     */
    public void unlock(Waiter waiter) {
        Objects.requireNonNull(waiter, "waiter");
        forgetOwner();
        release();
    }

    @Override
    public void giveBack() {
        forgetOwner();
        release();
    }

    /**
     * Runs the body with the lock held, and unlocks however the body ends.
     *
     * @return what the body returns
     * @throws E what the body throws
     * @throws IllegalStateException if the current thread is known to hold the lock
     */
    public <T extends @Nullable Object, E extends Throwable> T withLock(ScopedValue.CallableOp<T, E> body) throws E {
        lock();
        try {
            return body.call();
        } finally {
            unlock();
        }
    }

    /**
     * Runs the body with the lock held, and unlocks however the body ends.
     *
     * @throws IllegalStateException if the current thread is known to hold the lock
     */
    public void withLock(Runnable body) {
        lock();
        try {
            body.run();
        } finally {
            unlock();
        }
    }

    /**
     * Runs the body with the lock held, and unlocks when the stage that it returns is completed, or when the body throws
     * or returns null.
     *
     * <p>Completing the returned future from outside leaves the queue if the body has not begun. A body that has begun
     * goes on, and the lock is held until its stage completes.
     *
     * @return the outcome of the body's stage
     */
    @CheckReturnValue
    public <T extends @Nullable Object> CompletableFuture<T> withLockAsync(
            Supplier<? extends CompletionStage<T>> body) {
        return AsyncBody.run(lockAsync(), Hold::close, body);
    }

    /** How many wait for the lock, threads and callbacks; those that wait for a condition are not among them. A snapshot. */
    public int queueLength() {
        return permits.waiting();
    }

    private final class Locking extends WaitFuture<H> {
        @Override
        protected boolean leave(CallbackWaiter waiter) {
            return permits.cancel(waiter);
        }

        @Override
        protected H granted() {
            return newHold();
        }

        @Override
        protected Throwable failed(long result) {
            return Results.closed(permits);
        }

        @Override
        protected void giveBack(CallbackWaiter waiter) {
            PermitLock.this.giveBack();
        }
    }
}
