// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.joinAll;
import static dev.evenweave.sync.Testing.log;
import static dev.evenweave.sync.Testing.start;
import static dev.evenweave.sync.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.sync.Testing.Task;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SingleFlightTest {
    private final List<String> log = log();
    private final SingleFlight<String, String> flight = new SingleFlight<>();

    @Test
    void thoseWhoAskMeanwhileShareOneExecution() throws Exception {
        int callers = 10_000;
        AtomicInteger executions = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < callers; t++) {
            tasks.add(start(() -> assertThat(flight.work("key", () -> {
                        executions.incrementAndGet();
                        until(() -> flight.queueLength("key") == callers - 1);
                        return "value";
                    }))
                    .isEqualTo("value")));
        }
        joinAll(tasks);
        assertThat(executions).hasValue(1);
        assertThat(flight).hasToString("SingleFlight[in flight=0, queued=0]");
    }

    @Test
    void nothingIsKept() throws Exception {
        assertThat(flight.work("a", () -> "first")).isEqualTo("first");
        assertThat(flight.work("a", () -> "second")).isEqualTo("second");
        assertThat(flight.tryWork("a", () -> "third")).isEqualTo("third");
        assertThat(flight.workUninterruptibly("a", () -> "fourth")).isEqualTo("fourth");
        assertThat(flight.tryWorkUninterruptibly("a", () -> "fifth")).isEqualTo("fifth");
        assertThat(flight.work("a", () -> "sixth", Duration.ZERO)).isEqualTo("sixth");
        assertThat(flight.tryWork("a", () -> "seventh", Duration.ZERO)).isEqualTo("seventh");
        assertThat(flight.inFlight()).isZero();
    }

    @Test
    void keysDoNotWaitForEachOther() throws Exception {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> a = flight.workAsync("a", () -> stage);
        assertThat(flight.work("b", () -> "b")).isEqualTo("b");
        stage.complete("a");
        assertThat(a).isCompletedWithValue("a");
    }

    @Test
    void theEntryIsGoneBeforeTheOthersHearOfTheValue() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = flight.workAsync("a", () -> stage);
        CompletableFuture<String> waiter = flight.workAsync("a", () -> CompletableFuture.completedFuture("not run"));
        CompletableFuture<String> after = waiter.thenCompose(
                value -> flight.workAsync("a", () -> CompletableFuture.completedFuture("next flight")));
        stage.complete("value");
        assertThat(leader).isCompletedWithValue("value");
        assertThat(waiter).isCompletedWithValue("value");
        assertThat(after).isCompletedWithValue("next flight");
    }

    @Test
    void aFailureOfWorkIsSharedByAllWhoWaitAndMakesOneAttempt() throws Exception {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = flight.workAsync("a", () -> {
            log.add("attempt");
            return stage;
        });
        Task waiter = start(() -> flight.work("a", () -> {
            log.add("another attempt");
            return "value";
        }));
        until(() -> flight.queueLength("a") == 1);
        CompletableFuture<String> future = flight.workAsync("a", () -> CompletableFuture.completedFuture("not run"));
        IOException failure = new IOException("down");
        stage.completeExceptionally(failure);
        assertThatThrownBy(leader::join).hasCause(failure);
        assertThat(waiter.outcome()).isInstanceOf(CompletionException.class).hasCause(failure);
        assertThatThrownBy(future::join).hasCause(failure);
        assertThat(log).containsExactly("attempt");
        assertThat(flight.work("a", () -> "up again")).isEqualTo("up again");
        assertThat(flight.inFlight()).isZero();
    }

    @Test
    void aFailureOfTryWorkIsTheLeadersAloneAndTheNextLeadsWithItsOwnBody() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = flight.tryWorkAsync("a", () -> stage);
        CompletableFuture<String> second = flight.tryWorkAsync("a", () -> {
            log.add("second");
            return CompletableFuture.completedFuture("value");
        });
        CompletableFuture<String> third = flight.tryWorkAsync("a", () -> {
            log.add("third");
            return CompletableFuture.completedFuture("other");
        });
        stage.completeExceptionally(new IOException("down"));
        assertThatThrownBy(leader::join).hasRootCauseMessage("down");
        assertThat(second).isCompletedWithValue("value");
        assertThat(third).isCompletedWithValue("value");
        assertThat(log).containsExactly("second");
        assertThat(flight.inFlight()).isZero();
    }

    @Test
    void aLeaderThatIsInterruptedPassesTheLeadOnInWorkToo() throws Exception {
        Task leader = start(() -> flight.work("a", () -> {
            new CountDownLatch(1).await();
            return "never";
        }));
        until(() -> flight.inFlight() == 1);
        Task next = start(() -> assertThat(flight.work("a", () -> "next")).isEqualTo("next"));
        until(() -> flight.queueLength("a") == 1);
        CompletableFuture<String> sharing = flight.workAsync("a", () -> CompletableFuture.completedFuture("not run"));
        leader.thread.interrupt();
        assertThat(leader.outcome()).isInstanceOf(InterruptedException.class);
        next.join();
        assertThat(sharing.join()).isEqualTo("next");
        assertThat(flight.inFlight()).isZero();
    }

    @Test
    void aLeadingFutureThatIsCancelledPassesTheLeadOnInWorkToo() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = flight.workAsync("a", () -> stage);
        CompletableFuture<String> next = flight.workAsync("a", () -> CompletableFuture.completedFuture("next"));
        leader.cancel(false);
        assertThat(stage).isCancelled();
        assertThat(next).isCompletedWithValue("next");
        assertThat(flight.inFlight()).isZero();
    }

    @Test
    void anEntryWhoseWorkFailedThrewOrWasCancelledIsRemoved() {
        assertThatThrownBy(() -> flight.work("a", () -> {
                    throw new IOException("failed");
                }))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> flight.tryWork("a", () -> {
                    throw new IOException("failed");
                }))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> flight.tryWorkUninterruptibly("a", () -> {
                    throw new StackOverflowError("deep");
                }))
                .isInstanceOf(StackOverflowError.class);
        CompletableFuture<String> future = flight.tryWorkAsync("a", CompletableFuture::new);
        future.cancel(false);
        assertThat(flight.inFlight()).isZero();
        assertThat(flight.forget("a")).isFalse();
    }

    @Test
    void anEntryThatAWaiterWillRetryStaysThoughTheWorkFailed() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> retried = new CompletableFuture<>();
        CompletableFuture<String> first = flight.tryWorkAsync("a", () -> stage);
        CompletableFuture<String> second = flight.tryWorkAsync("a", () -> retried);
        stage.completeExceptionally(new IOException("failed"));
        assertThat(first).isCompletedExceptionally();
        assertThat(flight.inFlight()).isEqualTo(1);
        CompletableFuture<String> third = flight.tryWorkAsync("a", CompletableFuture::new);
        retried.complete("value");
        assertThat(second).isCompletedWithValue("value");
        assertThat(third).isCompletedWithValue("value");
    }

    @Test
    void forgettingDetachesThoseWhoWait() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = flight.workAsync("a", () -> stage);
        CompletableFuture<String> waiter = flight.workAsync("a", () -> CompletableFuture.completedFuture("not run"));
        assertThat(flight.forget("a")).isTrue();
        CompletableFuture<String> later = flight.workAsync("a", () -> CompletableFuture.completedFuture("later"));
        assertThat(later).isCompletedWithValue("later");
        stage.complete("old");
        assertThat(leader).isCompletedWithValue("old");
        assertThat(waiter).isCompletedWithValue("old");
        assertThat(flight.inFlight()).isZero();
    }

    @Test
    void aTimeLimitEndsTheWait() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = flight.workAsync("a", () -> stage);
        assertThatThrownBy(() -> flight.work("a", () -> "late", Duration.ofNanos(1)))
                .isInstanceOf(TimeoutException.class);
        assertThatThrownBy(() -> flight.tryWork("a", () -> "late", Duration.ofNanos(1)))
                .isInstanceOf(TimeoutException.class);
        assertThat(flight.queueLength("a")).isZero();
        stage.complete("value");
        assertThat(leader).isCompletedWithValue("value");
    }

    @Test
    void aBodyMayAskForAnotherKeyButNotForItsOwn() throws Exception {
        assertThat(flight.work("a", () -> "a of " + flight.work("b", () -> "b")))
                .isEqualTo("a of b");
        assertThatThrownBy(() -> flight.work("c", () -> flight.work("c", () -> "inner")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("itself");
        assertThat(flight.inFlight()).isZero();
    }

    @Test
    void anInterruptOnEntryThrowsAndNothingIsBegun() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> flight.work("a", () -> "value")).isInstanceOf(InterruptedException.class);
        assertThat(flight.inFlight()).isZero();
    }

    @Test
    void manyThreadsManyKeysAllGetTheValueOfTheirKeyAndNothingIsLeft() throws Exception {
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            int mine = t;
            tasks.add(start(t % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform(), () -> {
                for (int i = 0; i < 2_000; i++) {
                    String key = "key " + i % 5;
                    int number = i;
                    try {
                        assertThat(flight.tryWork(key, () -> {
                                    if ((number + mine) % 4 == 0) {
                                        throw new IOException("failed");
                                    }
                                    return key;
                                }))
                                .isEqualTo(key);
                    } catch (IOException e) {
                        // Its own.
                    }
                    if (i % 10 == 0) {
                        flight.forget(key);
                    }
                }
            }));
        }
        joinAll(tasks);
        assertThat(flight.inFlight()).isZero();
    }
}
