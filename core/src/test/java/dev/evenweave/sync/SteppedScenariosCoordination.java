// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.stepping.Scenario;
import dev.evenweave.stepping.Sweep;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.WaitQueue;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The scenarios of CoordinationSweepTest; loaded by the stepping class loader. */
final class SteppedScenariosCoordination {
    private SteppedScenariosCoordination() {}

    private static Parker parker() {
        return Sweep.parker();
    }

    private static void checkFlag(@Nullable Throwable thrown, boolean interrupted) {
        if (thrown == null) {
            assertThat(Thread.interrupted()).isEqualTo(interrupted);
        } else {
            assertThat(thrown).isInstanceOf(InterruptedException.class);
            assertThat(interrupted).isTrue();
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    static final class Counting extends Waiter {
        int calls;

        @Override
        protected void completed(@Nullable Throwable failure) {
            calls++;
        }
    }

    private static boolean timed(Phaser.Party party) {
        try {
            return party.await(Duration.ZERO);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The other counts down. */
    static final class LatchAwait implements Scenario {
        private final Latch latch = new Latch(1, parker());
        private int left;

        @Override
        public void call() throws Throwable {
            try {
                latch.await();
            } finally {
                left = latch.queueLength();
            }
        }

        @Override
        public void act() {
            latch.countDown();
        }

        @Override
        public boolean isBusy() {
            return latch.rounds.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(latch.isOpen()).isTrue();
            assertThat(left).as("who has come back does not wait").isZero();
            assertThat(latch.queueLength()).isZero();
        }
    }

    /** The other ends the work; the time may be over at any step. */
    static final class WaitGroupAwait implements Scenario {
        private final WaitGroup group = new WaitGroup(parker());

        WaitGroupAwait() {
            group.add();
        }

        @Override
        public void call() throws Throwable {
            boolean ignored = group.await(Duration.ofSeconds(1));
        }

        @Override
        public void act() {
            group.done();
        }

        @Override
        public boolean isBusy() {
            return group.rounds.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(group.count()).isZero();
            assertThat(group.queueLength()).isZero();
        }
    }

    /** The other arrives too. */
    static final class BarrierAwait implements Scenario {
        private final Barrier barrier = new Barrier(2, parker());
        private @Nullable Boolean leader;
        private @Nullable CompletableFuture<Boolean> other;

        @Override
        public void call() throws Throwable {
            leader = barrier.await();
        }

        @Override
        public void act() {
            other = barrier.awaitAsync();
        }

        @Override
        public boolean isBusy() {
            return barrier.rounds.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            if (thrown == null) {
                assertThat(other.join()).isEqualTo(!leader);
            }
            // Whoever was interrupted on entry has not arrived, whoever was interrupted later has.
            assertThat(barrier.generation()).isEqualTo(other.isDone() ? 1 : 0);
            assertThat(barrier.generation() + barrier.arrived()).isEqualTo(1);
            assertThat(barrier.queueLength()).isEqualTo(other.isDone() ? 0 : 1);
        }
    }

    /** The other party arrives; then the end of the phase is awaited exactly once. */
    static final class PartyAwait implements Scenario {
        private final Phaser phaser = new Phaser(0, parker());
        private final Phaser.Party party = phaser.register();
        private final Phaser.Party other = phaser.register();

        @Override
        public void call() throws Throwable {
            party.await();
        }

        @Override
        public void act() {
            other.arrive();
        }

        @Override
        public boolean isBusy() {
            return phaser.rounds.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(phaser.queueLength()).isZero();
            if (thrown != null) {
                // The same phase, whether it had arrived by then or not.
                assertThat(timed(party)).isTrue();
            }
            assertThat(phaser.phase()).isEqualTo(1);
            assertThat(phaser.arrived()).isZero();
            assertThat(timed(party)).isFalse();
            assertThat(phaser.arrived()).isEqualTo(1);
        }
    }

    /** A party's future is cancelled while the other party arrives. */
    static final class CancelParty implements Scenario {
        private final Phaser phaser = new Phaser(0, parker());
        private final Phaser.Party party = phaser.register();
        private final Phaser.Party other = phaser.register();
        private final CompletableFuture<?> future = party.awaitAsync();

        @Override
        public void call() {
            future.cancel(false);
        }

        @Override
        public void act() {
            other.arrive();
        }

        @Override
        public boolean isBusy() {
            return phaser.rounds.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            assertThat(thrown).isNull();
            assertThat(phaser.queueLength()).isZero();
            assertThat(phaser.phase()).isEqualTo(1);
            assertThat(timed(party)).isEqualTo(future.isCancelled());
            assertThat(phaser.arrived()).isEqualTo(future.isCancelled() ? 0 : 1);
        }
    }

    /** The other sets and resets. */
    static final class EventAwait implements Scenario {
        private final ManualResetEvent event = new ManualResetEvent(false, parker());
        private int resets;

        @Override
        public void call() throws Throwable {
            event.await();
        }

        @Override
        public void act() {
            event.set();
            if (event.queueLength() == 0 && resets++ > 0) {
                event.reset();
            }
        }

        @Override
        public boolean isBusy() {
            return event.gate.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(event.isSet()).isTrue();
            assertThat(event.queueLength()).isZero();
        }
    }

    /** The other gives a signal: it is taken or there. */
    static final class SignalAwait implements Scenario {
        private final AutoResetEvent event = new AutoResetEvent(false, parker());

        @Override
        public void call() throws Throwable {
            event.await();
        }

        @Override
        public void act() {
            event.set();
        }

        @Override
        public boolean isBusy() {
            return event.signal.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(event.isSet()).isEqualTo(thrown != null);
            assertThat(event.queueLength()).isZero();
        }
    }

    /** A future is cancelled while the other gives a signal; another waiter is behind. */
    static final class CancelSignal implements Scenario {
        private final AutoResetEvent event = new AutoResetEvent(false, parker());
        private final CompletableFuture<?> future = event.awaitAsync();
        private final Counting behind = new Counting();

        CancelSignal() {
            assertThat(event.await(behind)).isFalse();
        }

        @Override
        public void call() {
            future.cancel(false);
        }

        @Override
        public void act() {
            event.set();
        }

        @Override
        public boolean isBusy() {
            return event.signal.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            assertThat(thrown).isNull();
            assertThat(behind.calls).isEqualTo(future.isCancelled() ? 1 : 0);
            assertThat(event.isSet()).isFalse();
        }
    }

    /** The other completes. */
    static final class CompletionAwait implements Scenario {
        private final Completion<String> completion = new Completion<>(parker());
        private @Nullable String value;

        @Override
        public void call() throws Throwable {
            value = completion.await();
        }

        @Override
        public void act() {
            completion.complete("value");
        }

        @Override
        public boolean isBusy() {
            return completion.gate.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(value).isEqualTo(thrown == null ? "value" : null);
            assertThat(completion.queueLength()).isZero();
        }
    }

    /** One completes while the other closes: one of the two, and all hear of it. */
    static final class CompletionClosed implements Scenario {
        private final Completion<String> completion = new Completion<>(parker());
        private final CompletableFuture<String> future = completion.awaitAsync();
        private boolean completed;

        @Override
        public void call() {
            completed = completion.complete("value");
        }

        @Override
        public void act() {
            completion.close();
        }

        @Override
        public boolean isBusy() {
            return completion.gate.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            assertThat(thrown).isNull();
            assertThat(completion.isClosed()).isEqualTo(!completed);
            assertThat(future.isDone()).isTrue();
            assertThat(future.isCompletedExceptionally()).isEqualTo(!completed);
        }
    }

    abstract static class OnCell implements Scenario {
        final OnceCell<String> cell = new OnceCell<>(parker());
        final CompletableFuture<String> stage = new CompletableFuture<>();
        final CompletableFuture<String> leader = cell.getOrInitAsync(() -> stage);

        @Override
        public boolean isBusy() {
            Initialization.Pending pending = cell.pending();
            return pending != null && isBusy(pending.lead, pending.end);
        }

        private static boolean isBusy(WaitQueue lead, WaitQueue end) {
            return lead.isLocked() || end.isLocked();
        }
    }

    /** The leader fails: the lead is taken or free. */
    static final class CellLeads extends OnCell {
        private @Nullable String value;

        @Override
        public void call() throws Throwable {
            value = cell.getOrInit(() -> "second");
        }

        @Override
        public void act() {
            stage.completeExceptionally(new IllegalStateException("failed"));
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(leader.isCompletedExceptionally()).isTrue();
            assertThat(value).isEqualTo(thrown == null ? "second" : null);
            assertThat(cell.trySet("later")).isEqualTo(thrown != null);
            assertThat(cell.queueLength()).isZero();
        }
    }

    /** The leader succeeds. */
    static final class CellShares extends OnCell {
        private @Nullable String value;

        @Override
        public void call() throws Throwable {
            value = cell.getOrInit(() -> "second");
        }

        @Override
        public void act() {
            stage.complete("first");
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(leader.join()).isEqualTo("first");
            assertThat(value).isEqualTo(thrown == null ? "first" : null);
            assertThat(cell.get()).isEqualTo("first");
        }
    }

    /** The thread leads itself, and waits in its body. */
    static final class CellRunsItsBody implements Scenario {
        private final OnceCell<String> cell = new OnceCell<>(parker());
        private final Latch go = new Latch(1, parker());
        private final CompletableFuture<?> watching = cell.awaitAsync();

        @Override
        public void call() throws Throwable {
            cell.getOrInit(() -> {
                go.await();
                return "value";
            });
        }

        @Override
        public void act() {
            go.countDown();
        }

        @Override
        public boolean isBusy() {
            return go.rounds.isLocked();
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(watching.isDone()).isEqualTo(thrown == null);
            assertThat(cell.trySet("later")).isEqualTo(thrown != null);
            assertThat(watching.isDone()).isTrue();
        }
    }

    /** A future that would lead next is cancelled while the leader fails; one is behind it. */
    static final class CancelQueuedLeader extends OnCell {
        private int ran;
        private final CompletableFuture<String> next = cell.getOrInitAsync(() -> {
            ran++;
            return CompletableFuture.completedFuture("next");
        });
        private final CompletableFuture<String> behind =
                cell.getOrInitAsync(() -> CompletableFuture.completedFuture("behind"));

        @Override
        public void call() {
            next.cancel(false);
        }

        @Override
        public void act() {
            stage.completeExceptionally(new IllegalStateException("failed"));
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            assertThat(thrown).isNull();
            assertThat(behind.isDone()).isTrue();
            assertThat(behind.join()).isEqualTo(ran > 0 ? "next" : "behind");
            if (!next.isCancelled()) {
                assertThat(next.join()).isEqualTo("next");
            }
            assertThat(cell.queueLength()).isZero();
        }
    }

    /** The leader is cancelled while its stage succeeds; one is behind it. */
    static final class CancelLeader extends OnCell {
        private final CompletableFuture<String> behind =
                cell.getOrInitAsync(() -> CompletableFuture.completedFuture("behind"));

        @Override
        public void call() {
            leader.cancel(false);
            assertThat(stage.isDone()).isTrue();
        }

        @Override
        public void act() {
            stage.complete("first");
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            assertThat(thrown).isNull();
            assertThat(behind.isDone()).isTrue();
            assertThat(behind.join()).isEqualTo(stage.isCancelled() ? "behind" : "first");
            if (!leader.isCancelled()) {
                assertThat(leader.join()).isEqualTo("first");
            }
            assertThat(cell.get()).isEqualTo(behind.join());
        }
    }

    abstract static class OnShare implements Scenario {
        final FairShare<String> share = new FairShare<>(2, parker());

        @Override
        public boolean isBusy() {
            return share.shares.isLocked();
        }
    }

    /** The other gives back what is wanted. */
    static final class ShareAcquire extends OnShare {
        ShareAcquire() {
            assertThat(share.tryAcquire("a", 2)).isTrue();
        }

        @Override
        public void call() throws Throwable {
            share.acquire("b", 2);
        }

        @Override
        public void act() {
            share.release("a", 2);
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            checkFlag(thrown, interrupted);
            assertThat(share.held("b")).isEqualTo(thrown == null ? 2 : 0);
            assertThat(share.availablePermits()).isEqualTo(thrown == null ? 0 : 2);
            assertThat(share.keys()).isEqualTo(thrown == null ? 1 : 0);
            assertThat(share.queueLength()).isZero();
        }
    }

    /** One permit is free, but the first waiter wants two and is cancelled: who is behind it must not wait for it. */
    static final class CancelBlocking extends OnShare {
        private final Counting first = new Counting();
        private final Counting behind = new Counting();
        private boolean cancelled;

        CancelBlocking() {
            assertThat(share.tryAcquire("a")).isTrue();
            assertThat(share.acquire("b", 2, first)).isFalse();
            assertThat(share.acquire("c", 1, behind)).isFalse();
        }

        @Override
        public void call() {
            cancelled = share.cancel(first);
            if (cancelled) {
                assertThat(behind.calls).as("one permit was free").isEqualTo(1);
            }
        }

        @Override
        public void act() {
            share.release("a");
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            assertThat(thrown).isNull();
            assertThat(first.calls).isEqualTo(cancelled ? 0 : 1);
            if (!cancelled) {
                share.release("b", 2);
            }
            assertThat(behind.calls).isEqualTo(1);
            assertThat(share.keys()).isEqualTo(1);
            assertThat(share.queueLength()).isZero();
        }
    }

    /** A future is cancelled while the other gives back what it wants; one of another key is behind. */
    static final class CancelShare extends OnShare {
        private final CompletableFuture<FairShare.Admission<String>> future;
        private final Counting behind = new Counting();

        CancelShare() {
            assertThat(share.tryAcquire("a", 2)).isTrue();
            future = share.acquireAsync("b", 2);
            assertThat(share.acquire("c", 1, behind)).isFalse();
        }

        @Override
        public void call() {
            future.cancel(false);
        }

        @Override
        public void act() {
            share.release("a", 2);
        }

        @Override
        public void check(Throwable thrown, boolean interrupted) {
            assertThat(thrown).isNull();
            if (!future.isCancelled()) {
                future.join().close();
            }
            assertThat(behind.calls).isEqualTo(1);
            assertThat(share.availablePermits()).isEqualTo(1);
            assertThat(share.keys()).isEqualTo(1);
        }
    }
}
