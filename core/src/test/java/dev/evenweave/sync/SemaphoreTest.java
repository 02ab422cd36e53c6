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
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class SemaphoreTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final List<String> log = log();

    // Counting.

    @Test
    void withoutPermitsTryAcquireFailsAndAcquireWaits() throws Exception {
        Semaphore semaphore = new Semaphore(0);
        assertThat(semaphore.tryAcquire()).isFalse();
        Task waiter = start(semaphore::acquire);
        until(() -> semaphore.queueLength() == 1);
        assertThat(waiter.thread.isAlive()).isTrue();
        semaphore.release();
        waiter.join();
    }

    @Test
    void tryAcquireCountsDownAndClosingThePermitGivesBack() {
        Semaphore semaphore = new Semaphore(3);
        try (Permit two = semaphore.tryAcquirePermit(2).orElseThrow()) {
            assertThat(two.permits()).isEqualTo(2);
            assertThat(semaphore.availablePermits()).isEqualTo(1);
            assertThat(semaphore.tryAcquirePermit(2)).isEmpty();
        }
        assertThat(semaphore.availablePermits()).isEqualTo(3);
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void acquireOnAnExhaustedSemaphoreCompletesAfterAReleaseByAnother(Thread.Builder kind) throws Exception {
        Semaphore semaphore = new Semaphore(1);
        semaphore.acquire();
        Task waiter = start(kind, semaphore::acquire);
        until(() -> semaphore.queueLength() == 1);
        semaphore.release();
        waiter.join();
        assertThat(semaphore.availablePermits()).isZero();
    }

    @Test
    void releaseAddsPermitsBeyondTheInitialNumber() {
        Semaphore semaphore = new Semaphore(1);
        semaphore.release(4);
        assertThat(semaphore.availablePermits()).isEqualTo(5);
        assertThat(semaphore.tryAcquire(5)).isTrue();
    }

    @Test
    void aForgottenPermitIsNotGivenBack() throws Exception {
        Semaphore semaphore = new Semaphore(2);
        try (Permit permit = semaphore.acquirePermit()) {
            permit.forget();
            assertThat(permit.permits()).isZero();
        }
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void aPermitGivesBackOnceHoweverOftenItIsClosed() throws Exception {
        Semaphore semaphore = new Semaphore(1);
        Permit permit = semaphore.acquirePermit();
        permit.close();
        permit.close();
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void hundredTasksWithFivePermitsAreNeverMoreThanFiveInside(Thread.Builder kind) throws Exception {
        Semaphore semaphore = new Semaphore(5);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 100; t++) {
            tasks.add(start(kind, () -> {
                for (int i = 0; i < 50; i++) {
                    try (Permit permit = semaphore.acquirePermit()) {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        Thread.yield();
                        inside.decrementAndGet();
                    }
                }
            }));
        }
        joinAll(tasks);
        assertThat(most.get()).isBetween(1, 5);
        assertThat(semaphore.availablePermits()).isEqualTo(5);
    }

    @Test
    void theLargestNumberOfPermitsIsAcceptedAndReleaseBeyondItFailsWithTheCountUnchanged() {
        Semaphore semaphore = new Semaphore(Long.MAX_VALUE);
        assertThatThrownBy(() -> semaphore.release(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("exceed");
        assertThat(semaphore.availablePermits()).isEqualTo(Long.MAX_VALUE);
        assertThat(semaphore.tryAcquire(2)).isTrue();
        assertThatThrownBy(() -> semaphore.release(3)).isInstanceOf(IllegalStateException.class);
        assertThat(semaphore.availablePermits()).isEqualTo(Long.MAX_VALUE - 2);
        semaphore.release(2);
        assertThat(semaphore.availablePermits()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aFailedReleaseWakesNobody() {
        Semaphore semaphore = new Semaphore(0);
        assertThat(semaphore.acquire(1, new Noting("a", log))).isFalse();
        assertThatThrownBy(() -> semaphore.release(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
        assertThat(log).isEmpty();
        assertThat(semaphore.queueLength()).isEqualTo(1);
    }

    @Test
    void parallelTryAcquireGrantsExactlyWhatIsThere() throws Exception {
        Semaphore semaphore = new Semaphore(10_000);
        AtomicLong granted = new AtomicLong();
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int n = t + 1;
            tasks.add(start(Thread.ofPlatform(), () -> {
                while (semaphore.tryAcquire(n)) {
                    granted.addAndGet(n);
                }
            }));
        }
        joinAll(tasks);
        assertThat(granted.get() + semaphore.availablePermits()).isEqualTo(10_000);
        assertThat(semaphore.availablePermits()).isLessThan(4);
    }

    @Test
    void nothingAskedForPassesTheQueueAndNothingGivenChangesNothing() throws Exception {
        Semaphore semaphore = new Semaphore(0);
        assertThat(semaphore.acquire(2, new Noting("a", log))).isFalse();
        semaphore.acquire(0);
        assertThat(semaphore.tryAcquire(0)).isTrue();
        assertThat(semaphore.acquireAsync(0)).isCompleted();
        semaphore.release(0);
        semaphore.reducePermits(0);
        assertThat(semaphore.drainPermits(0)).isZero();
        assertThat(semaphore.queueLength()).isEqualTo(1);
        assertThat(semaphore.debt()).isZero();
    }

    // Order.

    @Test
    void tryAcquireDoesNotOvertakeTheQueue() {
        Semaphore semaphore = new Semaphore(3);
        assertThat(semaphore.acquire(5, new Noting("five", log))).isFalse();
        assertThat(semaphore.tryAcquire()).isFalse();
        semaphore.release();
        assertThat(semaphore.tryAcquire()).isFalse();
        semaphore.release();
        assertThat(log).containsExactly("five");
    }

    @Test
    void aLargeRequestAtTheHeadIsNotStarvedBySmallOnesBehindIt() {
        Semaphore semaphore = new Semaphore(0);
        assertThat(semaphore.acquire(3, new Noting("large", log))).isFalse();
        assertThat(semaphore.acquire(1, new Noting("small", log))).isFalse();
        semaphore.release();
        semaphore.release();
        assertThat(log).isEmpty();
        semaphore.release();
        assertThat(log).containsExactly("large");
        semaphore.release();
        assertThat(log).containsExactly("large", "small");
    }

    @Test
    void oneReleaseToThirtyFiveWaitersWakesAllInOrder() {
        Semaphore semaphore = new Semaphore(0);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 35; i++) {
            expected.add("waiter " + i);
            assertThat(semaphore.acquire(1, new Noting("waiter " + i, log))).isFalse();
        }
        semaphore.release(35);
        assertThat(log).isEqualTo(expected);
        assertThat(semaphore.availablePermits()).isZero();
    }

    @Test
    void oneReleaseWakesAllThreadsThatItServes() throws Exception {
        Semaphore semaphore = new Semaphore(0);
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            tasks.add(start(semaphore::acquire));
        }
        until(() -> semaphore.queueLength() == 100);
        semaphore.release(100);
        joinAll(tasks);
        assertThat(semaphore.availablePermits()).isZero();
    }

    // Cancellation.

    @Test
    void aWaitForFiveWithThreeHidesThemAndCancellingGivesTheQueuedTwoTheirs() {
        Semaphore semaphore = new Semaphore(3);
        Noting five = new Noting("five", log);
        assertThat(semaphore.acquire(5, five)).isFalse();
        assertThat(semaphore.availablePermits()).isZero();
        assertThat(semaphore.cancel(five)).isTrue();
        assertThat(semaphore.availablePermits()).isEqualTo(3);

        assertThat(semaphore.acquire(5, five)).isFalse();
        assertThat(semaphore.acquire(2, new Noting("two", log))).isFalse();
        assertThat(semaphore.cancel(five)).isTrue();
        assertThat(log).containsExactly("two");
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void tenWithSevenGrantedCancelledGivesSevenBackAndWakesTheNext() throws Exception {
        Semaphore semaphore = new Semaphore(7);
        Task ten = start(() -> semaphore.acquire(10));
        until(() -> semaphore.queueLength() == 1);
        Task next = start(() -> semaphore.acquire(6));
        until(() -> semaphore.queueLength() == 2);
        ten.thread.interrupt();
        assertThat(ten.outcome()).isInstanceOf(InterruptedException.class);
        next.join();
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void aFutureCancelledAfterTheGrantButBeforeItSawItPassesThePermitOn() {
        Semaphore semaphore = new Semaphore(0);
        CompletableFuture<Permit> second = new CompletableFuture<>();
        // The first one's callback runs before the second future hears of its grant, in the same release.
        Noting first = new Noting("first", log, () -> second.cancel(false));
        assertThat(semaphore.acquire(1, first)).isFalse();
        CompletableFuture<Permit> waiting = semaphore.acquireAsync();
        second.whenComplete((permit, failure) -> waiting.cancel(false));
        assertThat(semaphore.acquire(1, new Noting("third", log))).isFalse();
        semaphore.release(2);
        assertThat(waiting).isCancelled();
        assertThat(log).containsExactly("first", "third");
    }

    @Test
    void aCancelledWaiterLeavesNoGhostAndItsSlotServesTheNext() {
        Semaphore semaphore = new Semaphore(0);
        Noting a = new Noting("a", log);
        for (int i = 0; i < 1000; i++) {
            assertThat(semaphore.acquire(1, a)).isFalse();
            assertThat(semaphore.cancel(a)).isTrue();
        }
        assertThat(semaphore.queueLength()).isZero();
        semaphore.release();
        assertThat(log).isEmpty();
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void cancellingInTheMiddleKeepsTheOrderOfTheOthers() {
        Semaphore semaphore = new Semaphore(0);
        Noting b = new Noting("b", log);
        assertThat(semaphore.acquire(1, new Noting("a", log))).isFalse();
        assertThat(semaphore.acquire(1, b)).isFalse();
        assertThat(semaphore.acquire(1, new Noting("c", log))).isFalse();
        assertThat(semaphore.cancel(b)).isTrue();
        semaphore.release(2);
        assertThat(log).containsExactly("a", "c");
    }

    @Test
    void cancellingWhatIsNotInTheQueueSaysSo() {
        Semaphore semaphore = new Semaphore(1);
        Semaphore other = new Semaphore(0);
        Noting a = new Noting("a", log);
        assertThat(semaphore.cancel(a)).isFalse();
        assertThat(semaphore.acquire(1, a)).isTrue();
        assertThat(semaphore.cancel(a)).isFalse();
        assertThat(other.acquire(1, a)).isFalse();
        assertThat(semaphore.cancel(a)).isFalse();
        assertThat(other.cancel(a)).isTrue();
    }

    @Test
    void permitsAreBackBeforeCancelReturns() {
        Semaphore semaphore = new Semaphore(4);
        CompletableFuture<Permit> five = semaphore.acquireAsync(5);
        List<Long> seen = new ArrayList<>();
        five.whenComplete((permit, failure) -> seen.add(0L));
        five.cancel(true);
        seen.add(semaphore.availablePermits());
        assertThat(seen).containsExactly(0L, 4L);
    }

    @Test
    void aFutureThatTimesOutLeavesTheQueue() {
        Semaphore semaphore = new Semaphore(1);
        CompletableFuture<Permit> two = semaphore.acquireAsync(2).orTimeout(1, TimeUnit.MILLISECONDS);
        assertThatThrownBy(two::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(TimeoutException.class);
        until(() -> semaphore.queueLength() == 0);
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void aFutureCompletedByHandLeavesTheQueue() {
        Semaphore semaphore = new Semaphore(0);
        CompletableFuture<Permit> one = semaphore.acquireAsync();
        Permit other = new Permit(semaphore, 0);
        assertThat(one.complete(other)).isTrue();
        assertThat(semaphore.queueLength()).isZero();
        semaphore.release();
        assertThat(semaphore.availablePermits()).isEqualTo(1);
        assertThat(one.join()).isSameAs(other);
    }

    @Test
    void cancellingADerivedFutureDoesNotLeaveTheQueue() {
        Semaphore semaphore = new Semaphore(0);
        CompletableFuture<Permit> one = semaphore.acquireAsync();
        CompletableFuture<Long> derived = one.thenApply(Permit::permits);
        assertThat(derived.cancel(true)).isTrue();
        assertThat(semaphore.queueLength()).isEqualTo(1);
        semaphore.release();
        assertThat(one.join().permits()).isEqualTo(1);
    }

    // Interruption and time.

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void interruptedOnEntryThrowsEvenWithPermitsThere(Thread.Builder kind) throws Exception {
        Semaphore semaphore = new Semaphore(1);
        start(kind, () -> {
                    Thread.currentThread().interrupt();
                    assertThat(catchThrowable(semaphore::acquire)).isInstanceOf(InterruptedException.class);
                    assertThat(Thread.interrupted()).isFalse();
                    Thread.currentThread().interrupt();
                    assertThat(catchThrowable(() -> semaphore.tryAcquire(LONG)))
                            .isInstanceOf(InterruptedException.class);
                    assertThat(Thread.interrupted()).isFalse();
                })
                .join();
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void interruptedWhileWaitingThrowsWithTheFlagCleared(Thread.Builder kind) throws Exception {
        Semaphore semaphore = new Semaphore(0);
        Task waiter = start(kind, () -> {
            assertThat(catchThrowable(semaphore::acquire)).isInstanceOf(InterruptedException.class);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
        until(() -> semaphore.queueLength() == 1);
        waiter.thread.interrupt();
        waiter.join();
        assertThat(semaphore.queueLength()).isZero();
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void uninterruptibleWaitsOnAndLeavesTheFlagSet(Thread.Builder kind) throws Exception {
        Semaphore semaphore = new Semaphore(0);
        Task waiter = start(kind, () -> {
            semaphore.acquireUninterruptibly();
            assertThat(Thread.interrupted()).isTrue();
        });
        until(() -> semaphore.queueLength() == 1);
        waiter.thread.interrupt();
        until(() -> !waiter.thread.isInterrupted());
        assertThat(semaphore.queueLength()).isEqualTo(1);
        semaphore.release();
        waiter.join();
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void aTimeLimitThatPassesLeavesNoGhostInTheQueue(Thread.Builder kind) throws Exception {
        Semaphore semaphore = new Semaphore(1);
        start(
                        kind,
                        () -> assertThat(semaphore.tryAcquire(2, Duration.ofMillis(1)))
                                .isFalse())
                .join();
        assertThat(semaphore.queueLength()).isZero();
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void aTimeLimitOfZeroOrLessDoesNotWait() throws Exception {
        Semaphore semaphore = new Semaphore(1);
        assertThat(semaphore.tryAcquire(2, Duration.ZERO)).isFalse();
        assertThat(semaphore.tryAcquire(2, Duration.ofSeconds(-5))).isFalse();
        assertThat(semaphore.tryAcquire(1, Duration.ZERO)).isTrue();
    }

    @Test
    void aVeryLongTimeLimitIsForEver() throws Exception {
        Semaphore semaphore = new Semaphore(0);
        Task waiter = start(() -> assertThat(semaphore.tryAcquire(Duration.ofSeconds(Long.MAX_VALUE)))
                .isTrue());
        until(() -> semaphore.queueLength() == 1);
        semaphore.release();
        waiter.join();
    }

    @Test
    void whatWasGrantedIsLookedAtBeforeTheClock() throws Exception {
        Semaphore[] semaphore = new Semaphore[1];
        Stepper[] stepper = new Stepper[1];
        stepper[0] = new Stepper(step -> {
            if (step == 1) {
                // The grant comes together with the end of the time, and the thread wakes up late.
                semaphore[0].release();
                stepper[0].pass(Duration.ofDays(1).toNanos());
            }
        });
        semaphore[0] = new Semaphore(0, stepper[0]);
        assertThat(semaphore[0].tryAcquire(Duration.ofNanos(10))).isTrue();
        assertThat(semaphore[0].availablePermits()).isZero();
    }

    @Test
    void aWaitInsideACallbackIsOnItsOwn() throws Exception {
        Semaphore outer = new Semaphore(0);
        Semaphore inner = new Semaphore(0);
        Noting a = new Noting("a", log, () -> {
            inner.acquireUninterruptibly();
            log.add("after inner");
        });
        assertThat(outer.acquire(1, a)).isFalse();
        Task releaser = start(Thread.ofPlatform(), outer::release);
        until(() -> inner.queueLength() == 1);
        // The thread that stands still inside the callback is another one's waiter at the same time.
        assertThat(outer.tryAcquire()).isFalse();
        inner.release();
        releaser.join();
        assertThat(log).containsExactly("a", "after inner");
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void theThreadsOwnParkTokenSurvivesAWait(Thread.Builder kind) throws Exception {
        Semaphore semaphore = new Semaphore(0);
        Task waiter = start(kind, () -> {
            LockSupport.unpark(Thread.currentThread());
            semaphore.acquire();
            // Would hang if the wait had eaten the token.
            LockSupport.park();
        });
        until(() -> semaphore.queueLength() == 1);
        until(() -> waiter.thread.getState() == Thread.State.WAITING);
        semaphore.release();
        waiter.join();
    }

    // Debt and resizing.

    @Test
    void reducePermitsComesBeforeQueuedAcquiresAndARepaidDebtLeavesNothingBehind() {
        Semaphore semaphore = new Semaphore(0);
        assertThat(semaphore.acquire(1, new Noting("a", log))).isFalse();
        semaphore.reducePermits(2);
        assertThat(semaphore.debt()).isEqualTo(2);
        semaphore.release(2);
        assertThat(log).isEmpty();
        assertThat(semaphore.debt()).isZero();
        semaphore.release();
        assertThat(log).containsExactly("a");
        assertThat(semaphore.queueLength()).isZero();
        semaphore.release();
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void reducePermitsTakesWhatIsThereFirst() {
        Semaphore semaphore = new Semaphore(5);
        semaphore.reducePermits(3);
        assertThat(semaphore.availablePermits()).isEqualTo(2);
        assertThat(semaphore.debt()).isZero();
        semaphore.reducePermits(3);
        assertThat(semaphore.availablePermits()).isZero();
        assertThat(semaphore.debt()).isEqualTo(1);
        assertThat(semaphore.tryAcquire()).isFalse();
        semaphore.release(2);
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void drainTakesNothingFromWaiters() {
        Semaphore semaphore = new Semaphore(3);
        assertThat(semaphore.drainPermits(2)).isEqualTo(2);
        assertThat(semaphore.acquire(2, new Noting("a", log))).isFalse();
        assertThat(semaphore.drainPermits()).isZero();
        semaphore.release();
        assertThat(log).containsExactly("a");
    }

    @Test
    void resizingUpServesTheQueueAndDownWaitsForReleases() {
        Semaphore semaphore = new Semaphore(1);
        assertThat(semaphore.tryAcquire()).isTrue();
        assertThat(semaphore.acquire(1, new Noting("a", log))).isFalse();
        semaphore.resize(2);
        assertThat(log).containsExactly("a");
        assertThat(semaphore.limit()).isEqualTo(2);
        semaphore.resize(0);
        assertThat(semaphore.debt()).isEqualTo(2);
        semaphore.release(2);
        assertThat(semaphore.availablePermits()).isZero();
        semaphore.resize(7);
        assertThat(semaphore.availablePermits()).isEqualTo(7);
    }

    @Test
    void resizingUpFirstRepaysTheDebtOfResizingDown() {
        Semaphore semaphore = new Semaphore(4);
        assertThat(semaphore.tryAcquire(4)).isTrue();
        semaphore.resize(1);
        semaphore.resize(3);
        assertThat(semaphore.debt()).isEqualTo(1);
        semaphore.release(4);
        assertThat(semaphore.availablePermits()).isEqualTo(3);
    }

    // Permits as objects.

    @Test
    void mergeAndSplitKeepTheSum() throws Exception {
        Semaphore semaphore = new Semaphore(5);
        Permit a = semaphore.acquirePermit(3);
        Permit b = semaphore.acquirePermit(2);
        a.merge(b);
        assertThat(a.permits()).isEqualTo(5);
        assertThat(b.permits()).isZero();
        Permit c = a.split(4).orElseThrow();
        assertThat(a.permits()).isEqualTo(1);
        assertThat(c.permits()).isEqualTo(4);
        assertThat(a.split(2)).isEmpty();
        assertThat(a.split(0).orElseThrow().permits()).isZero();
        b.close();
        c.close();
        a.close();
        assertThat(semaphore.availablePermits()).isEqualTo(5);
    }

    @Test
    void mergeOfPermitsOfDifferentSemaphoresFails() throws Exception {
        Permit a = new Semaphore(1).acquirePermit();
        Permit b = new Semaphore(1).acquirePermit();
        assertThatThrownBy(() -> a.merge(b)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> a.merge(a)).isInstanceOf(IllegalArgumentException.class);
        assertThat(a.permits()).isEqualTo(1);
        assertThat(b.permits()).isEqualTo(1);
    }

    @Test
    void mergeThatOverflowsIsRefusedWithBothIntact() throws Exception {
        Semaphore semaphore = new Semaphore(Long.MAX_VALUE);
        Permit a = semaphore.acquirePermit(Long.MAX_VALUE);
        semaphore.release(10);
        Permit b = semaphore.acquirePermit(10);
        assertThatThrownBy(() -> a.merge(b)).isInstanceOf(IllegalStateException.class);
        assertThat(a.permits()).isEqualTo(Long.MAX_VALUE);
        assertThat(b.permits()).isEqualTo(10);
    }

    // Callbacks.

    @Test
    void aThrowingCallbackCostsNobodyTheirPermitAndTheFirstExceptionIsRaised() {
        Semaphore semaphore = new Semaphore(0);
        assertThat(semaphore.acquire(1, new Noting("a", log, () -> {
                    throw new IllegalStateException("a failed");
                })))
                .isFalse();
        assertThat(semaphore.acquire(1, new Noting("b", log, () -> {
                    throw new IllegalStateException("b failed");
                })))
                .isFalse();
        assertThat(semaphore.acquire(1, new Noting("c", log))).isFalse();
        Throwable thrown = catchThrowable(() -> semaphore.release(4));
        assertThat(thrown).hasMessage("a failed");
        assertThat(thrown.getSuppressed())
                .singleElement()
                .satisfies(s -> assertThat(s).hasMessage("b failed"));
        assertThat(log).containsExactly("a", "b", "c");
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void everyOperationMayBeCalledFromACallback() {
        Semaphore semaphore = new Semaphore(0);
        Noting[] self = new Noting[1];
        self[0] = new Noting("a", log, () -> {
            assertThat(semaphore.tryAcquire()).isTrue();
            semaphore.release();
            assertThat(semaphore.drainPermits()).isEqualTo(1);
            semaphore.reducePermits(1);
            assertThat(semaphore.cancel(self[0])).isFalse();
            if (log.size() == 1) {
                assertThat(semaphore.acquire(1, self[0])).isFalse();
                semaphore.release(3);
            }
        });
        assertThat(semaphore.acquire(1, self[0])).isFalse();
        semaphore.release(2);
        assertThat(log).containsExactly("a", "a");
        assertThat(semaphore.debt()).isEqualTo(1);
    }

    @Test
    void aThreadWokenWithCallbacksDoesNotWaitForThem() throws Exception {
        Semaphore semaphore = new Semaphore(0);
        CompletableFuture<Void> threadWentOn = new CompletableFuture<>();
        assertThat(semaphore.acquire(1, new Noting("callback", log, threadWentOn::join)))
                .isFalse();
        Task thread = start(() -> {
            semaphore.acquire();
            threadWentOn.complete(null);
        });
        until(() -> semaphore.queueLength() == 2);
        semaphore.release(2);
        thread.join();
        assertThat(log).containsExactly("callback");
    }

    @Test
    void aHundredThousandChainedAsyncReleasesNeedNoStack() {
        chainedReleases(100_000);
    }

    static void chainedReleases(int count) {
        Semaphore semaphore = new Semaphore(0);
        int[] done = {0};
        for (int i = 0; i < count; i++) {
            int number = i;
            semaphore.acquireAsync().thenAccept(permit -> {
                assertThat(done[0]++).isEqualTo(number);
                permit.close();
            });
        }
        semaphore.release();
        assertThat(done[0]).isEqualTo(count);
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    // Bodies.

    @Test
    void withPermitGivesBackWhateverTheBodyDoes() throws Exception {
        Semaphore semaphore = new Semaphore(1);
        assertThat(semaphore.withPermit(() -> "value")).isEqualTo("value");
        semaphore.withPermit(() -> log.add("ran"));
        assertThatThrownBy(() -> semaphore.withPermit(() -> {
                    throw new java.io.IOException("body");
                }))
                .isInstanceOf(java.io.IOException.class);
        assertThat(semaphore.availablePermits()).isEqualTo(1);
        assertThat(log).containsExactly("ran");
    }

    @Test
    void anAsyncBodyHoldsThePermitUntilItsStageCompletes() {
        Semaphore semaphore = new Semaphore(1);
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = semaphore.withPermitAsync(() -> stage);
        assertThat(semaphore.availablePermits()).isZero();
        stage.complete("value");
        assertThat(result).isCompletedWithValue("value");
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void anAsyncBodyThatThrowsOrFailsOrReturnsNullGivesThePermitBack() {
        Semaphore semaphore = new Semaphore(1);
        assertThatThrownBy(semaphore.<String>withPermitAsync(() -> {
                    throw new IllegalStateException("thrown");
                })::join)
                .hasRootCauseMessage("thrown");
        assertThatThrownBy(semaphore.<String>withPermitAsync(
                        () -> CompletableFuture.failedFuture(new IllegalStateException("failed")))::join)
                .hasRootCauseMessage("failed");
        assertThatThrownBy(semaphore.<String>withPermitAsync(() -> null)::join)
                .hasRootCauseInstanceOf(NullPointerException.class);
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }

    @Test
    void anAsyncBodyThatIsCancelledBeforeItBeginsNeverBegins() {
        Semaphore semaphore = new Semaphore(0);
        CompletableFuture<String> result = semaphore.withPermitAsync(() -> {
            log.add("began");
            return CompletableFuture.completedFuture("value");
        });
        assertThat(result.cancel(false)).isTrue();
        assertThat(semaphore.queueLength()).isZero();
        semaphore.release();
        assertThat(log).isEmpty();
        assertThat(semaphore.availablePermits()).isEqualTo(1);
        assertThatThrownBy(result::join).isInstanceOf(CancellationException.class);
    }

    // Closing.

    @Test
    void closingWakesEveryWaiterWithTheReasonAndLaterCallsFailTheSameWay() throws Exception {
        Semaphore semaphore = new Semaphore(0);
        Task thread = start(semaphore::acquire);
        until(() -> semaphore.queueLength() == 1);
        CompletableFuture<Permit> future = semaphore.acquireAsync();
        assertThat(semaphore.acquire(1, new Noting("callback", log))).isFalse();
        IllegalArgumentException reason = new IllegalArgumentException("over");
        semaphore.close(reason);
        semaphore.close(new IllegalArgumentException("later"));
        assertThat(thread.outcome()).isInstanceOf(ClosedException.class).hasCause(reason);
        assertThatThrownBy(future::join)
                .hasCauseInstanceOf(ClosedException.class)
                .hasRootCause(reason);
        assertThat(log).containsExactly("callback: closed: " + reason);
        assertThatThrownBy(semaphore::acquire)
                .isInstanceOf(ClosedException.class)
                .hasCause(reason);
        assertThatThrownBy(semaphore::tryAcquire).isInstanceOf(ClosedException.class);
        assertThatThrownBy(semaphore::acquireUninterruptibly).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> semaphore.tryAcquire(LONG)).isInstanceOf(ClosedException.class);
        assertThat(semaphore.acquireAsync()).isCompletedExceptionally();
        assertThat(semaphore.isClosed()).isTrue();
        assertThat(semaphore.queueLength()).isZero();
        assertThat(semaphore.toString()).contains("closed by").contains("over");
    }

    @Test
    void permitsHeldAndGrantedInPartComeBackAfterClosing() throws Exception {
        Semaphore semaphore = new Semaphore(5);
        Permit two = semaphore.acquirePermit(2);
        Task thread = start(() -> semaphore.acquire(4));
        until(() -> semaphore.queueLength() == 1);
        semaphore.close();
        assertThat(thread.outcome()).isInstanceOf(ClosedException.class);
        assertThat(semaphore.availablePermits()).isEqualTo(3);
        two.close();
        assertThat(semaphore.availablePermits()).isEqualTo(5);
    }

    @Test
    void aCallbackIsToldOfTheCloseWithoutAStackTraceAndACallerWithOne() {
        Semaphore semaphore = new Semaphore(0);
        List<Throwable> told = new ArrayList<>();
        boolean now = semaphore.acquire(1, new Waiter() {
            @Override
            protected void completed(@Nullable Throwable failure) {
                told.add(failure);
            }
        });
        assertThat(now).isFalse();
        semaphore.close(new IllegalStateException("over"));
        assertThat(told).hasSize(1);
        assertThat(told.getFirst()).isInstanceOf(ClosedException.class).hasRootCauseMessage("over");
        assertThat(told.getFirst().getStackTrace()).isEmpty();
        Throwable thrown = catchThrowable(semaphore::tryAcquire);
        assertThat(thrown).isInstanceOf(ClosedException.class);
        assertThat(thrown.getStackTrace()).isNotEmpty();
    }

    @Test
    void aHundredThousandCallbacksAreClosed() {
        Semaphore semaphore = new Semaphore(0);
        AtomicInteger calls = new AtomicInteger();
        for (int i = 0; i < 100_000; i++) {
            assertThat(semaphore.acquire(1, new Waiter() {
                        @Override
                        protected void completed(Throwable failure) {
                            assertThat(failure).isInstanceOf(ClosedException.class);
                            calls.incrementAndGet();
                        }
                    }))
                    .isFalse();
        }
        semaphore.close();
        assertThat(calls).hasValue(100_000);
    }

    // What is kept, and what is shown.

    @Test
    void nothingIsRetainedAfterACancelledWait() throws Exception {
        Semaphore semaphore = new Semaphore(0);
        WeakReference<Waiter> callback = new WeakReference<>(new Noting("a", log));
        assertThat(semaphore.acquire(1, callback.get())).isFalse();
        assertThat(semaphore.cancel(callback.get())).isTrue();
        Task task = start(semaphore::acquire);
        until(() -> semaphore.queueLength() == 1);
        WeakReference<Thread> thread = new WeakReference<>(task.thread);
        task.thread.interrupt();
        assertThat(task.outcome()).isInstanceOf(InterruptedException.class);
        task = null;
        WeakReference<CompletableFuture<Permit>> future = new WeakReference<>(semaphore.acquireAsync());
        future.get().cancel(false);
        until(() -> {
            System.gc();
            return callback.get() == null && thread.get() == null && future.get() == null;
        });
        assertThat(semaphore.queueLength()).isZero();
    }

    @Test
    void debtBeyondWhatALongCanCountIsShownAsTheLargest() {
        Semaphore semaphore = new Semaphore(0);
        semaphore.reducePermits(Long.MAX_VALUE);
        semaphore.reducePermits(Long.MAX_VALUE);
        assertThat(semaphore.debt()).isEqualTo(Long.MAX_VALUE);
        semaphore.release(Long.MAX_VALUE);
        assertThat(semaphore.debt()).isEqualTo(Long.MAX_VALUE);
        semaphore.reducePermits(1);
        semaphore.close();
        semaphore.reducePermits(Long.MAX_VALUE);
        assertThat(semaphore.debt()).isEqualTo(Long.MAX_VALUE);
        assertThat(semaphore.availablePermits()).isZero();
    }

    @Test
    void resizingBeyondTheLargestNumberFailsWithTheLimitUnchanged() {
        Semaphore semaphore = new Semaphore(5);
        semaphore.release(Long.MAX_VALUE - 10);
        assertThatThrownBy(() -> semaphore.resize(100)).isInstanceOf(IllegalStateException.class);
        assertThat(semaphore.limit()).isEqualTo(5);
        assertThat(semaphore.availablePermits()).isEqualTo(Long.MAX_VALUE - 5);
    }

    @Test
    void aFutureCompletedByATaskLeavesTheQueue() {
        Semaphore semaphore = new Semaphore(0);
        CompletableFuture<Permit> future = semaphore.acquireAsync();
        Permit other = new Semaphore(1).tryAcquirePermit(1).orElseThrow();
        assertThat(future.completeAsync(() -> other, Runnable::run)).isSameAs(future);
        assertThat(future).isCompletedWithValue(other);
        assertThat(semaphore.queueLength()).isZero();
        CompletableFuture<Permit> failing = semaphore.acquireAsync();
        failing.completeAsync(
                () -> {
                    throw new IllegalStateException("no permit");
                },
                Runnable::run);
        assertThat(failing.exceptionNow()).hasMessage("no permit");
        assertThat(semaphore.queueLength()).isZero();
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void aPlatformThreadShowsWhatItWaitsForAndAVirtualOneDoesNotPayForThat(Thread.Builder kind) throws Exception {
        Semaphore semaphore = new Semaphore(0);
        Task task = start(kind, semaphore::acquire);
        until(() -> task.thread.getState() == Thread.State.WAITING);
        assertThat(LockSupport.getBlocker(task.thread)).isEqualTo(task.thread.isVirtual() ? null : semaphore.permits);
        Task timed = start(
                kind, () -> assertThat(semaphore.tryAcquire(Duration.ofDays(1))).isTrue());
        until(() -> timed.thread.getState() == Thread.State.TIMED_WAITING);
        assertThat(LockSupport.getBlocker(timed.thread)).isEqualTo(timed.thread.isVirtual() ? null : semaphore.permits);
        semaphore.release(2);
        task.join();
        timed.join();
    }

    @Test
    void aParkThatFailsForWantOfMemoryOrStackLosesNothing() throws Exception {
        AtomicInteger parks = new AtomicInteger();
        Parker failing = new Parker() {
            @Override
            public void park(@Nullable Object blocker) {
                if (parks.getAndIncrement() % 2 == 0) {
                    throw new OutOfMemoryError("of the test");
                }
                throw new StackOverflowError("of the test");
            }

            @Override
            public void parkNanos(@Nullable Object blocker, long nanos) {
                park(blocker);
            }

            @Override
            public void unpark(Thread thread) {
                // Nobody is parked.
            }

            @Override
            public long nanoTime() {
                return System.nanoTime();
            }
        };
        Semaphore semaphore = new Semaphore(0, failing);
        Task task = start(semaphore::acquire);
        until(() -> parks.get() > 3);
        semaphore.release();
        task.join();
        assertThat(semaphore.tryAcquire(Duration.ofMillis(1))).isFalse();
        assertThat(semaphore.queueLength()).isZero();
        assertThat(semaphore.availablePermits()).isZero();
    }

    @Test
    void toStringShowsStateAndQueue() throws Exception {
        Semaphore semaphore = new Semaphore(3);
        assertThat(semaphore.toString()).isEqualTo("Semaphore[available=3, limit=3, queued=0]");
        assertThat(semaphore.acquire(4, new Noting("a", log))).isFalse();
        semaphore.reducePermits(1);
        assertThat(semaphore.toString()).isEqualTo("Semaphore[available=0, limit=3, queued=1, debt=1]");
    }

    @Test
    void badNumbersAreNamed() {
        assertThatThrownBy(() -> new Semaphore(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
        Semaphore semaphore = new Semaphore(1);
        assertThatThrownBy(() -> semaphore.acquire(-2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-2");
        assertThatThrownBy(() -> semaphore.tryAcquire(-3)).hasMessageContaining("-3");
        assertThatThrownBy(() -> semaphore.reducePermits(-4)).hasMessageContaining("-4");
        assertThatThrownBy(() -> semaphore.resize(-5)).hasMessageContaining("-5");
        assertThatThrownBy(() -> semaphore.drainPermits(-6)).hasMessageContaining("-6");
    }

    @Test
    void aWaiterThatWaitsAlreadyIsRefusedWithNothingChanged() {
        Semaphore semaphore = new Semaphore(0);
        Noting a = new Noting("a", log);
        assertThat(semaphore.acquire(1, a)).isFalse();
        assertThatThrownBy(() -> {
                    boolean now = semaphore.acquire(1, a);
                    log.add("taken " + now);
                })
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("waiting already");
        assertThat(semaphore.queueLength()).isEqualTo(1);
        semaphore.release(2);
        assertThat(log).containsExactly("a");
        assertThat(semaphore.availablePermits()).isEqualTo(1);
    }
}
