// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.CallbackWaiter;
import dev.evenweave.wait.Conditions;
import dev.evenweave.wait.WaitFuture;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.time.Duration;
import java.util.Date;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;

// Purpose. Conditions (see there for how it works) with a face: who must hold the lock, and Java's outcomes.

/**
 * A condition variable of a {@link Mutex} or of the write side of an {@link RwLock}.
 *
 * <p>{@code await} gives the lock back and waits in one step: no signal that is given with the lock held is missed. A
 * signal moves the waiter to the end of the lock's own queue without waking it; it wakes once, when it has the lock. So
 * signalling any number of waiters wakes each of them once, one after the other.
 *
 * <p><b>Order.</b> {@link #signal} takes the one that has waited longest. Signals are not stored: with nobody waiting they
 * do nothing, and {@link #signalAll} reaches those that wait now.
 *
 * <p><b>Cancellation.</b> However {@code await} ends, the lock is held again when it returns or throws. A thread whose
 * interrupt or time limit comes after its signal returns as signalled (an interrupt leaves the flag set), so the signal
 * is used. A future or a waiter that is cancelled leaves without the lock; if it had been chosen by {@code signal}, the
 * signal goes on to the next that waits now.
 *
 * <p>There are no spurious wake-ups, but what was waited for may be over when the lock is got: use
 * {@link #awaitWhile(BooleanSupplier)}, or a loop.
 *
 * <p>{@code signal} may be called without the lock.
 */
public final class Condvar implements Condition {
    private final ExclusiveLock<?> lock;
    final Conditions conditions;

    /** Makes a condition of the mutex, as {@link Mutex#newCondition}. */
    public Condvar(Mutex mutex) {
        this((ExclusiveLock<?>) mutex);
    }

    Condvar(ExclusiveLock<?> lock) {
        this.lock = lock;
        this.conditions = new Conditions(lock.permits, lock.share);
    }

