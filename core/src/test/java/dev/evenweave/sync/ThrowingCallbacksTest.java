// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.log;
import static dev.evenweave.sync.Testing.start;
import static dev.evenweave.sync.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.evenweave.sync.Testing.Noting;
import dev.evenweave.sync.Testing.Task;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Somebody's callback throws in the middle of another one's operation: that is carried through all the same. */
@Timeout(60)
class ThrowingCallbacksTest {
    private final Mutex mutex = new Mutex();
    private final Condvar condvar = mutex.newCondition();
    private final List<String> log = log();

    private Noting throwing(Runnable before) {
        return new Noting("thrower", log, () -> {
            before.run();
            throw new IllegalStateException("thrown");
        });
    }

    @Test
    void whoAwaitsAConditionGoesOnWaitingAndThrowsAtTheEndWithTheLockHeld() throws Exception {
        Semaphore queued = new Semaphore(0);
        Semaphore mayAwait = new Semaphore(0);
        Noting thrower = throwing(() -> {});
        Task task = start(() -> {
            mutex.lock();
            queued.release();
            mayAwait.acquire();
            Throwable thrown = catchThrowable(condvar::await);
            assertThat(mutex.isHeldByCurrentThread()).isTrue();
            assertThat(thrown).hasMessage("thrown");
            mutex.unlock();
        });
        queued.acquire();
        assertThat(mutex.lock(thrower)).isFalse();
        mayAwait.release();
        until(() -> log.size() == 1);
        assertThat(condvar.waiterCount()).isEqualTo(1);
        condvar.signal();
        mutex.unlock(thrower);
        task.join();
        assertThat(mutex.isLocked()).isFalse();
        assertThat(condvar.waiterCount()).isZero();
    }

    @Test
    void aHoldThatAwaitsAsynchronouslyHasEndedAndNothingWaits() {
        Hold hold = mutex.hold();
        Noting thrower = throwing(() -> {});
        assertThat(mutex.lock(thrower)).isFalse();
        assertThatThrownBy(() -> condvar.awaitAsync(hold).join()).hasMessage("thrown");
        assertThat(hold.isHeld()).isFalse();
        assertThat(condvar.waiterCount()).isZero();
        mutex.unlock(thrower);
        assertThat(mutex.tryLock()).isTrue();
    }

    @Test
    void aHoldThatWasSignalledMeanwhileGivesTheLockBackAndPassesTheSignalOn() {
        CompletableFuture<Hold> other = condvar.awaitAsync(mutex.hold());
        Hold hold = mutex.hold();
        // The first that waits is the other one; after it has been signalled, the one that awaits below is.
        AtomicInteger signals = new AtomicInteger();
        Noting[] self = new Noting[1];
        self[0] = throwing(() -> {
            condvar.signal();
            condvar.signal();
            signals.set(condvar.waiterCount());
            mutex.unlock(self[0]);
        });
        assertThat(mutex.lock(self[0])).isFalse();
        assertThatThrownBy(() -> condvar.awaitAsync(hold).join()).hasMessage("thrown");
        assertThat(signals).hasValue(0);
        other.join().close();
        assertThat(mutex.isLocked()).isFalse();
        assertThat(mutex.queueLength()).isZero();
    }

    @Test
    void aSignalThatIsGivenBackReachesTheNextThoughTheNextOwnerThrows() {
        // A future that is completed from outside when it was granted gives the lock and the signal back.
        CompletableFuture<Hold> first = condvar.awaitAsync(mutex.hold());
        CompletableFuture<Hold> second = condvar.awaitAsync(mutex.hold());
        Hold hold = mutex.hold();
        condvar.signal();
        Noting thrower = throwing(() -> {});
        assertThat(mutex.lock(thrower)).isFalse();
        // Inside a callback the grant of the first is on its way, and can be overtaken.
        dev.evenweave.sync.Semaphore gate = new dev.evenweave.sync.Semaphore(0);
        Waiter inside = new Waiter() {
            @Override
            protected void completed(@Nullable Throwable failure) {
                hold.close();
                assertThat(first.cancel(false)).isTrue();
            }
        };
        assertThat(gate.acquire(1, inside)).isFalse();
        assertThatThrownBy(gate::release).hasMessage("thrown");
        assertThat(condvar.waiterCount()).isZero();
        mutex.unlock(thrower);
        second.join().close();
        assertThat(mutex.isLocked()).isFalse();
    }

    @Test
    void closingAnUpgradableHoldLetsTheNextOneBeUpgradable() throws Exception {
        RwLock rwLock = new RwLock();
        UpgradableHold upgradable = rwLock.holdUpgradable();
        Noting thrower = throwing(() -> {});
        assertThat(rwLock.writeLock().lock(thrower)).isFalse();
        assertThatThrownBy(upgradable::close).hasMessage("thrown");
        rwLock.writeLock().unlock(thrower);
        rwLock.tryHoldUpgradable().orElseThrow().close();
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void aHoldWhoseDowngradeThrowsHoldsNothing() {
        RwLock rwLock = new RwLock();
        WriteHold writing = rwLock.writeLock().hold();
        Noting thrower = throwing(() -> {});
        assertThat(rwLock.readLock().lock(thrower)).isFalse();
        assertThatThrownBy(() -> writing.downgrade().close()).hasMessage("thrown");
        assertThat(writing.isHeld()).isFalse();
        rwLock.readLock().unlock(thrower);
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void aThreadWhoseDowngradeThrowsReads() {
        RwLock rwLock = new RwLock();
        rwLock.writeLock().lock();
        Noting thrower = throwing(() -> {});
        assertThat(rwLock.readLock().lock(thrower)).isFalse();
        assertThatThrownBy(rwLock.writeLock()::downgrade).hasMessage("thrown");
        rwLock.readLock().unlock(thrower);
        assertThat(rwLock.toString()).isEqualTo("RwLock[readers=1, queued=0]");
        rwLock.readLock().unlock();
    }

    @Test
    void anAsyncBodyThatFailsIsOverThoughTheNextOwnerThrows() {
        Noting thrower = throwing(() -> {});
        CompletableFuture<Object> body = mutex.withLockAsync(() -> {
            assertThat(mutex.lock(thrower)).isFalse();
            throw new IllegalArgumentException("the body's own");
        });
        assertThat(body).isCompletedExceptionally();
        assertThat(body.exceptionNow()).hasMessage("the body's own");
        mutex.unlock(thrower);
        assertThat(mutex.isLocked()).isFalse();
    }

    @Test
    void cancellingTheOneWhoseTurnItIsForgetsItsKey() {
        FairShare<String> share = new FairShare<>(2);
        Testing.Counting large = new Testing.Counting();
        assertThat(share.tryAcquire("holder")).isTrue();
        assertThat(share.acquire("large", 2, large)).isFalse();
        Noting thrower = throwing(() -> {});
        assertThat(share.acquire("small", 1, thrower)).isFalse();
        assertThatThrownBy(() -> share.cancel(large)).hasMessage("thrown");
        assertThat(share.keys()).isEqualTo(2);
        share.release("small");
        share.release("holder");
        assertThat(share.keys()).isZero();
    }
}
