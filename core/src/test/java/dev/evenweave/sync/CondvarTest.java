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
import dev.evenweave.wait.Parker;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class CondvarTest {
    private final Mutex mutex = new Mutex();
    private final Condvar condvar = mutex.newCondition();
    private final List<String> log = Collections.synchronizedList(log());

    /** Starts a thread that awaits and logs its name when it comes back, and waits until it waits. */
    private Task waiter(Thread.Builder kind, String name) {
        int before = condvar.waiterCount();
        Task task = start(
                kind,
                () -> mutex.withLock(() -> {
                    condvar.await();
                    log.add(name);
                    assertThat(mutex.isHeldByCurrentThread()).isTrue();
                    return null;
                }));
        until(() -> condvar.waiterCount() == before + 1);
        return task;
    }

    /** A hold that awaits asynchronously. */
    private CompletableFuture<Hold> awaiting() {
        return condvar.awaitAsync(mutex.hold());
    }

    @Test
    void aStateSetBeforeTheWaitIsSeenAndDoesNotWait() throws Exception {
        mutex.lock();
        condvar.awaitWhile(() -> false);
        assertThat(condvar.awaitWhile(() -> false, Duration.ZERO)).isTrue();
        mutex.unlock();
    }

    @Test
    void signalsAreNotBuffered() throws Exception {
        condvar.signal();
        condvar.signalAll();
        Task task = waiter(Thread.ofVirtual(), "late");
        assertThat(log).isEmpty();
        condvar.signal();
        task.join();
        assertThat(log).containsExactly("late");
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void signalLetsOneGoAtATimeInOrder(Thread.Builder kind) throws Exception {
        List<Task> tasks = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            expected.add("waiter " + i);
            tasks.add(waiter(kind, "waiter " + i));
        }
        for (int i = 0; i < 5; i++) {
            assertThat(condvar.waiterCount()).isEqualTo(5 - i);
            condvar.signal();
            tasks.get(i).join();
            assertThat(log).isEqualTo(expected.subList(0, i + 1));
        }
    }

    @Test
    void signalAllLetsExactlyThosePresentGoInOrder() throws Exception {
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            tasks.add(waiter(Thread.ofVirtual(), "waiter " + i));
        }
        mutex.lock();
        condvar.signalAll();
        CompletableFuture<Hold> late = condvar.awaitAsync(handOver());
        joinAll(tasks);
        assertThat(log)
                .containsExactly(
                        "waiter 0",
                        "waiter 1",
                        "waiter 2",
                        "waiter 3",
                        "waiter 4",
                        "waiter 5",
                        "waiter 6",
                        "waiter 7",
                        "waiter 8",
                        "waiter 9");
        assertThat(late).isNotDone();
        condvar.signal();
        late.join().close();
    }

    /** Makes a hold of the lock that the current thread has locked. */
    private Hold handOver() {
        return new Hold(mutex);
    }

    @Test
    void signallingWakesNobodyWhileTheLockIsHeld() throws Exception {
        Task task = waiter(Thread.ofVirtual(), "waiter");
        mutex.lock();
        condvar.signal();
        assertThat(condvar.waiterCount()).isZero();
        assertThat(mutex.queueLength()).isEqualTo(1);
        assertThat(log).isEmpty();
        mutex.unlock();
        task.join();
    }

    @Test
    void aWaiterRegistersBeforeItUnlocksSoNoSignalIsLost() throws Exception {
        // The lock is handed over to the signaller in the very step in which the waiter is registered.
        for (int i = 0; i < 200; i++) {
            mutex.lock();
            Task signaller = start(i % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform(), () -> {
                mutex.lock();
                condvar.signal();
                mutex.unlock();
            });
            until(() -> mutex.queueLength() == 1);
            condvar.await();
            mutex.unlock();
            signaller.join();
        }
    }

    @Test
    void aCancelledSignalledWaiterPassesTheSignalToTheNext() {
        CompletableFuture<Hold> first = awaiting();
        CompletableFuture<Hold> second = awaiting();
        Hold hold = mutex.hold();
        condvar.signal();
        // The first is in the queue of the mutex now.
        assertThat(first.cancel(false)).isTrue();
        assertThat(condvar.waiterCount()).isZero();
        hold.close();
        assertThat(second).isCompleted();
        second.join().close();
        assertThat(mutex.isLocked()).isFalse();
    }

    @Test
    void aWaiterCancelledWhenItHasTheLockAlreadyPassesBothOn() {
        CompletableFuture<Hold> first = awaiting();
        CompletableFuture<Hold> second = awaiting();
        Hold hold = mutex.hold();
        // When this one gets the lock it gives it to the first, and cancels that before it hears of it.
        CompletableFuture<Void> between = mutex.lockAsync().thenAccept(held -> {
            held.close();
            first.cancel(false);
        });
        condvar.signal();
        hold.close();
        assertThat(between).isCompleted();
        assertThat(first).isCancelled();
        assertThat(second).isCompleted();
        second.join().close();
        assertThat(mutex.isLocked()).isFalse();
        assertThat(condvar.waiterCount()).isZero();
    }

    @Test
    void aPassedOnSignalIsNotBufferedWhenNobodyElseWaits() {
        CompletableFuture<Hold> first = awaiting();
        Hold hold = mutex.hold();
        condvar.signal();
        first.cancel(false);
        hold.close();
        CompletableFuture<Hold> late = awaiting();
        assertThat(late).isNotDone();
        late.cancel(false);
        assertThat(condvar.waiterCount()).isZero();
    }

    @Test
    void aCancelledSignalAllWaiterWakesNoLateWaiter() {
        CompletableFuture<Hold> first = awaiting();
        Hold hold = mutex.hold();
        condvar.signalAll();
        CompletableFuture<Hold> late = condvar.awaitAsync(hold);
        // The first had the lock by now.
        first.join().close();
        CompletableFuture<Hold> again = awaiting();
        Hold holdAgain = mutex.hold();
        condvar.signalAll();
        assertThat(late).isNotDone();
        late.cancel(false);
        CompletableFuture<Hold> latest = condvar.awaitAsync(holdAgain);
        again.join().close();
        assertThat(latest).isNotDone();
        latest.cancel(false);
        assertThat(mutex.isLocked()).isFalse();
    }

    @Test
    void aCancelledUnsignalledWaiterIsGone() {
        CompletableFuture<Hold> first = awaiting();
        CompletableFuture<Hold> second = awaiting();
        first.cancel(false);
        condvar.signal();
        assertThat(second).isCompleted();
        second.join().close();
        assertThat(condvar.waiterCount()).isZero();
    }

    @Test
    void signalAllAttemptsEveryCallbackAfterOneThrows() {
        Noting a = new Noting("a", log, () -> {
            throw new IllegalStateException("a failed");
        });
        Noting b = new Noting("b", log);
        assertThat(mutex.lock(a)).isTrue();
        condvar.await(a);
        assertThat(mutex.lock(b)).isTrue();
        condvar.await(b);
        Throwable thrown = catchThrowable(condvar::signalAll);
        assertThat(thrown).hasMessage("a failed");
        assertThat(log).containsExactly("a");
        mutex.unlock(a);
        assertThat(log).containsExactly("a", "b");
        mutex.unlock(b);
    }

    @Test
    void awaitingByAWaiterNeedsTheLockHeldByAWaiter() {
        Noting a = new Noting("a", log);
        assertThatThrownBy(() -> condvar.await(a)).isInstanceOf(IllegalMonitorStateException.class);
        mutex.lock();
        assertThatThrownBy(() -> condvar.await(a)).isInstanceOf(IllegalMonitorStateException.class);
        mutex.unlock();
        assertThat(mutex.lock(a)).isTrue();
        condvar.await(a);
        assertThat(mutex.cancel(a)).isFalse();
        assertThat(condvar.cancel(a)).isTrue();
        assertThat(condvar.cancel(a)).isFalse();
        condvar.signal();
        assertThat(log).isEmpty();
        assertThat(mutex.isLocked()).isFalse();
    }

    @Test
    void aWaiterIsCancelledByItsOwnConditionAlone() {
        Condvar other = mutex.newCondition();
        Noting a = new Noting("a", log);
        Noting b = new Noting("b", log);
        assertThat(mutex.lock(a)).isTrue();
        condvar.await(a);
        assertThat(mutex.lock(b)).isTrue();
        condvar.await(b);
        assertThat(other.cancel(a)).isFalse();
        assertThat(mutex.cancel(a)).isFalse();
        Hold hold = mutex.hold();
        condvar.signal();
        // It stands in the queue of the lock now, with a signal that only its condition can pass on.
        assertThat(mutex.cancel(a)).isFalse();
        assertThat(other.cancel(a)).isFalse();
        assertThat(condvar.cancel(a)).isTrue();
        hold.close();
        assertThat(log).containsExactly("b");
        mutex.unlock(b);
        assertThat(condvar.waiterCount()).isZero();
        assertThat(mutex.isLocked()).isFalse();
        // A wait of its own is again anybody's to cancel.
        assertThat(mutex.lock(b)).isTrue();
        assertThat(mutex.lock(a)).isFalse();
        assertThat(mutex.cancel(a)).isTrue();
        mutex.unlock(b);
    }

    @Test
    void nothingIsRetainedAfterACancelledWait() throws Exception {
        WeakReference<CompletableFuture<Hold>> unsignalled = new WeakReference<>(awaiting());
        unsignalled.get().cancel(false);
        WeakReference<CompletableFuture<Hold>> signalled = new WeakReference<>(awaiting());
        Hold hold = mutex.hold();
        condvar.signal();
        signalled.get().cancel(false);
        hold.close();
        Task task = waiter(Thread.ofVirtual(), "never");
        WeakReference<Thread> thread = new WeakReference<>(task.thread);
        task.thread.interrupt();
        assertThat(task.outcome()).isInstanceOf(InterruptedException.class);
        task = null;
        until(() -> {
            System.gc();
            return unsignalled.get() == null && signalled.get() == null && thread.get() == null;
        });
        assertThat(condvar.waiterCount()).isZero();
        assertThat(mutex.isLocked()).isFalse();
    }

    @Test
    void aDateInThePastDoesNotWait() throws Exception {
        mutex.lock();
        assertThat(condvar.awaitUntil(new Date(0))).isFalse();
        assertThat(condvar.awaitUntil(new Date(Long.MIN_VALUE))).isFalse();
        mutex.unlock();
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void interruptedBeforeASignalThrowsWithTheLockHeld(Thread.Builder kind) throws Exception {
        Task task = start(kind, () -> {
            mutex.lock();
            assertThat(catchThrowable(condvar::await)).isInstanceOf(InterruptedException.class);
            assertThat(mutex.isHeldByCurrentThread()).isTrue();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            mutex.unlock();
        });
        until(() -> condvar.waiterCount() == 1);
        Hold hold = mutex.hold();
        task.thread.interrupt();
        until(() -> mutex.queueLength() == 1);
        assertThat(condvar.waiterCount()).isZero();
        hold.close();
        task.join();
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void interruptedAfterItsSignalReturnsWithTheFlagSet(Thread.Builder kind) throws Exception {
        Task task = start(kind, () -> {
            mutex.lock();
            condvar.await();
            assertThat(Thread.interrupted()).isTrue();
            mutex.unlock();
        });
        until(() -> condvar.waiterCount() == 1);
        Hold hold = mutex.hold();
        condvar.signal();
        task.thread.interrupt();
        hold.close();
        task.join();
    }

    @Test
    void interruptedOnEntryThrowsAndKeepsTheLock() throws Exception {
        start(() -> {
                    mutex.lock();
                    Thread.currentThread().interrupt();
                    assertThat(catchThrowable(condvar::await)).isInstanceOf(InterruptedException.class);
                    assertThat(mutex.isHeldByCurrentThread()).isTrue();
                    mutex.unlock();
                })
                .join();
    }

    @Test
    void awaitUninterruptiblyWaitsOn() throws Exception {
        Task task = start(() -> {
            mutex.lock();
            condvar.awaitUninterruptibly();
            assertThat(Thread.interrupted()).isTrue();
            mutex.unlock();
        });
        until(() -> condvar.waiterCount() == 1);
        task.thread.interrupt();
        until(() -> !task.thread.isInterrupted());
        assertThat(condvar.waiterCount()).isEqualTo(1);
        condvar.signal();
        task.join();
    }

    @Test
    void timedWaitsThatAreLateSayFalseAndHoldTheLock() throws Exception {
        mutex.lock();
        assertThat(condvar.await(Duration.ofMillis(1))).isFalse();
        assertThat(condvar.await(1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(condvar.awaitNanos(1000)).isLessThanOrEqualTo(0);
        assertThat(condvar.awaitUntil(new Date(System.currentTimeMillis() + 1))).isFalse();
        assertThat(condvar.await(Duration.ZERO)).isFalse();
        assertThat(condvar.awaitWhile(() -> true, Duration.ofMillis(1))).isFalse();
        assertThat(mutex.isHeldByCurrentThread()).isTrue();
        assertThat(condvar.waiterCount()).isZero();
        mutex.unlock();
    }

    @Test
    void aSignalInTimeSaysTrue() throws Exception {
        Task task = start(() -> {
            mutex.lock();
            assertThat(condvar.await(Duration.ofDays(1))).isTrue();
            mutex.unlock();
        });
        until(() -> condvar.waiterCount() == 1);
        condvar.signal();
        task.join();
    }

    @Test
    void thePredicateIsEvaluatedWithTheLockHeld() throws Exception {
        boolean[] ready = {false};
        Task task = start(() -> {
            mutex.lock();
            condvar.awaitWhile(() -> {
                assertThat(mutex.isHeldByCurrentThread()).isTrue();
                return !ready[0];
            });
            log.add("ready");
            mutex.unlock();
        });
        until(() -> condvar.waiterCount() == 1);
        condvar.signal();
        until(() -> condvar.waiterCount() == 1);
        assertThat(log).isEmpty();
        mutex.withLock(() -> {
            ready[0] = true;
            condvar.signal();
        });
        task.join();
    }

    @Test
    void awaitingWithoutTheLockIsRefused() {
        assertThatThrownBy(condvar::await).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(condvar::awaitUninterruptibly).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(() -> condvar.awaitWhile(() -> true)).isInstanceOf(IllegalMonitorStateException.class);
        Hold ofAnother = new Mutex().hold();
        assertThatThrownBy(() -> condvar.awaitAsync(ofAnother).join()).isInstanceOf(IllegalArgumentException.class);
        assertThat(ofAnother.isHeld()).isTrue();
        Hold ended = mutex.hold();
        ended.close();
        assertThatThrownBy(() -> condvar.awaitAsync(ended).join()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void producersAndConsumersLoseNothing() throws Exception {
        List<Integer> buffer = new ArrayList<>();
        Condvar notEmpty = condvar;
        Condvar notFull = new Condvar(mutex);
        int[] sum = {0};
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 10; t++) {
            tasks.add(start(t % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform(), () -> {
                for (int i = 1; i <= 200; i++) {
                    mutex.lock();
                    notFull.awaitWhile(() -> buffer.size() == 3);
                    buffer.add(i);
                    notEmpty.signal();
                    mutex.unlock();
                }
            }));
            tasks.add(start(t % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform(), () -> {
                for (int i = 1; i <= 200; i++) {
                    mutex.lock();
                    notEmpty.awaitWhile(buffer::isEmpty);
                    sum[0] += buffer.removeFirst();
                    notFull.signal();
                    mutex.unlock();
                }
            }));
        }
        joinAll(tasks);
        assertThat(sum[0]).isEqualTo(10 * 20_100);
        assertThat(mutex.isLocked()).isFalse();
    }

    @Test
    void signallingAllWakesEachWaiterOnce() throws Exception {
        AtomicInteger wakeUps = new AtomicInteger();
        AtomicInteger parks = new AtomicInteger();
        Parker counting = new Parker() {
            @Override
            public void park(Object blocker) {
                parks.incrementAndGet();
                THREADS.park(blocker);
            }

            @Override
            public void parkNanos(Object blocker, long nanos) {
                THREADS.parkNanos(blocker, nanos);
            }

            @Override
            public void unpark(Thread thread) {
                wakeUps.incrementAndGet();
                THREADS.unpark(thread);
            }

            @Override
            public long nanoTime() {
                return THREADS.nanoTime();
            }
        };
        Mutex counted = new Mutex(counting);
        Condvar condition = counted.newCondition();
        int waiters = 10_000;
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < waiters; i++) {
            tasks.add(start(() -> {
                counted.lock();
                condition.await();
                counted.unlock();
            }));
        }
        until(() -> condition.waiterCount() == waiters);
        wakeUps.set(0);
        int parked = parks.get();
        counted.lock();
        condition.signalAll();
        assertThat(wakeUps).hasValue(0);
        counted.unlock();
        joinAll(tasks);
        assertThat(wakeUps).hasValue(waiters);
        // Nobody went back to sleep, but for those that had registered and not yet parked.
        assertThat(parks.get() - parked).isLessThan(waiters / 10);
    }

    @Test
    void toStringShowsTheWaiters() {
        CompletableFuture<Hold> waiting = awaiting();
        assertThat(condvar.toString()).isEqualTo("Condvar[waiting=1, Mutex[free, queued=0]]");
        waiting.cancel(false);
    }
}