    /**
     * Gives the lock back, waits for a signal and takes the lock again.
     *
     * @throws InterruptedException if the thread is interrupted on entry, or before a signal; the lock is held again
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    @Override
    public void await() throws InterruptedException {
        awaitResult(Mode.INTERRUPTIBLE, WaitQueue.FOREVER);
    }

    /**
     * As {@link #await()}, for at most this time.
     *
     * @return false if the time was over before a signal
     * @throws InterruptedException as {@link #await()}
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    @CheckReturnValue
    public boolean await(Duration timeout) throws InterruptedException {
        return awaitResult(Mode.INTERRUPTIBLE, Results.nanos(timeout)) == WaitQueue.GRANTED;
    }

    /** As {@link #await(Duration)}. */
    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        return awaitResult(Mode.INTERRUPTIBLE, unit.toNanos(time)) == WaitQueue.GRANTED;
    }

    /**
     * As {@link #await(Duration)}.
     *
     * @return what is left of the time; 0 or less if it was over before a signal
     */
    @Override
    public long awaitNanos(long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        return awaitResult(Mode.INTERRUPTIBLE, nanos) == WaitQueue.GRANTED
                ? Math.max(deadline - System.nanoTime(), 1)
                : Math.min(deadline - System.nanoTime(), 0);
    }

    /** As {@link #await(Duration)}, until this moment. */
    @Override
    public boolean awaitUntil(Date deadline) throws InterruptedException {
        // Compared first: the difference of a date in the far past would overflow.
        long now = System.currentTimeMillis();
        return await(deadline.getTime() <= now ? 0 : deadline.getTime() - now, TimeUnit.MILLISECONDS);
    }

    /**
     * As {@link #await()}, but waits on when interrupted and leaves the flag set.
     *
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    @Override
    public void awaitUninterruptibly() {
        checkOwned();
        awaitOwned(Mode.UNINTERRUPTIBLE, WaitQueue.FOREVER);
    }

    /**
     * Waits until the condition is false; looks first. The condition is evaluated with the lock held.
     *
     * @throws InterruptedException as {@link #await()}
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    public void awaitWhile(BooleanSupplier condition) throws InterruptedException {
        checkOwned();
        while (condition.getAsBoolean()) {
            await();
        }
    }

    /**
     * Waits until the condition is false, for at most this time; looks first. The condition is evaluated with the lock
     * held.
     *
     * @return false if the condition is still true when the time is over
     * @throws InterruptedException as {@link #await()}
     * @throws IllegalMonitorStateException if the current thread does not hold the lock
     */
    @CheckReturnValue
    public boolean awaitWhile(BooleanSupplier condition, Duration timeout) throws InterruptedException {
        checkOwned();
        long left = Results.nanos(timeout);
        while (condition.getAsBoolean()) {
            if (left <= 0) {
                return false;
            }
            left = left == WaitQueue.FOREVER ? awaitForEver() : awaitNanos(left);
        }
        return true;
    }

    private long awaitForEver() throws InterruptedException {
        await();
        return WaitQueue.FOREVER;
    }

    /**
     * Gives back the lock that the hold holds and waits without blocking the thread: the future completes with the lock
     * held, after a signal.
     *
     * <p>The hold has ended when this returns. Completing the future from outside leaves without the lock. If this throws
     * what a callback threw that got the lock, the hold has ended and nothing waits.
     *
     * @throws IllegalArgumentException if the hold is of another lock
     * @throws IllegalStateException if the hold has ended
     */
    @CheckReturnValue
    public CompletableFuture<Hold> awaitAsync(Hold hold) {
        if (hold.lock != lock) {
            throw new IllegalArgumentException(hold + " is not of " + lock + ", whose condition this is");
        }
        hold.handOver();
        lock.forgetOwner();
        Awaiting future = new Awaiting();
        try {
            conditions.await(future.waiter());
        } catch (Throwable t) {
            // Of a callback that got the lock: nobody will have this future.
            future.cancel(false);
            throw t;
        }
        return future;
    }

    /**
     * Gives back the lock that {@link PermitLock#lock(Waiter)} took for this waiter; it is called after a signal, when it
     * has the lock again. If this throws what another callback threw that got the lock, the waiter waits all the same.
     *
     * @throws IllegalStateException if the waiter waits already
     * @throws IllegalMonitorStateException if nobody holds the lock, or a thread does
     */
    public void await(Waiter waiter) {
        if (lock.isHeldByThread() || !lock.isLocked()) {
            throw new IllegalMonitorStateException(lock + " is not held by a waiter");
        }
        conditions.await(waiter.node());
    }

    /**
     * Takes the waiter out, which then does not get the lock. A signal that was for it alone goes on to the next.
     *
     * @return false if it does not wait here: it was never there, or its callback has run or is about to
     */
    public boolean cancel(Waiter waiter) {
        return conditions.cancel(waiter.node());
    }

    /** Lets the one that has waited longest have the lock again in its turn; does nothing if nobody waits. */
    @Override
    public void signal() {
        conditions.signal();
    }

    /** Lets all that wait now have the lock again, one after the other in the order in which they came. */
    @Override
    public void signalAll() {
        conditions.signalAll();
    }

    /** How many wait for a signal. A snapshot. */
    public int waiterCount() {
        return conditions.waiting();
    }

    @Override
    public String toString() {
        return "Condvar[waiting=" + waiterCount() + ", " + lock + "]";
    }

    private long awaitResult(Mode mode, long nanos) throws InterruptedException {
        checkOwned();
        Results.checkInterrupt();
        long result = awaitOwned(mode, nanos);
        if (result == WaitQueue.INTERRUPTED) {
            Thread.interrupted();
            throw new InterruptedException();
        }
        return result;
    }

    private long awaitOwned(Mode mode, long nanos) {
        if (nanos <= 0) {
            return WaitQueue.TIMED_OUT;
        }
        lock.forgetOwner();
        try {
            return conditions.await(mode, nanos);
        } finally {
            lock.entered();
        }
    }

    private void checkOwned() {
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException("The current thread does not hold " + lock);
        }
    }

    private final class Awaiting extends WaitFuture<Hold> {
        @Override
        protected boolean leave(CallbackWaiter waiter) {
            return conditions.cancel(waiter);
        }

        @Override
        protected Hold granted() {
            return lock.newHold();
        }

        @Override
        protected Throwable failed(long result) {
            return Results.closed(lock.permits);
        }

        @Override
        protected void giveBack(CallbackWaiter waiter) {
            boolean passOn = Conditions.carriesSignal(waiter);
            try {
                lock.giveBack();
            } finally {
                if (passOn) {
                    conditions.signal();
                }
            }
        }
    }
}
