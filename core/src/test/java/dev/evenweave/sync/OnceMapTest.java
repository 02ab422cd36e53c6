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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class OnceMapTest {
    private final List<String> log = log();
    private final OnceMap<String, String> map = new OnceMap<>();

    @Test
    void oneComputationPerKeyForAllWhoAskAtOnce() throws Exception {
        AtomicInteger computed = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 100; t++) {
            String key = "key " + t % 4;
            tasks.add(start(() -> assertThat(map.compute(key, () -> {
                        computed.incrementAndGet();
                        Thread.yield();
                        return "value of " + key;
                    }))
                    .isEqualTo("value of " + key)));
        }
        joinAll(tasks);
        assertThat(computed).hasValue(4);
        assertThat(map.size()).isEqualTo(4);
        assertThat(map.computing()).isZero();
    }

    @Test
    void theValueStays() throws Exception {
        assertThat(map.compute("a", () -> "first")).isEqualTo("first");
        assertThat(map.compute("a", () -> "second")).isEqualTo("first");
        assertThat(map.computeUninterruptibly("a", () -> "third")).isEqualTo("first");
        assertThat(map.compute("a", () -> "fourth", Duration.ZERO)).isEqualTo("first");
        assertThat(map.computeAsync("a", () -> CompletableFuture.completedFuture("fifth")))
                .isCompletedWithValue("first");
        assertThat(map.get("a")).isEqualTo("first");
        assertThat(map.get("b")).isNull();
    }

    @Test
    void aFailedTryCanBeRepeatedAndIsKeptWhenItSucceeds() throws Exception {
        assertThatThrownBy(() -> map.compute("a", () -> {
                    throw new IOException("failed");
                }))
                .isInstanceOf(IOException.class);
        assertThat(map.compute("a", () -> "second")).isEqualTo("second");
        assertThat(map.compute("a", () -> "third")).isEqualTo("second");
    }

    @Test
    void anEntryWhoseComputationFailedIsRemoved() {
        assertThatThrownBy(() -> map.compute("a", () -> {
                    throw new IOException("failed");
                }))
                .isInstanceOf(IOException.class);
        assertThat(map).hasToString("OnceMap[size=0, computing=0, queued=0]");
    }

    @Test
    void anEntryWhoseComputationThrewAnErrorIsRemoved() {
        assertThatThrownBy(() -> map.computeUninterruptibly("a", () -> {
                    throw new StackOverflowError("deep");
                }))
                .isInstanceOf(StackOverflowError.class);
        assertThat(map.computing()).isZero();
    }

    @Test
    void anEntryWhoseComputationWasCancelledIsRemoved() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> future = map.computeAsync("a", () -> stage);
        assertThat(map.computing()).isEqualTo(1);
        future.cancel(false);
        assertThat(stage).isCancelled();
        assertThat(map.computing()).isZero();
        assertThat(map.discard("a")).isFalse();
    }

    @Test
    void anEntryWhoseComputationWasInterruptedIsRemoved() throws Exception {
        Task task = start(() -> map.compute("a", () -> {
            new CountDownLatch(1).await();
            return "never";
        }));
        until(() -> map.computing() == 1);
        task.thread.interrupt();
        assertThat(task.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(map.computing()).isZero();
    }

    @Test
    void anEntryThatAWaiterWillRetryStaysThoughTheComputationFailed() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> retried = new CompletableFuture<>();
        CompletableFuture<String> first = map.computeAsync("a", () -> stage);
        CompletableFuture<String> second = map.computeAsync("a", () -> retried);
        stage.completeExceptionally(new IOException("failed"));
        assertThat(first).isCompletedExceptionally();
        assertThat(map.computing()).isEqualTo(1);
        retried.complete("value");
        assertThat(second).isCompletedWithValue("value");
        assertThat(map.get("a")).isEqualTo("value");
    }

    @Test
    void nothingIsThereWhileItIsComputed() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> future = map.computeAsync("a", () -> stage);
        assertThat(map.get("a")).isNull();
        assertThat(map.size()).isZero();
        stage.complete("value");
        assertThat(future).isCompletedWithValue("value");
        assertThat(map.size()).isEqualTo(1);
    }

    @Test
    void removeAndDiscardTakeTheValueOut() throws Exception {
        map.compute("a", () -> "value");
        assertThat(map.remove("a")).isEqualTo("value");
        assertThat(map.remove("a")).isNull();
        assertThat(map.compute("a", () -> "second")).isEqualTo("second");
        assertThat(map.discard("a")).isTrue();
        assertThat(map.discard("a")).isFalse();
        assertThat(map.get("a")).isNull();
    }

    @Test
    void removingWhileComputingDetachesThoseWhoWait() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = map.computeAsync("a", () -> stage);
        CompletableFuture<String> waiter = map.computeAsync("a", () -> CompletableFuture.completedFuture("not run"));
        assertThat(map.queueLength("a")).isEqualTo(1);
        assertThat(map.remove("a")).isNull();
        CompletableFuture<String> later = map.computeAsync("a", () -> CompletableFuture.completedFuture("later"));
        assertThat(later).isCompletedWithValue("later");
        stage.complete("detached");
        assertThat(leader).isCompletedWithValue("detached");
        assertThat(waiter).isCompletedWithValue("detached");
        assertThat(map.get("a")).isEqualTo("later");
    }

    @Test
    void aDetachedComputationThatFailsDoesNotTouchTheNewEntry() {
        CompletableFuture<String> old = new CompletableFuture<>();
        CompletableFuture<String> leader = map.computeAsync("a", () -> old);
        map.discard("a");
        CompletableFuture<String> fresh = new CompletableFuture<>();
        CompletableFuture<String> later = map.computeAsync("a", () -> fresh);
        old.completeExceptionally(new IOException("failed"));
        assertThat(leader).isCompletedExceptionally();
        assertThat(map.computing()).isEqualTo(1);
        fresh.complete("value");
        assertThat(later).isCompletedWithValue("value");
    }

    @Test
    void ofSeveralValuesForOneKeyTheLastOneStays() {
        OnceMap<String, Integer> made = new OnceMap<>(List.of(Map.entry("a", 1), Map.entry("b", 2), Map.entry("a", 3)));
        assertThat(made.get("a")).isEqualTo(3);
        assertThat(made.get("b")).isEqualTo(2);
        assertThat(made.size()).isEqualTo(2);
        List<String> seen = log();
        made.forEach((key, value) -> seen.add(key + value));
        assertThat(seen).containsExactlyInAnyOrder("a3", "b2");
    }

    @Test
    void aBodyMayAskForAnotherKeyButNotForItsOwn() throws Exception {
        assertThat(map.compute("a", () -> "a of " + map.compute("b", () -> "b")))
                .isEqualTo("a of b");
        assertThatThrownBy(() -> map.compute("c", () -> map.compute("c", () -> "inner")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("itself");
        assertThat(map.computing()).isZero();
    }

    @Test
    void aTimeLimitLeavesNoEntryBehind() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> leader = map.computeAsync("a", () -> stage);
        assertThatThrownBy(() -> map.compute("a", () -> "late", Duration.ofNanos(1)))
                .isInstanceOf(TimeoutException.class);
        leader.cancel(false);
        assertThat(map.computing()).isZero();
    }

    @Test
    void failingAndSucceedingFromManyThreadsLeavesOnlyValuesBehind_I1() throws Exception {
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            int mine = t;
            tasks.add(start(t % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform(), () -> {
                for (int i = 0; i < 1_000; i++) {
                    String key = "key " + i % 7;
                    try {
                        int number = i;
                        map.compute(key, () -> {
                            if ((number + mine) % 3 == 0) {
                                throw new IOException("failed");
                            }
                            return key;
                        });
                    } catch (IOException e) {
                        // Its own.
                    }
                    if (i % 5 == 0) {
                        map.discard(key);
                    }
                }
            }));
        }
        joinAll(tasks);
        assertThat(map.computing()).isZero();
        map.forEach((key, value) -> assertThat(value).isEqualTo(key));
    }

    @Test
    void noBodyRunsUnderALockOfTheMap_I2() throws Exception {
        // All keys in one bin: were a body run under its lock, the second key would wait for the first.
        record Colliding(int number) {
            @Override
            public int hashCode() {
                return 1;
            }
        }
        OnceMap<Colliding, String> colliding = new OnceMap<>();
        CompletableFuture<String> stage = new CompletableFuture<>();
        Task first = start(() -> colliding.compute(new Colliding(1), stage::join));
        until(() -> colliding.computing() == 1);
        assertThat(colliding.compute(new Colliding(2), () -> "second")).isEqualTo("second");
        stage.complete("first");
        first.join();
    }
}
