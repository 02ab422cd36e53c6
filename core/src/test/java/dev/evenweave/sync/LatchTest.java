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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LatchTest {
    private final List<String> log = log();

    @Test
    void countsDownToZeroAndThenLetsAllGo() throws Exception {
        Latch latch = new Latch(3);
        Task waiter = start(latch::await);
        until(() -> latch.queueLength() == 1);
        latch.countDown();
        latch.countDown();
        assertThat(latch.isOpen()).isFalse();
        assertThat(waiter.thread.isAlive()).isTrue();
        latch.countDown();
        waiter.join();
        assertThat(latch.isOpen()).isTrue();
    }

    @Test
    void tryingSaysWhatIsLeft() {
        Latch latch = new Latch(2);
        assertThat(latch.isOpen()).isFalse();
        assertThat(latch.count()).isEqualTo(2);
        latch.countDown(2);
        assertThat(latch.isOpen()).isTrue();
        assertThat(latch.count()).isZero();
    }

    @Test
    void arrivingWithNothingChangesNothing() {
        Latch latch = new Latch(1);
        latch.countDown(0);
        assertThat(latch.count()).isEqualTo(1);
        latch.countDown();
        latch.countDown(0);
        assertThat(latch.isOpen()).isTrue();
    }

    @Test
    void arrivingWithMoreThanIsLeftStopsAtZero() {
        Latch latch = new Latch(2);
        assertThat(latch.await(new Noting("a", log))).isFalse();
        latch.countDown(Long.MAX_VALUE);
        latch.countDown(Long.MAX_VALUE);
        assertThat(latch.count()).isZero();
        assertThat(log).containsExactly("a");
    }

    @Test
    void theLastArrivalAloneSignals() {
        Latch latch = new Latch(3);
        assertThat(latch.await(new Noting("a", log))).isFalse();
        latch.countDown(2);
        assertThat(log).isEmpty();
        latch.countDown();
        latch.countDown();
        assertThat(log).containsExactly("a");
    }

    @Test
    void aGateHoldsManyAndOpensForAll() throws Exception {
        Latch gate = new Latch(1);
        AtomicInteger through = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            tasks.add(start(() -> {
                gate.await();
                through.incrementAndGet();
            }));
        }
        until(() -> gate.queueLength() == 1_000);
        assertThat(through).hasValue(0);
        gate.countDown();
        joinAll(tasks);
        assertThat(through).hasValue(1_000);
    }

    @Test
    void manyArrivalsBeyondZeroFromManyThreadsOpenItOnce() throws Exception {
        Latch latch = new Latch(1_000);
        assertThat(latch.await(new Noting("open", log))).isFalse();
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            tasks.add(start(Thread.ofPlatform(), () -> {
                for (int i = 0; i < 500; i++) {
                    latch.countDown();
                }
            }));
        }
        joinAll(tasks);
        assertThat(latch.count()).isZero();
        assertThat(log).containsExactly("open");
    }

    @Test
    void whoRacesTwoWaitsIsLetGoByTheFirstAndLeavesTheOther() {
        Latch first = new Latch(1);
        Latch second = new Latch(1);
        CompletableFuture<?> a = first.awaitAsync();
        CompletableFuture<?> b = second.awaitAsync();
        CompletableFuture<Object> any = CompletableFuture.anyOf(a, b);
        first.countDown();
        assertThat(any).isCompleted();
        b.cancel(false);
        assertThat(second.queueLength()).isZero();
    }

    @Test
    void whatWasWrittenBeforeCountingDownIsSeenByWhoWaited() throws Exception {
        for (int round = 0; round < 200; round++) {
            Latch latch = new Latch(2);
            int[] plain = new int[2];
            List<Task> tasks = new ArrayList<>();
            for (int t = 0; t < 2; t++) {
                int mine = t;
                tasks.add(start(() -> {
                    plain[mine] = 1;
                    latch.countDown();
                }));
            }
            latch.await();
            assertThat(plain).containsExactly(1, 1);
            joinAll(tasks);
        }
    }

    @Test
    void closingBeforeZeroKeepsTheCount() {
        Latch latch = new Latch(2);
        latch.close();
        latch.countDown(2);
        assertThat(latch.count()).isEqualTo(2);
        assertThat(latch.isClosed()).isTrue();
        assertThat(latch.isOpen()).isFalse();
        assertThatThrownBy(latch::await).isInstanceOf(ClosedException.class).hasMessage("closed");
        Latch open = new Latch(0);
        open.close();
        assertThat(open.isClosed()).isFalse();
    }

    @Test
    void toStringShowsStateAndQueue() {
        Latch latch = new Latch(2);
        assertThat(latch.await(new Noting("a", log))).isFalse();
        assertThat(latch).hasToString("Latch[count=2, queued=1]");
        latch.countDown(2);
        assertThat(latch).hasToString("Latch[count=0, open]");
    }

    @Test
    void badNumbersAreNamed() {
        assertThatThrownBy(() -> new Latch(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
        assertThatThrownBy(() -> new Latch(1).countDown(-2)).hasMessageContaining("-2");
    }
}
