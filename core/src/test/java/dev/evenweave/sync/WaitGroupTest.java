// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.joinAll;
import static dev.evenweave.sync.Testing.log;
import static dev.evenweave.sync.Testing.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.sync.Testing.Noting;
import dev.evenweave.sync.Testing.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class WaitGroupTest {
    private final List<String> log = log();

    @Test
    void waitsUntilEveryMemberIsClosed() throws Exception {
        WaitGroup group = new WaitGroup();
        WaitGroup.Member a = group.register();
        WaitGroup.Member b = group.register();
        CompletableFuture<?> wait = group.awaitAsync();
        a.close();
        assertThat(wait).isNotDone();
        assertThat(group.await(Duration.ZERO)).isFalse();
        b.close();
        assertThat(wait).isCompleted();
        group.await();
    }

    @Test
    void aMemberCountsOnceHoweverOftenItIsClosed() {
        WaitGroup group = new WaitGroup();
        WaitGroup.Member a = group.register();
        group.add();
        a.close();
        a.close();
        assertThat(group.count()).isEqualTo(1);
        assertThat(a).hasToString("WaitGroup.Member[closed]");
    }

    @Test
    void aTimeLimitIsOverWhileWorkersLive() throws Exception {
        WaitGroup group = new WaitGroup();
        group.add();
        assertThat(group.await(Duration.ofMillis(1))).isFalse();
        group.done();
        assertThat(group.await(Duration.ofMillis(1))).isTrue();
    }

    @Test
    void anEmptyGroupLetsAllPass() throws Exception {
        WaitGroup group = new WaitGroup();
        group.await();
        assertThat(group.await(new Noting("a", log))).isTrue();
    }

    @Test
    void anAdditionThatOverflowsFailsWithTheCountUnchanged() {
        WaitGroup group = new WaitGroup();
        group.add(Long.MAX_VALUE);
        assertThatThrownBy(group::add).isInstanceOf(IllegalStateException.class).hasMessageContaining("exceed");
        assertThatThrownBy(group::register).isInstanceOf(IllegalStateException.class);
        assertThat(group.count()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void moreDoneThanWasAddedFailsWithTheCountUnchanged() {
        WaitGroup group = new WaitGroup();
        assertThatThrownBy(group::done)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("only 0");
        group.add(2);
        assertThatThrownBy(() -> group.done(3)).hasMessageContaining("3").hasMessageContaining("2");
        assertThat(group.count()).isEqualTo(2);
        assertThatThrownBy(() -> group.add(-1)).hasMessageContaining("-1");
        assertThatThrownBy(() -> group.done(-1)).hasMessageContaining("-1");
    }

    @Test
    void aGroupMayBeUsedAgainAndEachWaitIsForItsOwnRound() {
        WaitGroup group = new WaitGroup();
        for (int round = 0; round < 3; round++) {
            group.add(2);
            assertThat(group.await(new Noting("round " + round, log))).isFalse();
            group.done(2);
        }
        assertThat(log).containsExactly("round 0", "round 1", "round 2");
    }

    @Test
    void whoWaitedIsLetGoEvenIfTheCountGoesUpRightAfter() {
        WaitGroup group = new WaitGroup();
        group.add();
        // The callback adds before the others hear of the end.
        assertThat(group.await(new Noting("a", log, group::add))).isFalse();
        assertThat(group.await(new Noting("b", log))).isFalse();
        group.done();
        assertThat(log).containsExactly("a", "b");
        assertThat(group.count()).isEqualTo(1);
        assertThat(group.await(new Noting("c", log))).isFalse();
    }

    @Test
    void startedThreadsAreCountedUntilTheyEndHoweverTheyEnd() throws Exception {
        WaitGroup group = new WaitGroup();
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            group.start(ran::incrementAndGet);
        }
        group.start(
                Thread.ofPlatform()
                        .uncaughtExceptionHandler((t, e) -> ran.addAndGet(1_000))
                        .factory(),
                () -> {
                    throw new IllegalStateException("task");
                });
        group.await();
        assertThat(ran.get() % 1_000).isEqualTo(100);
    }

    @Test
    void aFactoryThatFailsLeavesTheCountUnchanged() {
        WaitGroup group = new WaitGroup();
        assertThatThrownBy(() -> group.start(task -> null, () -> {})).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> group.start(
                        task -> {
                            throw new IllegalStateException("no thread");
                        },
                        () -> {}))
                .hasMessage("no thread");
        assertThat(group.count()).isZero();
    }

    @Test
    void addingAndWaitingFromManyThreadsLosesNobody() throws Exception {
        WaitGroup group = new WaitGroup();
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            tasks.add(start(() -> {
                for (int i = 0; i < 2_000; i++) {
                    try (WaitGroup.Member member = group.register()) {
                        Thread.yield();
                    }
                    group.await();
                }
            }));
        }
        joinAll(tasks);
        assertThat(group.count()).isZero();
        assertThat(group.queueLength()).isZero();
    }

    @Test
    void afterClosingNobodyAddsAndWhatRunsIsStillCountedDown() throws Exception {
        WaitGroup group = new WaitGroup();
        WaitGroup.Member running = group.register();
        group.close(new IllegalStateException("failed"));
        assertThatThrownBy(group::add).isInstanceOf(ClosedException.class).hasMessageContaining("failed");
        assertThatThrownBy(() -> group.start(() -> log.add("ran"))).isInstanceOf(ClosedException.class);
        running.close();
        assertThat(group.count()).isZero();
        group.await();
        assertThat(log).isEmpty();
        assertThat(group)
                .hasToString("WaitGroup[count=0, queued=0, closed by java.lang.IllegalStateException: failed]");
    }
}
