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
import dev.evenweave.wait.Parker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class PhaserTest {
    private final List<String> log = log();
    private final Phaser phaser = new Phaser();

    @Test
    void aPhaseEndsOnlyWhenAllPartiesHaveArrived() {
        Phaser.Party a = phaser.register();
        Phaser.Party b = phaser.register();
        assertThat(a.arrive()).isZero();
        assertThat(phaser.phase()).isZero();
        assertThat(phaser.arrived()).isEqualTo(1);
        assertThat(b.arrive()).isZero();
        assertThat(phaser.phase()).isEqualTo(1);
        assertThat(phaser.arrived()).isZero();
        assertThat(phaser.unarrived()).isEqualTo(2);
    }

    @Test
    void arrivingTwiceInAPhaseCountsOnce() {
        Phaser.Party a = phaser.register();
        Phaser.Party b = phaser.register();
        a.arrive();
        a.arrive();
        assertThat(phaser.phase()).isZero();
        b.arrive();
        assertThat(phaser.phase()).isEqualTo(1);
    }

    @Test
    void whoRegistersInThePhaseIsWaitedForInIt() {
        Phaser.Party a = phaser.register();
        CompletableFuture<?> wait = phaser.awaitAsync(0);
        Phaser.Party b = phaser.register();
        a.arrive();
        assertThat(wait).isNotDone();
        b.arrive();
        assertThat(wait).isCompleted();
    }

    @Test
    void whoLeavesCompletesThePhaseIfAllOthersHaveArrived() throws Exception {
        Phaser.Party a = phaser.register();
        Phaser.Party b = phaser.register();
        Task waiter = start(() -> a.await());
        until(() -> phaser.queueLength() == 1);
        b.close();
        waiter.join();
        assertThat(phaser.phase()).isEqualTo(1);
        assertThat(phaser.registered()).isEqualTo(1);
        b.close();
        assertThat(phaser.registered()).isEqualTo(1);
    }

    @Test
    void whoLeavesAfterArrivingIsNotCountedTwice() {
        Phaser.Party a = phaser.register();
        Phaser.Party b = phaser.register();
        Phaser.Party c = phaser.register();
        a.arrive();
        a.close();
        assertThat(phaser.unarrived()).isEqualTo(2);
        b.arrive();
        assertThat(phaser.phase()).isZero();
        c.arrive();
        assertThat(phaser.phase()).isEqualTo(1);
        assertThat(phaser.unarrived()).isEqualTo(2);
    }

    @Test
    void aPartyThatHasLeftCannotArrive() {
        Phaser.Party a = phaser.register();
        a.close();
        assertThatThrownBy(a::arrive).isInstanceOf(IllegalStateException.class).hasMessageContaining("has left");
        assertThatThrownBy(a::await).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(a::awaitAsync).isInstanceOf(IllegalStateException.class);
        assertThat(a).hasToString("Phaser.Party[closed, phase=1]");
    }

    @Test
    void withoutPartiesThePhaserRestsAndGoesOnWhenSomebodyRegisters() {
        Phaser.Party a = phaser.register();
        a.close();
        assertThat(phaser.phase()).isEqualTo(1);
        CompletableFuture<?> observer = phaser.awaitAsync(1);
        assertThat(observer).isNotDone();
        Phaser.Party b = phaser.register();
        b.arrive();
        assertThat(observer).isCompleted();
        assertThat(phaser.phase()).isEqualTo(2);
    }

    @Test
    void aBatchRegistersInOnePhaseAndClosingItWithdrawsTheRest() {
        Phaser.Party first = phaser.register();
        Phaser.Parties batch = phaser.register(3);
        assertThat(phaser.registered()).isEqualTo(4);
        Phaser.Party a = batch.next();
        first.arrive();
        a.arrive();
        assertThat(phaser.phase()).isZero();
        batch.close();
        batch.close();
        assertThat(phaser.phase()).isEqualTo(1);
        assertThat(phaser.registered()).isEqualTo(2);
        assertThat(batch.hasNext()).isFalse();
        assertThatThrownBy(batch::next).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void anEmptyBatchChangesNothing() {
        Phaser.Parties none = phaser.register(0);
        assertThat(none.hasNext()).isFalse();
        none.close();
        assertThat(phaser.phase()).isZero();
        assertThatThrownBy(() -> phaser.register(-1).close()).hasMessageContaining("-1");
    }

    @Test
    void aRegistrationThatOverflowsFailsWithNothingChanged() {
        Phaser.Parties all = phaser.register(Long.MAX_VALUE);
        assertThatThrownBy(phaser::register)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("exceed");
        assertThat(phaser.registered()).isEqualTo(Long.MAX_VALUE);
        all.close();
        assertThat(phaser.registered()).isZero();
        assertThat(phaser.phase()).isEqualTo(1);
    }

    @Test
    void twoHundredThousandPartiesMeet() {
        int count = 200_000;
        List<Phaser.Party> parties = new ArrayList<>();
        phaser.register(count).forEachRemaining(parties::add);
        CompletableFuture<?> wait = phaser.awaitAsync(0);
        for (Phaser.Party party : parties) {
            assertThat(wait.isDone()).isFalse();
            party.arrive();
        }
        assertThat(wait).isCompleted();
        assertThat(phaser.unarrived()).isEqualTo(count);
    }

    @Test
    void whoLooksOnWaitsForAnotherPhaseThanTheOneItSaw() throws Exception {
        Phaser.Party a = phaser.register();
        phaser.await(-1);
        phaser.await(1);
        Task observer = start(() -> phaser.await(0));
        until(() -> phaser.queueLength() == 1);
        a.arrive();
        observer.join();
        assertThat(phaser.arrived()).isZero();
    }

    @Test
    void afterArrivingTheWaitIsForThatPhaseEvenIfItIsOver() throws Exception {
        Phaser.Party a = phaser.register();
        a.arrive();
        assertThat(phaser.phase()).isEqualTo(1);
        assertThat(a.await(Duration.ZERO)).isTrue();
        assertThat(phaser.phase()).isEqualTo(1);
        assertThat(a.await(Duration.ZERO)).isTrue();
        assertThat(phaser.phase()).isEqualTo(2);
    }

    @Test
    void aWaitThatEndsEarlyKeepsTheArrivalAndIsTakenUpAgain() throws Exception {
        Phaser.Party a = phaser.register();
        Phaser.Party b = phaser.register();
        assertThat(a.await(Duration.ofNanos(1))).isFalse();
        assertThat(phaser.arrived()).isEqualTo(1);
        CompletableFuture<?> future = a.awaitAsync();
        assertThat(phaser.arrived()).isEqualTo(1);
        future.cancel(false);
        assertThat(phaser.queueLength()).isZero();
        Noting callback = new Noting("a", log);
        assertThat(a.await(callback)).isFalse();
        assertThat(a.cancel(callback)).isTrue();
        assertThat(a.cancel(callback)).isFalse();
        b.arrive();
        // All of these were for phase 0, which is over: no second arrival.
        assertThat(a.await(Duration.ZERO)).isTrue();
        assertThat(phaser.arrived()).isZero();
        assertThat(phaser.phase()).isEqualTo(1);
        // That was awaited: the next one is for phase 1.
        assertThat(a.await(Duration.ZERO)).isFalse();
        assertThat(phaser.arrived()).isEqualTo(1);
        assertThat(log).isEmpty();
    }

    @Test
    void anAwaitedPhaseIsNotAwaitedAgainInWhicheverWayItWasAwaited() throws Exception {
        Phaser.Party a = phaser.register();
        Phaser.Party b = phaser.register();
        CompletableFuture<?> future = a.awaitAsync();
        b.arrive();
        assertThat(future).isCompleted();
        assertThat(a.await(new Noting("a", log))).isFalse();
        b.arrive();
        assertThat(log).containsExactly("a");
        assertThat(phaser.phase()).isEqualTo(2);
        future.cancel(false);
        assertThat(a.await(Duration.ZERO)).isFalse();
        assertThat(phaser.arrived()).isEqualTo(1);
    }

    @Test
    void thePartyMayBeUsedFromItsOwnCallback() {
        Phaser.Party a = phaser.register();
        Phaser.Party b = phaser.register();
        Noting[] waiter = new Noting[1];
        waiter[0] = new Noting("a", log, () -> assertThat(a.await(waiter[0])).isFalse());
        assertThat(a.await(waiter[0])).isFalse();
        b.arrive();
        b.arrive();
        assertThat(log).containsExactly("a", "a");
        assertThat(phaser.phase()).isEqualTo(2);
        assertThat(phaser.arrived()).isEqualTo(1);
    }

    @Test
    void aWaiterThatWaitsAlreadyIsRefusedAndThePhaseIsStillToBeAwaited() throws Exception {
        Phaser.Party a = phaser.register();
        Phaser.Party b = phaser.register();
        Noting waiter = new Noting("a", log);
        assertThat(phaser.await(0, waiter)).isFalse();
        assertThatThrownBy(() -> assertThat(a.await(waiter)).isTrue()).isInstanceOf(IllegalStateException.class);
        b.arrive();
        assertThat(phaser.phase()).isEqualTo(1);
        assertThat(a.await(Duration.ZERO)).isTrue();
        assertThat(phaser.arrived()).isZero();
    }

    @Test
    void closingFreezesThePhaseAndOnesThatAreOverStayOver() throws Exception {
        Phaser.Party a = phaser.register();
        Phaser.Party b = phaser.register();
        a.arrive();
        b.arrive();
        assertThat(b.await(Duration.ZERO)).isTrue();
        phaser.close(new IllegalStateException("stop"));
        phaser.await(0);
        a.await();
        assertThatThrownBy(a::await).isInstanceOf(ClosedException.class).hasMessageContaining("stop");
        assertThatThrownBy(a::arrive).isInstanceOf(ClosedException.class);
        assertThat(b.awaitAsync()).isCompletedExceptionally();
        assertThatThrownBy(phaser::register).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> phaser.register(2).close()).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> phaser.await(1)).isInstanceOf(ClosedException.class);
        a.close();
        b.close();
        assertThat(phaser.phase()).isEqualTo(1);
        assertThat(phaser.registered()).isZero();
    }

    @Test
    void theNumberOfThePhaseWraps() throws Exception {
        Phaser wrapping = new Phaser(Long.MAX_VALUE, Parker.THREADS);
        Phaser.Party a = wrapping.register();
        CompletableFuture<?> wait = wrapping.awaitAsync(Long.MAX_VALUE);
        assertThat(a.arrive()).isEqualTo(Long.MAX_VALUE);
        assertThat(wait).isCompleted();
        assertThat(wrapping.phase()).isEqualTo(Long.MIN_VALUE);
        a.await();
        a.await();
        assertThat(wrapping.phase()).isEqualTo(Long.MIN_VALUE + 1);
    }

    @Test
    void partiesThatComeAndGoNeverMeetAHalfPhase() throws Exception {
        Phaser.Party keeper = phaser.register();
        List<Task> tasks = new ArrayList<>();
        int[] perPhase = new int[1_000];
        for (int t = 0; t < 8; t++) {
            int lifetime = 50 + 10 * t;
            Phaser.Party party = phaser.register();
            tasks.add(start(t % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform(), () -> {
                try (party) {
                    for (int i = 0; i < lifetime; i++) {
                        synchronized (perPhase) {
                            perPhase[(int) phaser.phase()]++;
                        }
                        party.await();
                    }
                }
            }));
        }
        for (int i = 0; i < 200; i++) {
            keeper.await();
        }
        keeper.close();
        joinAll(tasks);
        for (int phase = 0; phase < 200; phase++) {
            int expected = 0;
            for (int t = 0; t < 8; t++) {
                expected += phase < 50 + 10 * t ? 1 : 0;
            }
            assertThat(perPhase[phase]).as("phase " + phase).isEqualTo(expected);
        }
    }

    @Test
    void toStringShowsStateAndQueue() {
        Phaser.Party a = phaser.register();
        Phaser.Party b = phaser.register();
        assertThat(a.await(new Noting("a", log))).isFalse();
        assertThat(phaser).hasToString("Phaser[phase=0, arrived=1 of 2, queued=1]");
        assertThat(a).hasToString("Phaser.Party[arrived, phase=0]");
        assertThat(b).hasToString("Phaser.Party[not arrived, phase=0]");
    }
}
