// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.joinAll;
import static dev.evenweave.sync.Testing.log;
import static dev.evenweave.sync.Testing.start;
import static dev.evenweave.sync.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.evenweave.sync.Testing.Noting;
import dev.evenweave.sync.Testing.Task;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class MutexTest {
    private final Mutex mutex = new Mutex();
    private final List<String> log = log();

    @Test
    void tryLockNeverBlocks() throws Exception {
        assertThat(mutex.tryLock()).isTrue();
        assertThat(mutex.tryLock()).isFalse();
        start(() -> assertThat(mutex.tryLock()).isFalse()).join();
        mutex.unlock();
        assertThat(mutex.tryLock()).isTrue();
    }

    @Test
    void aHoldExcludesOthers() throws Exception {
        Hold hold = mutex.hold();
        Task other = start(() -> {
            mutex.lock();
            log.add("other");
            mutex.unlock();
        });
        until(() -> mutex.queueLength() == 1);
        assertThat(log).isEmpty();
        hold.close();
        other.join();
        assertThat(log).containsExactly("other");
        assertThat(mutex.isLocked()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void aThousandTasksIncrementWithoutLoss(Thread.Builder kind) throws Exception {
        int[] counter = {0};
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 1000; t++) {
            tasks.add(start(kind, () -> {
                for (int i = 0; i < 10; i++) {
                    mutex.withLock(() -> {
                        counter[0]++;
                    });
                }
            }));
        }
        joinAll(tasks);
        assertThat(counter[0]).isEqualTo(10_000);
    }

    @Test
    void writesAreVisibleToTheNextLocker() throws Exception {
        int[] plain = {0};
        mutex.lock();
        Task reader = start(() -> {
            mutex.lock();
            assertThat(plain[0]).isEqualTo(42);
            mutex.unlock();
        });
        until(() -> mutex.queueLength() == 1);
        plain[0] = 42;
        mutex.unlock();
        reader.join();
    }

    @Test
    void aThrowingBodyReleasesTheLock() {
        assertThatThrownBy(() -> mutex.withLock(() -> {
                    throw new IOException("body");
                }))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> {
                    try (Hold hold = mutex.hold()) {
                        throw new IOException("body of " + hold);
                    }
                })
                .isInstanceOf(IOException.class);
        assertThat(mutex.isLocked()).isFalse();
    }

    @Test
    void anAsyncBodyThatThrowsReleasesTheLock() {
        CompletableFuture<String> result = mutex.withLockAsync(() -> {
            throw new IllegalStateException("body");
        });
        assertThat(result).isCompletedExceptionally();
        assertThat(mutex.isLocked()).isFalse();
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> second = mutex.withLockAsync(() -> stage);
        assertThat(mutex.isLocked()).isTrue();
        stage.complete("value");
        assertThat(second).isCompletedWithValue("value");
        assertThat(mutex.isLocked()).isFalse();
    }

    @Test
    void aCancelledQueuedLockIsSkipped() {
        Hold hold = mutex.hold();
        CompletableFuture<Hold> cancelled = mutex.lockAsync();
        CompletableFuture<Hold> next = mutex.lockAsync();
        assertThat(cancelled.cancel(false)).isTrue();
        hold.close();
        assertThat(next).isCompleted();
        next.join().close();
        assertThat(mutex.isLocked()).isFalse();
    }

    @Test
    void aCancelledAssignedLockPassesOn() {
        Hold hold = mutex.hold();
        List<CompletableFuture<Hold>> assigned = new ArrayList<>();
        // Runs when the lock is assigned to the next one, but before that one's future hears of it.
        CompletableFuture<Hold> first = mutex.lockAsync();
        first.whenComplete((h, failure) -> {
            h.close();
            assigned.getFirst().cancel(false);
        });
        assigned.add(mutex.lockAsync());
        assertThat(mutex.lock(new Noting("third", log))).isFalse();
        hold.close();
        assertThat(assigned.getFirst()).isCancelled();
        assertThat(log).containsExactly("third");
    }

    @Test
    void askingForWhatOneHoldsIsAClearErrorAndNotAHang() {
        mutex.lock();
        assertThatThrownBy(mutex::lock)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not re-entrant");
        assertThatThrownBy(mutex::lockInterruptibly).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> mutex.tryLock(1, TimeUnit.DAYS)).isInstanceOf(IllegalStateException.class);
        assertThat(mutex.tryLock()).isFalse();
        mutex.unlock();
        Hold hold = mutex.hold();
        assertThatThrownBy(mutex::lock).isInstanceOf(IllegalStateException.class);
        hold.close();
        assertThat(mutex.isLocked()).isFalse();
        assertThat(mutex.queueLength()).isZero();
    }

    @Test
    void unlockingWhatOneDoesNotHoldIsRefused() throws Exception {
        assertThatThrownBy(mutex::unlock).isInstanceOf(IllegalMonitorStateException.class);
        mutex.lock();
        start(() -> assertThat(catchThrowable(mutex::unlock)).isInstanceOf(IllegalMonitorStateException.class))
                .join();
        assertThat(mutex.isHeldByCurrentThread()).isTrue();
        mutex.unlock();
        assertThat(mutex.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void aHoldMayBeClosedByAnotherThreadAndOnlyOnce() throws Exception {
        Hold hold = mutex.hold();
        start(hold::close).join();
        assertThat(mutex.isLocked()).isFalse();
        assertThat(mutex.isHeldByCurrentThread()).isFalse();
        mutex.lock();
        hold.close();
        assertThat(mutex.isLocked()).isTrue();
        assertThat(hold.isHeld()).isFalse();
    }

    @Test
    void aWaiterHoldsTheLockUntilItUnlocks() {
        Noting a = new Noting("a", log);
        assertThatThrownBy(() -> mutex.unlock(a)).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(mutex.lock(a)).isTrue();
        assertThatThrownBy(mutex::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(mutex.lock(new Noting("b", log))).isFalse();
        mutex.unlock(a);
        assertThat(log).containsExactly("b");
        mutex.unlock(a);
        mutex.lock();
        assertThatThrownBy(() -> mutex.unlock(a))
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("held by");
        mutex.unlock();
    }

    @Test
    void everyOperationMayBeCalledFromACallback() {
        Condvar condvar = mutex.newCondition();
        List<String> called = log();
        Noting other = new Noting("other", called);
        Noting[] self = new Noting[1];
        self[0] = new Noting("self", called, () -> {
            assertThat(mutex.tryLock()).isFalse();
            assertThat(mutex.isLocked()).isTrue();
            assertThat(mutex.toString()).isEqualTo("Mutex[locked, queued=1]");
            assertThat(mutex.cancel(other)).isTrue();
            assertThat(mutex.lockAsync().cancel(false)).isTrue();
            condvar.signal();
            condvar.signalAll();
            mutex.unlock(self[0]);
            mutex.lock();
            mutex.unlock();
            mutex.withLock(() -> called.add("with the lock"));
        });
        Hold hold = mutex.hold();
        assertThat(mutex.lock(self[0])).isFalse();
        assertThat(mutex.lock(other)).isFalse();
        hold.close();
        assertThat(called).containsExactly("self", "with the lock");
        assertThat(mutex.isLocked()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void interruptedLockInterruptiblyHoldsNothing(Thread.Builder kind) throws Exception {
        mutex.lock();
        Task waiter = start(kind, () -> {
            assertThat(catchThrowable(mutex::lockInterruptibly)).isInstanceOf(InterruptedException.class);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(mutex.isHeldByCurrentThread()).isFalse();
        });
        until(() -> mutex.queueLength() == 1);
        waiter.thread.interrupt();
        waiter.join();
        mutex.unlock();
        assertThat(mutex.isLocked()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void lockWaitsThroughInterruptsAndLeavesTheFlagSet(Thread.Builder kind) throws Exception {
        mutex.lock();
        Task waiter = start(kind, () -> {
            mutex.lock();
            assertThat(Thread.interrupted()).isTrue();
            mutex.unlock();
        });
        until(() -> mutex.queueLength() == 1);
        waiter.thread.interrupt();
        until(() -> !waiter.thread.isInterrupted());
        mutex.unlock();
        waiter.join();
    }

    @Test
    void aTimedLockThatIsLateLeavesNoGhost() throws Exception {
        mutex.lock();
        start(() -> {
                    assertThat(mutex.tryLock(Duration.ofMillis(1))).isFalse();
                    assertThat(mutex.tryHold(Duration.ofMillis(1))).isEmpty();
                    assertThat(mutex.tryHold()).isEmpty();
                })
                .join();
        assertThat(mutex.queueLength()).isZero();
        mutex.unlock();
        start(() -> {
                    try (Hold hold = mutex.tryHold(Duration.ofDays(1)).orElseThrow()) {
                        assertThat(hold.isHeld()).isTrue();
                    }
                })
                .join();
        assertThat(mutex.isLocked()).isFalse();
    }

    @Test
    void lockersAreServedInTheOrderOfAsking() throws Exception {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        mutex.lock();
        List<Task> tasks = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String name = "task " + i;
            int before = i;
            expected.add(name);
            tasks.add(start(() -> {
                mutex.lock();
                order.add(name);
                mutex.unlock();
            }));
            until(() -> mutex.queueLength() == before + 1);
        }
        mutex.unlock();
        joinAll(tasks);
        assertThat(order).isEqualTo(expected);
    }

    @Test
    void toStringShowsTheOwnerAndTheQueue() {
        assertThat(mutex.toString()).isEqualTo("Mutex[free, queued=0]");
        mutex.lock();
        assertThat(mutex.lock(new Noting("a", log))).isFalse();
        assertThat(mutex.toString())
                .startsWith("Mutex[locked by thread #" + Thread.currentThread().threadId())
                .endsWith("queued=1]");
    }
}
