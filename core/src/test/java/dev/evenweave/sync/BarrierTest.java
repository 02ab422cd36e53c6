// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.joinAll;
import static dev.evenweave.sync.Testing.log;
import static dev.evenweave.sync.Testing.start;
import static dev.evenweave.sync.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.sync.Testing.Noting;
import dev.evenweave.sync.Testing.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class BarrierTest {
    private final List<String> log = log();

    @Test
    void aBarrierForZeroOrOneHoldsNobody() throws Exception {
        for (long parties = 0; parties <= 1; parties++) {
            Barrier barrier = new Barrier(parties);
            assertThat(barrier.await()).isTrue();
            assertThat(barrier.await(Duration.ZERO)).isTrue();
            assertThat(barrier.awaitAsync()).isCompletedWithValue(true);
            assertThat(barrier.generation()).isEqualTo(3);
        }
    }

    @Test
    void twoMeetAgainAndAgainAndOneOfThemLeads() throws Exception {
        Barrier barrier = new Barrier(2);
        List<String> steps = java.util.Collections.synchronizedList(log());
        Task other = start(() -> {
            for (int i = 0; i < 100; i++) {
                steps.add("a");
                barrier.await();
                barrier.await();
            }
        });
        for (int i = 0; i < 100; i++) {
            barrier.await();
            steps.add("b");
            barrier.await();
        }
        other.join();
        List<String> expected = log();
        for (int i = 0; i < 100; i++) {
            expected.add("a");
            expected.add("b");
        }
        assertThat(steps).isEqualTo(expected);
    }

    @Test
    void theLastToArriveIsTheLeader() {
        Barrier barrier = new Barrier(3);
        CompletableFuture<Boolean> a = barrier.awaitAsync();
        CompletableFuture<Boolean> b = barrier.awaitAsync();
        assertThat(barrier.arrived()).isEqualTo(2);
        assertThat(a).isNotDone();
        assertThat(barrier.awaitAsync()).isCompletedWithValue(true);
        assertThat(a).isCompletedWithValue(false);
        assertThat(b).isCompletedWithValue(false);
        assertThat(barrier.arrived()).isZero();
    }

    @Test
    void anArrivalWhoseWaitWasCancelledStillCounts() throws Exception {
        Barrier barrier = new Barrier(5);
        barrier.awaitAsync().cancel(false);
        Noting callback = new Noting("a", log);
        assertThat(barrier.await(callback)).isFalse();
        assertThat(barrier.cancel(callback)).isTrue();
        assertThatThrownBy(() -> barrier.await(Duration.ofNanos(1)))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("5 parties");
        Task interrupted = start(barrier::await);
        until(() -> barrier.queueLength() == 1);
        interrupted.thread.interrupt();
        assertThat(interrupted.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(barrier.arrived()).isEqualTo(4);
        assertThat(barrier.await()).isTrue();
        assertThat(log).isEmpty();
    }

    @Test
    void whoIsInterruptedOnEntryHasNotArrived() {
        Barrier barrier = new Barrier(2);
        Thread.currentThread().interrupt();
        assertThatThrownBy(barrier::await).isInstanceOf(InterruptedException.class);
        assertThat(barrier.arrived()).isZero();
    }

    @Test
    void aWaiterThatWaitsAlreadyIsRefusedAndHasNotArrived() {
        Barrier barrier = new Barrier(4);
        Noting a = new Noting("a", log);
        assertThat(barrier.await(a)).isFalse();
        assertThatThrownBy(() -> assertThat(barrier.await(a)).isTrue()).isInstanceOf(IllegalStateException.class);
        assertThat(barrier.arrived()).isEqualTo(1);
        CompletableFuture<Boolean> second = barrier.awaitAsync();
        CompletableFuture<Boolean> third = barrier.awaitAsync();
        // As the last one too.
        assertThatThrownBy(() -> assertThat(barrier.await(a)).isTrue()).isInstanceOf(IllegalStateException.class);
        assertThat(second).isNotDone();
        assertThat(barrier.awaitAsync()).isCompleted();
        assertThat(third).isCompleted();
        assertThat(log).containsExactly("a");
    }

    @Test
    void aHundredTasksMeetTenTimesWithOneLeaderEach() throws Exception {
        Barrier barrier = new Barrier(100);
        AtomicIntegerArray leaders = new AtomicIntegerArray(10);
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 100; t++) {
            tasks.add(start(t % 10 == 0 ? Thread.ofPlatform() : Thread.ofVirtual(), () -> {
                for (int generation = 0; generation < 10; generation++) {
                    if (barrier.await()) {
                        leaders.incrementAndGet(generation);
                    }
                }
            }));
        }
        joinAll(tasks);
        assertThat(leaders).hasToString("[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]");
        assertThat(barrier.generation()).isEqualTo(10);
    }

    @Test
    void whoComesBackFromACallbackBelongsToTheNextGeneration() {
        Barrier barrier = new Barrier(2);
        Noting[] a = new Noting[1];
        a[0] = new Noting("a", log, () -> assertThat(barrier.await(a[0])).isFalse());
        assertThat(barrier.await(a[0])).isFalse();
        assertThat(barrier.await(new Noting("b", log))).isTrue();
        assertThat(log).containsExactly("a");
        assertThat(barrier.arrived()).isEqualTo(1);
        assertThat(barrier.generation()).isEqualTo(1);
    }

    @Test
    void aCompleteGenerationStaysCompleteWhenTheBarrierIsClosed() {
        Barrier barrier = new Barrier(2);
        List<CompletableFuture<Boolean>> after = new ArrayList<>();
        assertThat(barrier.await(new Noting("a", log, () -> {
                    barrier.close();
                    after.add(barrier.awaitAsync());
                })))
                .isFalse();
        CompletableFuture<Boolean> last = barrier.awaitAsync();
        assertThat(last).isCompletedWithValue(true);
        assertThat(log).containsExactly("a");
        assertThat(after.getFirst()).isCompletedExceptionally();
    }

    @Test
    void toStringShowsStateAndQueue() {
        Barrier barrier = new Barrier(3);
        assertThat(barrier.await(new Noting("a", log))).isFalse();
        assertThat(barrier).hasToString("Barrier[generation=0, arrived=1 of 3, queued=1]");
        assertThat(barrier.parties()).isEqualTo(3);
        assertThatThrownBy(() -> new Barrier(-1)).hasMessageContaining("-1");
    }
}
