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
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class OnceCellTest {
    private final List<String> log = log();
    private final OnceCell<String> cell = new OnceCell<>();

    @Test
    void computesOnceAndKeepsTheValue() throws Exception {
        assertThat(cell.get()).isNull();
        assertThat(cell.getOrInit(() -> "first")).isEqualTo("first");
        assertThat(cell.getOrInit(() -> "second")).isEqualTo("first");
        assertThat(cell.getOrInitUninterruptibly(() -> "third")).isEqualTo("first");
        assertThat(cell.getOrInit(() -> "fourth", Duration.ZERO)).isEqualTo("first");
        assertThat(cell.getOrInitAsync(() -> CompletableFuture.completedFuture("fifth")))
                .isCompletedWithValue("first");
        assertThat(cell.get()).isEqualTo("first");
        assertThat(cell.await()).isEqualTo("first");
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void ofAHundredTasksOneComputesAndAllShare(Thread.Builder kind) throws Exception {
        AtomicInteger computed = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 100; t++) {
            tasks.add(start(
                    kind,
                    () -> assertThat(cell.getOrInit(() -> {
                                Thread.yield();
                                return "value " + computed.incrementAndGet();
                            }))
                            .isEqualTo("value 1")));
        }
        joinAll(tasks);
        assertThat(computed).hasValue(1);
    }

    @Test
    void aBodyThatThrowsLeavesTheCellEmptyForTheNextTry() throws Exception {
        assertThatThrownBy(() -> cell.getOrInit(() -> {
                    throw new IOException("failed");
                }))
                .isInstanceOf(IOException.class);
        assertThat(cell.isInitialized()).isFalse();
        assertThat(cell.getOrInit(() -> "second")).isEqualTo("second");
    }

    @Test
    void aBodyThatGivesNullHasFailed() throws Exception {
        assertThatThrownBy(() -> cell.getOrInit(() -> null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("null");
        assertThatThrownBy(cell.getOrInitAsync(() -> CompletableFuture.completedFuture(null))::join)
                .hasRootCauseInstanceOf(NullPointerException.class);
        assertThatThrownBy(cell.getOrInitAsync(() -> null)::join).hasMessageContaining("no stage");
        assertThatThrownBy(() -> cell.set(null)).isInstanceOf(NullPointerException.class);
        assertThat(cell.getOrInit(() -> "value")).isEqualTo("value");
    }

    @Test
    void whenTheBodyFailsTheQueueTriesInOrderEachWithItsOwn() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> first = cell.getOrInitAsync(() -> stage);
        CompletableFuture<String> second = cell.getOrInitAsync(() -> {
            log.add("second");
            return CompletableFuture.failedFuture(new IllegalStateException("second failed"));
        });
        CompletableFuture<String> third = cell.getOrInitAsync(() -> {
            log.add("third");
            return CompletableFuture.completedFuture("value");
        });
        CompletableFuture<String> fourth = cell.getOrInitAsync(() -> {
            log.add("fourth");
            return CompletableFuture.completedFuture("other");
        });
        assertThat(cell.queueLength()).isEqualTo(3);
        stage.completeExceptionally(new IOException("first failed"));
        assertThatThrownBy(first::join).hasRootCauseMessage("first failed");
        assertThatThrownBy(second::join).hasRootCauseMessage("second failed");
        assertThat(third).isCompletedWithValue("value");
        assertThat(fourth).isCompletedWithValue("value");
        assertThat(log).containsExactly("second", "third");
    }

    @Test
    void aHundredThousandFailuresInARowNeedNoStack() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        List<CompletableFuture<String>> futures = new ArrayList<>();
        futures.add(cell.getOrInitAsync(() -> stage));
        for (int i = 0; i < 100_000; i++) {
            futures.add(cell.getOrInitAsync(() -> {
                throw new IllegalStateException("failed");
            }));
        }
        stage.cancel(false);
        assertThat(futures).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(cell.queueLength()).isZero();
        assertThat(cell.trySet("value")).isTrue();
    }

    @Test
    void aLeaderThatIsInterruptedPassesTheLeadOn() throws Exception {
        Task first = start(() -> cell.getOrInit(() -> {
            new CountDownLatch(1).await();
            return "never";
        }));
        until(() -> cell.toString().startsWith("OnceCell[initializing"));
        Task second = start(() -> assertThat(cell.getOrInit(() -> "second")).isEqualTo("second"));
        CompletableFuture<String> third;
        until(() -> cell.queueLength() == 1);
        third = cell.getOrInitAsync(() -> CompletableFuture.completedFuture("third"));
        first.thread.interrupt();
        assertThat(first.outcome()).isInstanceOf(InterruptedException.class);
        second.join();
        assertThat(third.join()).isEqualTo("second");
    }

    @Test
    void aFutureThatLeadsAndIsCancelledCancelsItsStageAndPassesTheLeadOn() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = cell.getOrInitAsync(() -> stage);
        CompletableFuture<String> next = cell.getOrInitAsync(() -> CompletableFuture.completedFuture("next"));
        assertThat(leader.cancel(true)).isTrue();
        assertThat(stage).isCancelled();
        assertThat(next).isCompletedWithValue("next");
    }

    @Test
    void aStageThatCannotBeCancelledKeepsTheLeadAndItsValueIsTheValue() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletionStage<String> deaf = work.minimalCompletionStage();
        CompletableFuture<String> leader = cell.getOrInitAsync(() -> deaf);
        CompletableFuture<String> next = cell.getOrInitAsync(() -> CompletableFuture.completedFuture("next"));
        leader.cancel(true);
        assertThat(next).isNotDone();
        work.complete("all the same");
        assertThat(next).isCompletedWithValue("all the same");
        assertThat(leader).isCancelled();
    }

    @Test
    void aQueuedFutureThatIsCancelledNeverRunsItsBody() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = cell.getOrInitAsync(() -> stage);
        CompletableFuture<String> queued = cell.getOrInitAsync(() -> {
            log.add("ran");
            return CompletableFuture.completedFuture("queued");
        });
        queued.cancel(false);
        assertThat(cell.queueLength()).isZero();
        stage.completeExceptionally(new CancellationException());
        assertThat(leader).isCompletedExceptionally();
        assertThat(log).isEmpty();
        assertThat(cell.trySet("value")).isTrue();
    }

    @Test
    void aFutureThatWasCancelledJustWhenItGotTheLeadPassesItOn() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String>[] futures = futures(3);
        futures[0] = cell.getOrInitAsync(() -> stage);
        futures[1] = cell.getOrInitAsync(() -> {
            log.add("second");
            return CompletableFuture.completedFuture("second");
        });
        futures[2] = cell.getOrInitAsync(() -> CompletableFuture.completedFuture("third"));
        // The first hears of its own failure before the lead goes on.
        CompletableFuture<Void> cancels = futures[0].handle((value, failure) -> {
            futures[1].cancel(false);
            return null;
        });
        stage.completeExceptionally(new IllegalStateException("failed"));
        assertThat(cancels).isCompleted();
        assertThat(futures[2]).isCompletedWithValue("third");
        assertThat(log).isEmpty();
    }

    @SuppressWarnings("unchecked")
    private static CompletableFuture<String>[] futures(int n) {
        return new CompletableFuture[n];
    }

    @Test
    void setWaitsForARunningBodyAndFillsTheCellIfThatFails() throws Exception {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = cell.getOrInitAsync(() -> stage);
        Task setter = start(() -> assertThat(cell.set("set")).isTrue());
        until(() -> cell.queueLength() == 1);
        assertThat(cell.trySet("tried")).isFalse();
        stage.completeExceptionally(new IllegalStateException("failed"));
        setter.join();
        assertThat(leader).isCompletedExceptionally();
        assertThat(cell.get()).isEqualTo("set");
        assertThat(cell.set("again")).isFalse();
        assertThat(cell.trySet("again")).isFalse();
    }

    @Test
    void setAfterABodyThatSucceedsChangesNothing() throws Exception {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = cell.getOrInitAsync(() -> stage);
        Task setter = start(() -> assertThat(cell.set("set")).isFalse());
        until(() -> cell.queueLength() == 1);
        stage.complete("computed");
        setter.join();
        assertThat(leader).isCompletedWithValue("computed");
        assertThat(cell.get()).isEqualTo("computed");
    }

    @Test
    void aTimeLimitEndsTheWaitAndLeavesTheQueue() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = cell.getOrInitAsync(() -> stage);
        assertThatThrownBy(() -> cell.getOrInit(() -> "late", Duration.ofNanos(1)))
                .isInstanceOf(TimeoutException.class);
        assertThatThrownBy(() -> cell.await(Duration.ofNanos(1))).isInstanceOf(TimeoutException.class);
        assertThat(cell.queueLength()).isZero();
        stage.complete("value");
        assertThat(leader).isCompletedWithValue("value");
    }

    @Test
    void anInterruptEndsTheWaitAndLeavesTheQueue() throws Exception {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = cell.getOrInitAsync(() -> stage);
        Task waiter = start(() -> cell.getOrInit(() -> "interrupted"));
        Task deaf = start(() -> {
            assertThat(cell.getOrInitUninterruptibly(() -> "deaf")).isEqualTo("value");
            assertThat(Thread.interrupted()).isTrue();
        });
        until(() -> cell.queueLength() == 2);
        waiter.thread.interrupt();
        deaf.thread.interrupt();
        assertThat(waiter.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(cell.queueLength()).isEqualTo(1);
        stage.complete("value");
        deaf.join();
        assertThat(leader).isCompletedWithValue("value");
    }

    @Test
    void anInterruptOnEntryThrowsIfThereIsNoValueAndIsLeftIfThereIs() throws Exception {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> cell.getOrInit(() -> "value")).isInstanceOf(InterruptedException.class);
        assertThat(cell.isInitialized()).isFalse();
        cell.set("value");
        Thread.currentThread().interrupt();
        assertThat(cell.getOrInit(() -> "other")).isEqualTo("value");
        assertThat(cell.await()).isEqualTo("value");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void awaitNeverComputes() throws Exception {
        Task waiter = start(() -> assertThat(cell.await()).isEqualTo("value"));
        CompletableFuture<String> future = cell.awaitAsync();
        until(() -> cell.queueLength() == 2);
        assertThat(cell.trySet("value")).isTrue();
        waiter.join();
        assertThat(future).isCompletedWithValue("value");
    }

    @Test
    void aBodyThatAsksForItsOwnValueGetsAnErrorAndNotAHang() throws Exception {
        assertThat(cell.getOrInit(() -> {
                    assertThatThrownBy(() -> cell.getOrInit(() -> "inner"))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("itself");
                    assertThatThrownBy(() -> cell.set("inner")).isInstanceOf(IllegalStateException.class);
                    assertThatThrownBy(cell::await).isInstanceOf(IllegalStateException.class);
                    assertThat(cell.trySet("inner")).isFalse();
                    return "outer";
                }))
                .isEqualTo("outer");
    }

    @Test
    void aThrowingCallbackDoesNotUndoTheValue() {
        assertThat(cell.await(new Noting("a", log, () -> {
                    throw new IllegalStateException("callback");
                })))
                .isFalse();
        CompletableFuture<String> future = cell.awaitAsync();
        assertThat(catchThrowable(() -> cell.getOrInit(() -> "value"))).hasMessage("callback");
        assertThat(cell.get()).isEqualTo("value");
        assertThat(future).isCompletedWithValue("value");
        assertThat(cell.queueLength()).isZero();
    }

    @Test
    void whatWaitedIsNotRetainedByACellThatHasItsValue() throws Exception {
        WeakReference<Waiter> callback = new WeakReference<>(new Noting("a", log));
        assertThat(cell.await(callback.get())).isFalse();
        cell.set("value");
        until(() -> {
            System.gc();
            return callback.get() == null;
        });
        assertThat(cell.isInitialized()).isTrue();
    }

    @Test
    void aCellMayBeMadeWithItsValue() {
        assertThat(OnceCell.of("value").get()).isEqualTo("value");
        assertThat(OnceCell.of("value")).hasToString("OnceCell[initialized: value]");
        assertThatThrownBy(() -> OnceCell.of(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void computingAndFailingFromManyThreadsComesToOneValue_I1() throws Exception {
        for (int round = 0; round < 200; round++) {
            OnceCell<Integer> contended = new OnceCell<>();
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger succeeded = new AtomicInteger();
            List<Task> tasks = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                int mine = t;
                tasks.add(start(t % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform(), () -> {
                    try {
                        int value = contended.getOrInit(() -> {
                            assertThat(inside.incrementAndGet()).isEqualTo(1);
                            Thread.yield();
                            inside.decrementAndGet();
                            if (mine % 3 == 0) {
                                throw new IOException("failed");
                            }
                            succeeded.incrementAndGet();
                            return mine;
                        });
                        assertThat(value).isEqualTo(contended.get());
                    } catch (IOException e) {
                        assertThat(mine % 3).isZero();
                    }
                }));
            }
            joinAll(tasks);
            assertThat(succeeded).hasValue(1);
            assertThat(contended.queueLength()).isZero();
        }
    }

    @Test
    void toStringShowsStateAndQueue() throws Exception {
        assertThat(cell).hasToString("OnceCell[empty, queued=0]");
        assertThat(cell.await(new Noting("a", log))).isFalse();
        assertThat(cell).hasToString("OnceCell[empty, queued=1]");
        cell.getOrInit(() -> {
            assertThat(cell).hasToString("OnceCell[initializing, queued=1]");
            return "value";
        });
        assertThat(cell).hasToString("OnceCell[initialized: value]");
    }
}
