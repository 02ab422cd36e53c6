// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.stepping.Scenario;
import dev.evenweave.stepping.Sweep;
import dev.evenweave.wait.Parker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The scenarios of the sweeps; loaded by the stepping class loader, so that they meet the stepped classes. */
final class SteppedScenarios {
    private SteppedScenarios() {}

    /** The parker of the run, given before the scenario is made. */
    static Parker parker() {
        return Sweep.parker();
    }

    /** Checks that an interruptible call threw if and only if it got nothing, and what it left in the flag. */
    private static void checkFlag(@Nullable Throwable thrown, boolean interrupted) {
        if (thrown == null) {
            assertThat(Thread.currentThread().isInterrupted())
                    .as("the flag is kept by a call that returns")
                    .isEqualTo(interrupted);
        } else {
            assertThat(thrown).isInstanceOf(InterruptedException.class);
            assertThat(interrupted).isTrue();
            assertThat(Thread.currentThread().isInterrupted())
                    .as("the flag is cleared by a call that throws")
                    .isFalse();
        }
    }

    /** Counts its calls and does something in each. */
    static final class Counting extends Waiter {
        private final Runnable then;
        int calls;

        Counting(Runnable then) {
            this.then = then;
        }

        Counting() {
            this(() -> {});
        }

        @Override
        protected void completed(@Nullable Throwable failure) {
            calls++;
            then.run();
        }
    }

    abstract static class OnSemaphore implements Scenario {
        final Semaphore semaphore;

        OnSemaphore(long permits) {
            semaphore = new Semaphore(permits, parker());
        }

        @Override
        public boolean isBusy() {
            return semaphore.permits.isLocked();
        }
    }

    /** No permit is there; the other releases one. */
    static final class Acquire extends OnSemaphore {
        Acquire() {
            super(0);
        }

        @Override
        public void call() throws Throwable {
            semaphore.acquire();
        }

        @Override
        public void act() {
            semaphore.release();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(semaphore.availablePermits()).isEqualTo(thrown == null ? 0 : 1);
            assertThat(semaphore.queueLength()).isZero();
        }
    }

    /** Two of five are there; the other wants two, which it gives back at once, and releases three. */
    static final class AcquireInParts extends OnSemaphore {
        private final Counting behind = new Counting(() -> semaphore.release(2));

        AcquireInParts() {
            super(2);
        }

        @Override
        public void call() throws Throwable {
            semaphore.acquire(5);
        }

        @Override
        public void act() {
            if (semaphore.acquire(2, behind)) {
                behind.completed(null);
            }
            semaphore.release(3);
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            if (thrown == null) {
                semaphore.release(5);
            }
            assertThat(behind.calls).isEqualTo(1);
            assertThat(semaphore.availablePermits()).isEqualTo(5);
            assertThat(semaphore.queueLength()).isZero();
        }
    }

    /** The body must run with the permit or not at all, and the permit must be back. */
    static final class WithPermit extends OnSemaphore {
        private final Permit other;
        private int ran;

        WithPermit() throws InterruptedException {
            super(1);
            other = semaphore.acquirePermit();
        }

        @Override
        public void call() throws Throwable {
            semaphore.withPermit(() -> ran++);
        }

        @Override
        public void act() {
            other.close();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(ran).isEqualTo(thrown == null ? 1 : 0);
            assertThat(semaphore.availablePermits()).isEqualTo(1);
            assertThat(semaphore.queueLength()).isZero();
        }
    }

    /** An interrupt does not end it. */
    static final class AcquireUninterruptibly extends OnSemaphore {
        AcquireUninterruptibly() {
            super(0);
        }

        @Override
        public void call() {
            semaphore.acquireUninterruptibly();
        }

        @Override
        public void act() {
            semaphore.release();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            assertThat(thrown).isNull();
            assertThat(Thread.currentThread().isInterrupted()).isEqualTo(interrupted);
            assertThat(semaphore.availablePermits()).isZero();
            assertThat(semaphore.queueLength()).isZero();
        }
    }

    /** The time may be over at any step. */
    static final class TryAcquireTimed extends OnSemaphore {
        private boolean got;

        TryAcquireTimed() {
            super(1);
        }

        @Override
        public void call() throws Throwable {
            got = semaphore.tryAcquire(2, Duration.ofSeconds(1));
        }

        @Override
        public void act() {
            semaphore.release();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(semaphore.availablePermits()).isEqualTo(got ? 0 : 2);
            assertThat(semaphore.queueLength()).isZero();
        }
    }

    /** The other closes the semaphore, which has a part of what is wanted. */
    static final class Closed extends OnSemaphore {
        Closed() {
            super(1);
        }

        @Override
        public void call() throws Throwable {
            semaphore.acquire(2);
        }

        @Override
        public void act() {
            semaphore.close();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            if (!(thrown instanceof ClosedException)) {
                assertThat(thrown).isInstanceOf(InterruptedException.class);
                checkFlag(thrown, interrupted);
            }
            assertThat(semaphore.availablePermits()).isEqualTo(1);
            assertThat(semaphore.queueLength()).isZero();
        }
    }

    /** A future is cancelled while the other releases. */
    static final class CancelFuture extends OnSemaphore {
        private final CompletableFuture<Permit> future;
        private final Counting behind = new Counting();

        CancelFuture() {
            super(1);
            future = semaphore.acquireAsync(2);
            assertThat(semaphore.acquire(1, behind)).isFalse();
        }

