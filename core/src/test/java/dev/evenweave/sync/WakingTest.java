// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.joinAll;
import static dev.evenweave.sync.Testing.start;
import static dev.evenweave.sync.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.sync.Testing.Body;
import dev.evenweave.sync.Testing.Counting;
import dev.evenweave.sync.Testing.Task;
import dev.evenweave.wait.Parker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whoever releases gives the lock back, wakes one, and takes the lock again for the next to be woken: what others do in
 * between must not cost anybody a grant or a wake-up, nor give one twice. The hook of the parker plays it, where the lock is
 * free and only some have been woken.
 */
@Timeout(60)
class WakingTest {
    private final Hook hook = new Hook();
    private final Semaphore semaphore = new Semaphore(0, hook);

    /** Starts threads that acquire one permit each and hold it, in this order. */
    private List<Task> acquirers(int count) {
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int before = semaphore.queueLength();
            tasks.add(start(Thread.ofPlatform(), semaphore::acquire));
            until(() -> semaphore.queueLength() == before + 1);
        }
        return tasks;
    }

    @Test
    void aReleaseBetweenTwoWakesServesTheNextAndWakesAll() throws Exception {
        List<Task> tasks = acquirers(4);
        hook.between(() -> semaphore.release(2));
        semaphore.release(2);
        joinAll(tasks);
        hook.assertDone();
        assertThat(semaphore.availablePermits()).isZero();
    }

    @Test
    void anInterruptBetweenTwoWakesDoesNotTakeWhatWasGranted() throws Exception {
        List<Task> tasks = acquirers(1);
        Task second = start(Thread.ofPlatform(), () -> {
            semaphore.acquire();
            assertThat(Thread.interrupted()).isTrue();
        });
        until(() -> semaphore.queueLength() == 2);
        hook.between(() -> second.thread.interrupt());
        semaphore.release(2);
        joinAll(tasks);
        second.join();
        hook.assertDone();
        assertThat(semaphore.availablePermits()).isZero();
    }

    @Test
    void closingBetweenTwoWakesLeavesTheGrantsAndEndsTheOthers() throws Exception {
        List<Task> tasks = acquirers(2);
        Task third = start(Thread.ofPlatform(), semaphore::acquire);
        until(() -> semaphore.queueLength() == 3);
        hook.between(semaphore::close);
        semaphore.release(2);
        joinAll(tasks);
        assertThat(third.outcome()).isInstanceOf(ClosedException.class);
        hook.assertDone();
    }

    @Test
    void aWaiterGrantedButNotYetWokenCannotBeCancelledAndIsCalled() throws Exception {
        List<Task> tasks = acquirers(1);
        Counting waiter = new Counting();
        assertThat(semaphore.acquire(1, waiter)).isFalse();
        hook.between(() -> {
            assertThat(semaphore.cancel(waiter)).isFalse();
            assertThat(semaphore.tryAcquire()).isFalse();
        });
        semaphore.release(2);
        joinAll(tasks);
        assertThat(waiter.calls).isEqualTo(1);
        hook.assertDone();
        assertThat(semaphore.availablePermits()).isZero();
    }

    @Test
    void aReleaserThatComesBetweenMayCallWhoWasGrantedByTheOther() throws Exception {
        List<Task> tasks = acquirers(1);
        Counting first = new Counting();
        Counting second = new Counting();
        assertThat(semaphore.acquire(1, first)).isFalse();
        assertThat(semaphore.acquire(1, second)).isFalse();
        hook.between(() -> {
            semaphore.release();
            // Waits again at once, in the middle of the other's wakes.
            assertThat(first.calls).isEqualTo(1);
            assertThat(semaphore.acquire(1, first)).isFalse();
        });
        semaphore.release(2);
        joinAll(tasks);
        assertThat(first.calls).isEqualTo(1);
        assertThat(second.calls).isEqualTo(1);
        semaphore.release();
        assertThat(first.calls).isEqualTo(2);
        hook.assertDone();
        assertThat(semaphore.availablePermits()).isZero();
    }

    @Test
    void debtAndResizingBetweenTwoWakesTouchNoGrant() throws Exception {
        List<Task> tasks = acquirers(2);
        hook.between(() -> {
            semaphore.reducePermits(1);
            semaphore.release();
            assertThat(semaphore.drainPermits()).isZero();
        });
        semaphore.release(2);
        joinAll(tasks);
        hook.assertDone();
        assertThat(semaphore.debt()).isZero();
        assertThat(semaphore.availablePermits()).isZero();
    }

    @Test
    void whoIsSignalledWhileItWakesTheNextOwnerOfTheLockDoesNotMissIt() throws Exception {
        Mutex mutex = new Mutex(hook);
        Condvar condvar = mutex.newCondition();
        AtomicInteger order = new AtomicInteger();
        Task[] owner = new Task[1];
        Task waiting = start(Thread.ofPlatform(), () -> {
            mutex.lock();
            owner[0] = start(Thread.ofPlatform(), () -> {
                mutex.lock();
                assertThat(order.getAndIncrement()).isZero();
                mutex.unlock();
            });
            until(() -> mutex.queueLength() == 1);
            // The lock has been given on; this thread has not parked.
            hook.between(() -> {
                assertThat(condvar.waiterCount()).isEqualTo(1);
                condvar.signal();
                assertThat(mutex.queueLength()).isEqualTo(1);
            });
            condvar.await();
            assertThat(order.getAndIncrement()).isEqualTo(1);
            mutex.unlock();
        });
        waiting.join();
        owner[0].join();
        hook.assertDone();
        assertThat(mutex.isLocked()).isFalse();
    }

    @Test
    void whoIsInterruptedWhileItWakesTheNextOwnerOfTheLockComesBackWithIt() throws Exception {
        Mutex mutex = new Mutex(hook);
        Condvar condvar = mutex.newCondition();
        Task[] owner = new Task[1];
        Task waiting = start(Thread.ofPlatform(), () -> {
            mutex.lock();
            owner[0] = start(Thread.ofPlatform(), () -> mutex.withLock(() -> {}));
            until(() -> mutex.queueLength() == 1);
            hook.between(Thread.currentThread()::interrupt);
            try {
                condvar.await();
                throw new AssertionError("nobody signals");
            } catch (InterruptedException e) {
                assertThat(mutex.isHeldByCurrentThread()).isTrue();
            }
            mutex.unlock();
        });
        waiting.join();
        owner[0].join();
        hook.assertDone();
        assertThat(mutex.isLocked()).isFalse();
        assertThat(condvar.waiterCount()).isZero();
    }

    @Test
    void whoComesBetweenTwoWakesOfAnEventWaitsForTheNextPeriod() throws Exception {
        ManualResetEvent event = new ManualResetEvent(false, hook);
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int before = i;
            tasks.add(start(Thread.ofPlatform(), event::await));
            until(() -> event.queueLength() == before + 1);
        }
        Counting late = new Counting();
        hook.between(() -> {
            event.reset();
            assertThat(event.await(late)).isFalse();
        });
        event.set();
        joinAll(tasks);
        hook.assertDone();
        assertThat(late.calls).isZero();
        event.set();
        assertThat(late.calls).isEqualTo(1);
    }

    @Test
    void aWholeGenerationBetweenTwoWakesOfABarrierIsItsOwn() throws Exception {
        Barrier barrier = new Barrier(3, hook);
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int before = i;
            tasks.add(
                    start(Thread.ofPlatform(), () -> assertThat(barrier.await()).isFalse()));
            until(() -> barrier.queueLength() == before + 1);
        }
        Counting one = new Counting();
        Counting two = new Counting();
        hook.between(() -> {
            assertThat(barrier.await(one)).isFalse();
            assertThat(barrier.await(two)).isFalse();
            assertThat(barrier.await(new Counting())).isTrue();
            assertThat(one.calls).isEqualTo(1);
            assertThat(two.calls).isEqualTo(1);
        });
        assertThat(barrier.await()).isTrue();
        joinAll(tasks);
        hook.assertDone();
        assertThat(barrier.generation()).isEqualTo(2);
        assertThat(barrier.queueLength()).isZero();
    }

    @Test
    void aShareReleasedBetweenTwoWakesGoesToTheNextKey() throws Exception {
        FairShare<String> share = new FairShare<>(2, hook);
        share.acquire("holder", 2);
        List<Task> tasks = new ArrayList<>();
        for (String key : List.of("a", "b", "c")) {
            int before = share.queueLength();
            tasks.add(start(Thread.ofPlatform(), () -> share.acquire(key)));
            until(() -> share.queueLength() == before + 1);
        }
        hook.between(() -> share.release("a"));
        share.release("holder", 2);
        joinAll(tasks);
        hook.assertDone();
        assertThat(share.held("b")).isEqualTo(1);
        assertThat(share.held("c")).isEqualTo(1);
        assertThat(share.availablePermits()).isZero();
    }

    /** Does something once, where the lock has been given back and nobody has been woken yet. */
    private static final class Hook implements Parker {
        private volatile @Nullable Body between;
        private volatile @Nullable Throwable failure;

        void between(Body body) {
            between = body;
        }

        void assertDone() {
            assertThat(between).as("what is to be done in between").isNull();
            assertThat(failure).isNull();
        }

        @Override
        public void park(@Nullable Object blocker) {
            THREADS.park(blocker);
        }

        @Override
        public void parkNanos(@Nullable Object blocker, long nanos) {
            THREADS.parkNanos(blocker, nanos);
        }

        @Override
        public void unpark(Thread thread) {
            Body now = between;
            between = null;
            if (now != null) {
                try {
                    now.run();
                } catch (Throwable t) {
                    failure = t;
                }
            }
            THREADS.unpark(thread);
        }

        @Override
        public long nanoTime() {
            return THREADS.nanoTime();
        }
    }
}
