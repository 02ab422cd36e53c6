// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.joinAll;
import static dev.evenweave.sync.Testing.log;
import static dev.evenweave.sync.Testing.start;
import static dev.evenweave.sync.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.evenweave.sync.FairShare.Admission;
import dev.evenweave.sync.Testing.Noting;
import dev.evenweave.sync.Testing.Task;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class FairShareTest {
    private final List<String> log = log();

    private void queue(FairShare<String> share, String key, long n, String name) {
        assertThat(share.acquire(key, n, new Noting(name, log))).isFalse();
    }

    @Test
    void theWaitingKeyWithTheFewestPermitsIsNext() throws Exception {
        FairShare<String> share = new FairShare<>(3);
        share.acquire("a", 2);
        share.acquire("b");
        queue(share, "a", 1, "a3");
        queue(share, "b", 1, "b2");
        queue(share, "c", 1, "c1");
        share.release("a");
        assertThat(log).containsExactly("c1");
        share.release("a");
        // a holds none by now and came before b.
        assertThat(log).containsExactly("c1", "a3");
        share.release("c");
        assertThat(log).containsExactly("c1", "a3", "b2");
    }

    @Test
    void amongKeysThatHoldAsManyTheOldestWaiterIsNext() throws Exception {
        FairShare<String> share = new FairShare<>(1);
        share.acquire("x");
        queue(share, "b", 1, "b1");
        queue(share, "a", 1, "a1");
        queue(share, "a", 1, "a2");
        share.release("x");
        share.release("b");
        share.release("a");
        assertThat(log).containsExactly("b1", "a1", "a2");
    }

    @Test
    void aBusyKeyDoesNotStarveAnotherThatComesLater() throws Exception {
        FairShare<String> share = new FairShare<>(2);
        share.acquire("busy", 2);
        for (int i = 0; i < 10; i++) {
            queue(share, "busy", 1, "busy " + i);
        }
        queue(share, "late", 1, "late");
        share.release("busy");
        assertThat(log).containsExactly("late");
    }

    @Test
    void permitsThatWereGivenButNotYetNoticedCountAsHeld() throws Exception {
        FairShare<String> share = new FairShare<>(2);
        share.acquire("x", 2);
        queue(share, "a", 1, "a1");
        queue(share, "a", 1, "a2");
        queue(share, "b", 1, "b1");
        share.release("x", 2);
        // The second permit goes to b: a had been given the first by then.
        assertThat(log).containsExactly("a1", "b1");
    }

    @Test
    void tryDoesNotOvertakeTheQueueOfWhateverKey() throws Exception {
        FairShare<String> share = new FairShare<>(3);
        share.acquire("a");
        queue(share, "b", 3, "b3");
        assertThat(share.availablePermits()).isEqualTo(2);
        assertThat(share.tryAcquire("c")).isFalse();
        assertThat(share.tryAdmit("b", 1)).isEmpty();
        share.release("a");
        assertThat(log).containsExactly("b3");
        share.release("b", 3);
        assertThat(share.tryAcquire("c", 3)).isTrue();
    }

    @Test
    void aLargeRequestWhoseTurnItIsIsWaitedForByTheOthers() throws Exception {
        FairShare<String> share = new FairShare<>(3);
        share.acquire("a", 3);
        queue(share, "b", 2, "b2");
        queue(share, "c", 1, "c1");
        share.release("a");
        assertThat(log).isEmpty();
        share.release("a");
        assertThat(log).containsExactly("b2");
        share.release("a");
        assertThat(log).containsExactly("b2", "c1");
    }

    @Test
    void whoHoldsFewerThanAllWhoWaitPassesThemIfItsRequestFits() throws Exception {
        FairShare<String> share = new FairShare<>(4);
        share.acquire("a", 2);
        queue(share, "a", 3, "a3");
        assertThat(share.acquire("b", 1, new Noting("b1", log))).isTrue();
        assertThat(log).isEmpty();
        share.release("a", 2);
        share.release("b");
        assertThat(log).containsExactly("a3");
    }

    @Test
    void cancellingTheOneWhoseTurnItIsLetsTheOthersGo() throws Exception {
        FairShare<String> share = new FairShare<>(2);
        share.acquire("a");
        Noting large = new Noting("b2", log);
        assertThat(share.acquire("b", 2, large)).isFalse();
        queue(share, "c", 1, "c1");
        assertThat(share.cancel(large)).isTrue();
        assertThat(share.cancel(large)).isFalse();
        assertThat(log).containsExactly("c1");
        assertThat(share.keys()).isEqualTo(2);
    }

    @Test
    void anInterruptOfTheOneWhoseTurnItIsLetsTheOthersGo() throws Exception {
        FairShare<String> share = new FairShare<>(2);
        share.acquire("a");
        Task large = start(() -> share.acquire("b", 2));
        until(() -> share.queueLength() == 1);
        queue(share, "c", 1, "c1");
        large.thread.interrupt();
        assertThat(large.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(log).containsExactly("c1");
        assertThat(share.queueLength()).isZero();
    }

    @Test
    void aFutureCancelledAfterTheGrantGivesThePermitToAnotherKey() throws Exception {
        FairShare<String> share = new FairShare<>(2);
        share.acquire("x", 2);
        CompletableFuture<?>[] second = new CompletableFuture<?>[1];
        assertThat(share.acquire("a", 1, new Noting("a1", log, () -> second[0].cancel(false))))
                .isFalse();
        second[0] = share.acquireAsync("b");
        queue(share, "c", 1, "c1");
        share.release("x", 2);
        assertThat(second[0]).isCancelled();
        assertThat(log).containsExactly("a1", "c1");
        assertThat(share.held("b")).isZero();
    }

    @Test
    void theFutureGivesAnAdmissionThatGivesBackOnce() {
        FairShare<String> share = new FairShare<>(2);
        CompletableFuture<Admission<String>> first = share.acquireAsync("a", 2);
        CompletableFuture<Admission<String>> second = share.acquireAsync("b");
        assertThat(second).isNotDone();
        Admission<String> admission = first.join();
        assertThat(admission.key()).isEqualTo("a");
        assertThat(admission.permits()).isEqualTo(2);
        admission.close();
        admission.close();
        assertThat(second).isCompleted();
        assertThat(share.availablePermits()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void threadsWaitTheirTurnAndMayBeInterruptedOrTimeOut(Thread.Builder kind) throws Exception {
        FairShare<String> share = new FairShare<>(1);
        share.acquire("a");
        Task interrupted = start(kind, () -> share.acquire("b"));
        until(() -> share.queueLength() == 1);
        Task deaf = start(kind, () -> {
            share.acquireUninterruptibly("c", 1);
            assertThat(Thread.interrupted()).isTrue();
        });
        until(() -> share.queueLength() == 2);
        interrupted.thread.interrupt();
        deaf.thread.interrupt();
        assertThat(interrupted.outcome()).isInstanceOf(InterruptedException.class);
        start(
                        kind,
                        () -> assertThat(share.tryAcquire("d", 1, Duration.ofNanos(1)))
                                .isFalse())
                .join();
        assertThat(share.tryAcquire("d", 1, Duration.ZERO)).isFalse();
        assertThat(share.queueLength()).isEqualTo(1);
        assertThat(share.keys()).isEqualTo(2);
        share.release("a");
        deaf.join();
        assertThat(share.held("c")).isEqualTo(1);
    }

    /** Interrupts at each step of a wait, with the release at each step: the permit is kept or passed on, never lost. */
    @Test
    void anInterruptAtAnyStepConservesThePermits() {
        for (int interrupt = 0; interrupt < 6; interrupt++) {
            for (int release = 0; release < 6; release++) {
                int interruptAt = interrupt;
                int releaseAt = release;
                FairShare<?>[] share = new FairShare<?>[1];
                @SuppressWarnings("unchecked")
                Stepper stepper = new Stepper(step -> {
                    if (step == interruptAt) {
                        Thread.currentThread().interrupt();
                    }
                    if (step == releaseAt) {
                        ((FairShare<String>) share[0]).release("a");
                    }
                });
                FairShare<String> tested = new FairShare<>(1, stepper);
                share[0] = tested;
                assertThat(tested.tryAcquire("a")).isTrue();
                boolean got = catchThrowable(() -> tested.acquire("b")) == null;
                assertThat(got).isEqualTo(releaseAt <= interruptAt);
                assertThat(Thread.interrupted()).isEqualTo(releaseAt == interruptAt);
                assertThat(tested.queueLength()).isZero();
                if (got) {
                    tested.release("b");
                } else if (tested.held("a") > 0) {
                    tested.release("a");
                }
                assertThat(tested.availablePermits()).isEqualTo(1);
                assertThat(tested.keys()).isZero();
            }
        }
    }

    @Test
    void bodiesGiveBackHoweverTheyEnd() throws Exception {
        FairShare<String> share = new FairShare<>(1);
        assertThat(share.withPermit("a", () -> "value")).isEqualTo("value");
        share.withPermit("a", () -> log.add("ran"));
        assertThatThrownBy(() -> share.withPermit("a", () -> {
                    throw new java.io.IOException("body");
                }))
                .isInstanceOf(java.io.IOException.class);
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = share.withPermitAsync("a", () -> stage);
        assertThat(share.held("a")).isEqualTo(1);
        stage.complete("async");
        assertThat(result).isCompletedWithValue("async");
        try (Admission<String> admission = share.admit("a")) {
            assertThat(share.held("a")).isEqualTo(1);
        }
        assertThat(share.availablePermits()).isEqualTo(1);
        assertThat(share.keys()).isZero();
    }

    @Test
    void badNumbersAndUnmatchedReleasesAreNamedAndChangeNothing() throws Exception {
        assertThatThrownBy(() -> new FairShare<>(0)).hasMessageContaining("0");
        FairShare<String> share = new FairShare<>(2);
        assertThatThrownBy(() -> share.acquire("a", 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0");
        assertThatThrownBy(() -> share.acquire("a", 3))
                .hasMessageContaining("3")
                .hasMessageContaining("2");
        assertThatThrownBy(() -> share.release("a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a");
        share.acquire("a");
        assertThatThrownBy(() -> share.release("a", 2)).hasMessageContaining("2");
        assertThatThrownBy(() -> share.release("b")).isInstanceOf(IllegalStateException.class);
        Admission<String> admission = share.admit("b");
        share.release("b");
        assertThatThrownBy(admission::close).isInstanceOf(IllegalStateException.class);
        assertThat(share.availablePermits()).isEqualTo(1);
        Noting waiting = new Noting("w", log);
        assertThat(share.acquire("c", 2, waiting)).isFalse();
        assertThatThrownBy(() -> assertThat(share.acquire("d", 2, waiting)).isTrue())
                .isInstanceOf(IllegalStateException.class);
        assertThat(share.keys()).isEqualTo(2);
    }

    @Test
    void closingEndsEveryWaitAndWhatIsHeldCanBeGivenBack() throws Exception {
        FairShare<String> share = new FairShare<>(2);
        Admission<String> held = share.admit("a");
        Task thread = start(() -> share.acquire("b", 2));
        until(() -> share.queueLength() == 1);
        CompletableFuture<Admission<String>> future = share.acquireAsync("c", 2);
        queue(share, "a", 2, "callback");
        IllegalArgumentException reason = new IllegalArgumentException("over");
        share.close(reason);
        share.close();
        assertThat(thread.outcome()).isInstanceOf(ClosedException.class).hasCause(reason);
        assertThatThrownBy(future::join).hasRootCause(reason);
        assertThat(log).containsExactly("callback: closed: " + reason);
        assertThatThrownBy(() -> share.acquire("d")).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> share.tryAdmit("d", 1).ifPresent(Admission::close))
                .isInstanceOf(ClosedException.class);
        held.close();
        assertThat(share.availablePermits()).isEqualTo(2);
        assertThat(share).hasToString("FairShare[available=2, limit=2, keys=0, queued=0, closed by " + reason + "]");
    }

    @Test
    void neitherKeysNorWaitersAreRetained() throws Exception {
        FairShare<Object> share = new FairShare<>(1);
        share.acquire("holder");
        Object key = new Object();
        WeakReference<Object> weakKey = new WeakReference<>(key);
        WeakReference<Waiter> waiter = new WeakReference<>(new Noting("a", log));
        assertThat(share.acquire(key, 1, waiter.get())).isFalse();
        assertThat(share.cancel(waiter.get())).isTrue();
        assertThat(share.tryAcquire(key)).isFalse();
        assertThat(share.tryAcquire(key, 1, Duration.ofNanos(1))).isFalse();
        key = null;
        until(() -> {
            System.gc();
            return weakKey.get() == null && waiter.get() == null;
        });
        assertThat(share.keys()).isEqualTo(1);
    }

    @Test
    void permitsAreConservedWhenManyKeysAcquireTimeOutAndAreInterrupted() throws Exception {
        FairShare<Integer> share = new FairShare<>(5);
        AtomicLong inside = new AtomicLong();
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            int key = t % 4;
            tasks.add(start(t % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform(), () -> {
                ThreadLocalRandom random = ThreadLocalRandom.current();
                for (int i = 0; i < 2_000; i++) {
                    long n = random.nextLong(1, 6);
                    if (random.nextInt(8) == 0) {
                        Thread.currentThread().interrupt();
                    }
                    try {
                        if (random.nextInt(4) == 0) {
                            if (!share.tryAcquire(key, n, Duration.ofNanos(random.nextInt(20_000)))) {
                                continue;
                            }
                        } else if (random.nextInt(4) == 0) {
                            CompletableFuture<Admission<Integer>> future = share.acquireAsync(key, n);
                            if (!future.cancel(false)) {
                                future.join().close();
                            }
                            continue;
                        } else {
                            share.acquire(key, n);
                        }
                    } catch (InterruptedException e) {
                        continue;
                    }
                    assertThat(inside.addAndGet(n)).isBetween(1L, 5L);
                    inside.addAndGet(-n);
                    share.release(key, n);
                }
            }));
        }
        joinAll(tasks);
        assertThat(share.availablePermits() + share.held(0) + share.held(1) + share.held(2) + share.held(3))
                .isEqualTo(5);
        assertThat(share.queueLength()).isZero();
    }
}