        @Override
        public void call() {
            future.cancel(false);
        }

        @Override
        public void act() {
            semaphore.release();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            assertThat(thrown).isNull();
            if (!future.isCancelled()) {
                future.join().close();
            }
            assertThat(behind.calls).isEqualTo(1);
            assertThat(semaphore.availablePermits()).isEqualTo(1);
            assertThat(semaphore.queueLength()).isZero();
        }
    }

    /** A callback waiter is cancelled while the other releases. */
    static final class CancelWaiter extends OnSemaphore {
        private final Counting first = new Counting();
        private final Counting behind = new Counting();
        private boolean cancelled;

        CancelWaiter() {
            super(1);
            assertThat(semaphore.acquire(2, first)).isFalse();
            assertThat(semaphore.acquire(1, behind)).isFalse();
        }

        @Override
        public void call() {
            cancelled = semaphore.cancel(first);
        }

        @Override
        public void act() {
            semaphore.release();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            assertThat(thrown).isNull();
            assertThat(first.calls).isEqualTo(cancelled ? 0 : 1);
            if (!cancelled) {
                semaphore.release(2);
            }
            assertThat(behind.calls).isEqualTo(1);
            assertThat(semaphore.availablePermits()).isEqualTo(1);
            assertThat(semaphore.queueLength()).isZero();
        }
    }

    /** The other lets go of a mutex. */
    static final class LockInterruptibly implements Scenario {
        private final Mutex mutex = new Mutex(parker());
        private final Hold other = mutex.lockAsync().join();

        @Override
        public void call() throws Throwable {
            mutex.lockInterruptibly();
        }

        @Override
        public void act() {
            other.close();
        }

        @Override
        public boolean isBusy() {
            return mutex.permits.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(mutex.isHeldByCurrentThread()).isEqualTo(thrown == null);
            if (thrown == null) {
                mutex.unlock();
            }
            assertThat(mutex.isLocked()).isFalse();
            assertThat(mutex.queueLength()).isZero();
        }
    }

    /** A reader lets go while a writer waits with all but one share, and another reader comes and goes. */
    static final class WriteLock implements Scenario {
        private final RwLock rwLock = new RwLock(3, parker());
        private final Hold other = rwLock.readLock().lockAsync().join();
        private final Counting behind = new Counting(() -> rwLock.giveBackShare(1));

        @Override
        public void call() throws Throwable {
            rwLock.writeLock().lockInterruptibly();
        }

        @Override
        public void act() {
            if (rwLock.readLock().lock(behind)) {
                behind.completed(null);
            }
            other.close();
        }

        @Override
        public boolean isBusy() {
            return rwLock.permits().isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            if (thrown == null) {
                rwLock.writeLock().unlock();
            }
            assertThat(behind.calls).isEqualTo(1);
            assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
        }
    }

    /** The other comes to wait too and then signals once: the signal must be used by the one that it was for. */
    static final class Await implements Scenario {
        private final Mutex mutex = new Mutex(parker());
        private final Condvar condvar = mutex.newCondition();
        private @Nullable CompletableFuture<Hold> behind;
        private boolean seenWaiting;
        private boolean signalled;

        @Override
        public void call() throws Throwable {
            mutex.lock();
            condvar.await();
        }

        @Override
        public void act() {
            signalled = condvar.waiterCount() == 1;
            behind = condvar.awaitAsync(mutex.lockAsync().join());
            try (Hold hold = mutex.lockAsync().join()) {
                assertThat(hold.isHeld()).isTrue();
                condvar.signal();
            }
        }

        @Override
        public boolean isBusy() {
            if (mutex.permits.isLocked()) {
                return true;
            }
            seenWaiting |= condvar.waiterCount() == 1;
            return !seenWaiting || mutex.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(thrown == null)
                    .as("returns as signalled if and only if it was")
                    .isEqualTo(signalled);
            assertThat(mutex.isHeldByCurrentThread()).isTrue();
            mutex.unlock();
            if (behind != null) {
                assertThat(behind.isDone())
                        .as("the other gets the signal if the thread did not")
                        .isEqualTo(!signalled);
                if (signalled) {
                    behind.cancel(false);
                } else {
                    behind.join().close();
                }
            }
            assertThat(mutex.toString()).isEqualTo("Mutex[free, queued=0]");
            assertThat(condvar.waiterCount()).isZero();
        }
    }

    /** A waiter that was signalled is cancelled while the lock comes free: lock and signal must go on. */
    static final class CancelSignalled implements Scenario {
        private final Mutex mutex = new Mutex(parker());
        private final Condvar condvar = mutex.newCondition();
        private final CompletableFuture<Hold> first =
                condvar.awaitAsync(mutex.lockAsync().join());
        private final CompletableFuture<Hold> second =
                condvar.awaitAsync(mutex.lockAsync().join());
        private final Hold other = mutex.lockAsync().join();

        CancelSignalled() {
            condvar.signal();
        }

        @Override
        public void call() {
            first.cancel(false);
        }

        @Override
        public void act() {
            other.close();
        }

        @Override
        public boolean isBusy() {
            return mutex.permits.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            assertThat(thrown).isNull();
            if (first.isCancelled()) {
                assertThat(second).isCompleted();
                second.join().close();
            } else {
                assertThat(second).isNotDone();
                first.join().close();
                second.cancel(false);
            }
            assertThat(mutex.toString()).isEqualTo("Mutex[free, queued=0]");
            assertThat(condvar.waiterCount()).isZero();
        }
    }
}
