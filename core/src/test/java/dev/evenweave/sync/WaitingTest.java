// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.joinAll;
import static dev.evenweave.sync.Testing.log;
import static dev.evenweave.sync.Testing.start;
import static dev.evenweave.sync.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.evenweave.sync.Subjects.Kind;
import dev.evenweave.sync.Subjects.Open;
import dev.evenweave.sync.Subjects.Subject;
import dev.evenweave.sync.Testing.Noting;
import dev.evenweave.sync.Testing.Task;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the package promises of every wait, on everything at which one can wait for something to happen. */
@Timeout(120)
class WaitingTest {
    private static final String KINDS = "dev.evenweave.sync.Subjects#kinds";
    private static final Duration LONG = Duration.ofMinutes(10);

    private final List<String> log = log();

    // Letting go.

    @ParameterizedTest
    @MethodSource(KINDS)
    void threadsFuturesAndCallbacksAreAllLetGo(Kind kind) throws Exception {
        Subject subject = kind.make(6);
        List<Task> tasks = List.of(
                start(Thread.ofVirtual(), subject.blocking()::await),
                start(Thread.ofPlatform(), subject.blocking()::await),
                start(subject.uninterruptible()::run),
                start(() -> assertThat(subject.timed().await(LONG)).isTrue()));
        until(() -> subject.queueLength().getAsInt() == 4);
        CompletableFuture<?> future = subject.async().get();
        assertThat(subject.callback().test(new Noting("callback", log))).isFalse();
        assertThat(subject.queueLength().getAsInt()).isEqualTo(6);
        assertThat(subject.toString()).contains("queued=6");
        subject.open().run();
        joinAll(tasks);
        assertThat(future).isCompleted();
        assertThat(log).containsExactly("callback");
        assertThat(subject.queueLength().getAsInt()).isZero();
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Subjects#kindsThatStayOpen")
    void onceOpenNobodyWaits(Kind kind) throws Exception {
        Subject subject = kind.make(0);
        subject.open().run();
        subject.blocking().await();
        subject.uninterruptible().run();
        assertThat(subject.timed().await(Duration.ZERO)).isTrue();
        assertThat(subject.async().get()).isCompleted();
        assertThat(subject.callback().test(new Noting("callback", log))).isTrue();
        assertThat(log).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Subjects#closeableKinds")
    void whatIsOpenStaysOpenWhenItIsClosed(Kind kind) throws Exception {
        if (!kind.staysOpen()) {
            return;
        }
        Subject subject = kind.make(0);
        subject.open().run();
        subject.close().accept(new IllegalStateException("late"));
        subject.blocking().await();
        assertThat(subject.async().get()).isCompleted();
        assertThat(subject.timed().await(Duration.ZERO)).isTrue();
    }

    @ParameterizedTest
    @MethodSource(KINDS)
    void callbacksAreCalledInTheOrderInWhichTheyCame(Kind kind) {
        int count = 40;
        Subject subject = kind.make(count);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            expected.add("waiter " + i);
            assertThat(subject.callback().test(new Noting("waiter " + i, log))).isFalse();
        }
        subject.open().run();
        assertThat(log).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource(KINDS)
    void aCallbackMayDoAnythingWithWhatItWaitedFor(Kind kind) {
        Subject subject = kind.make(1);
        Noting other = new Noting("other", log);
        boolean now = subject.callback().test(new Noting("callback", log, () -> {
            // Under the lock of what calls it, none of this would come back.
            assertThat(subject.queueLength().getAsInt()).isZero();
            assertThat(subject.toString()).isNotEmpty();
            // A party waits only once for each phase: see PhaserTest.
            boolean party = kind.name().equals("Phaser.Party");
            boolean waits = !party && !subject.callback().test(other);
            assertThat(subject.cancel().test(other)).isEqualTo(waits);
            if (!party) {
                subject.async().get().cancel(false);
            }
            log.add("done");
        }));
        assertThat(now).isFalse();
        subject.open().run();
        assertThat(log).containsExactly("callback", "done");
    }

    @ParameterizedTest
    @MethodSource(KINDS)
    void aThrowingCallbackStillLetsTheOthersGo(Kind kind) {
        Subject subject = kind.make(3);
        assertThat(subject.callback().test(new Noting("a", log, () -> {
                    throw new IllegalStateException("a failed");
                })))
                .isFalse();
        CompletableFuture<?> future = subject.async().get();
        assertThat(subject.callback().test(new Noting("b", log))).isFalse();
        Throwable thrown = catchThrowable(subject.open()::run);
        // A lazy value is opened by a stage, which takes what is thrown at its end for itself.
        if (!kind.name().equals("Lazy")) {
            assertThat(thrown).hasMessage("a failed");
        }
        if (subject.queueLength().getAsInt() > 0) {
            subject.open().run();
        }
        assertThat(log).containsExactly("a", "b");
        assertThat(future).isCompleted();
        assertThat(subject.queueLength().getAsInt()).isZero();
    }

    // Interrupts, time limits, cancellation.

    @ParameterizedTest
    @MethodSource(KINDS)
    void anInterruptThatIsThereOnEntryThrowsEvenIfNothingIsToBeWaitedFor(Kind kind) {
        Subject closed = kind.make(2);
        Thread.currentThread().interrupt();
        assertThat(catchThrowable(closed.blocking()::await)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(closed.queueLength().getAsInt()).isZero();
        if (kind.open() == Open.FOR_ALL) {
            Subject open = kind.make(0);
            open.open().run();
            Thread.currentThread().interrupt();
            assertThat(catchThrowable(() -> open.timed().await(LONG))).isInstanceOf(InterruptedException.class);
        }
    }

    @ParameterizedTest
    @MethodSource(KINDS)
    void anInterruptEndsTheWaitAndClearsTheFlag(Kind kind) throws Exception {
        Subject subject = kind.make(1);
        Task waiter = start(() -> {
            assertThat(catchThrowable(subject.blocking()::await)).isInstanceOf(InterruptedException.class);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
        until(() -> subject.queueLength().getAsInt() == 1);
        waiter.thread.interrupt();
        waiter.join();
        assertThat(subject.queueLength().getAsInt()).isZero();
    }

    @ParameterizedTest
    @MethodSource(KINDS)
    void anUninterruptibleWaitGoesOnAndLeavesTheFlagSet(Kind kind) throws Exception {
        Subject subject = kind.make(1);
        Task waiter = start(() -> {
            subject.uninterruptible().run();
            assertThat(Thread.interrupted()).isTrue();
        });
        until(() -> subject.queueLength().getAsInt() == 1);
        waiter.thread.interrupt();
        until(() -> !waiter.thread.isInterrupted());
        assertThat(subject.queueLength().getAsInt()).isEqualTo(1);
        subject.open().run();
        waiter.join();
    }

    @ParameterizedTest
    @MethodSource(KINDS)
    void aTimeLimitThatPassesLeavesNobodyInTheQueue(Kind kind) throws Exception {
        Subject subject = kind.make(3);
        assertThat(subject.timed().await(Duration.ofNanos(1))).isFalse();
        assertThat(subject.timed().await(Duration.ZERO)).isFalse();
        assertThat(subject.timed().await(Duration.ofSeconds(-1))).isFalse();
        assertThat(subject.queueLength().getAsInt()).isZero();
    }

    @ParameterizedTest
    @MethodSource(KINDS)
    void aCancelledCallbackIsNotCalled(Kind kind) {
        Subject subject = kind.make(2);
        Noting a = new Noting("a", log);
        assertThat(subject.callback().test(a)).isFalse();
        assertThat(subject.callback().test(new Noting("b", log))).isFalse();
        assertThat(subject.cancel().test(a)).isTrue();
        assertThat(subject.cancel().test(a)).isFalse();
        subject.open().run();
        assertThat(subject.cancel().test(a)).isFalse();
        assertThat(log).containsExactly("b");
    }

    @ParameterizedTest
    @MethodSource(KINDS)
    void aFutureThatIsCompletedFromOutsideLeavesTheQueue(Kind kind) {
        Subject subject = kind.make(3);
        subject.async().get().cancel(false);
        assertThat(subject.queueLength().getAsInt()).isZero();
        CompletableFuture<?> failed = subject.async().get();
        failed.completeExceptionally(new IllegalStateException("outside"));
        assertThat(subject.queueLength().getAsInt()).isZero();
        CompletableFuture<?> late = subject.async().get().orTimeout(1, TimeUnit.NANOSECONDS);
        assertThatThrownBy(late::join).hasCauseInstanceOf(TimeoutException.class);
        until(() -> subject.queueLength().getAsInt() == 0);
        subject.open().run();
    }

    @ParameterizedTest
    @MethodSource(KINDS)
    void nothingIsRetainedAfterACancelledWait(Kind kind) throws Exception {
        Subject subject = kind.make(3);
        WeakReference<Waiter> callback = new WeakReference<>(new Noting("a", log));
        assertThat(subject.callback().test(callback.get())).isFalse();
        assertThat(subject.cancel().test(callback.get())).isTrue();
        Task task = start(subject.blocking()::await);
        until(() -> subject.queueLength().getAsInt() == 1);
        WeakReference<Thread> thread = new WeakReference<>(task.thread);
        task.thread.interrupt();
        assertThat(task.outcome()).isInstanceOf(InterruptedException.class);
        task = null;
        WeakReference<CompletableFuture<?>> future =
                new WeakReference<>(subject.async().get());
        future.get().cancel(false);
        until(() -> {
            System.gc();
            return callback.get() == null && thread.get() == null && future.get() == null;
        });
        subject.open().run();
    }

    // Closing.

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Subjects#closeableKinds")
    void closingEndsEveryWaitWithTheReasonAndLaterOnesTheSameWay(Kind kind) throws Exception {
        Subject subject = kind.make(9);
        Task thread = start(subject.blocking()::await);
        Task deaf = start(subject.uninterruptible()::run);
        until(() -> subject.queueLength().getAsInt() == 2);
        CompletableFuture<?> future = subject.async().get();
        assertThat(subject.callback().test(new Noting("callback", log))).isFalse();
        IllegalArgumentException reason = new IllegalArgumentException("over");
        subject.close().accept(reason);
        subject.close().accept(new IllegalArgumentException("later"));
        assertThat(thread.outcome()).isInstanceOf(ClosedException.class).hasCause(reason);
        assertThat(deaf.outcome()).isInstanceOf(ClosedException.class).hasCause(reason);
        assertThatThrownBy(future::join)
                .hasCauseInstanceOf(ClosedException.class)
                .hasRootCause(reason);
        assertThat(log).containsExactly("callback: closed: " + reason);
        assertThatThrownBy(subject.blocking()::await)
                .isInstanceOf(ClosedException.class)
                .hasCause(reason);
        assertThatThrownBy(() -> subject.timed().await(LONG)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(subject.uninterruptible()::run).isInstanceOf(ClosedException.class);
        assertThat(subject.async().get()).isCompletedExceptionally();
        assertThatThrownBy(() -> assertThat(subject.callback().test(new Noting("b", log)))
                        .isTrue())
                .isInstanceOf(ClosedException.class);
        assertThat(subject.toString()).contains("closed by").contains("over");
        assertThat(log).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Subjects#closeableKinds")
    void aHundredThousandCallbacksAreClosed(Kind kind) {
        int count = 100_000;
        Subject subject = kind.make(count);
        AtomicInteger calls = new AtomicInteger();
        for (int i = 0; i < count; i++) {
            assertThat(subject.callback().test(new Waiter() {
                        @Override
                        protected void completed(Throwable failure) {
                            assertThat(failure).isInstanceOf(ClosedException.class);
                            calls.incrementAndGet();
                        }
                    }))
                    .isFalse();
        }
        subject.close().accept(new IllegalStateException("over"));
        assertThat(calls).hasValue(count);
    }

    // Every step.

    /** What happens at a step, beside nothing. */
    private enum Event {
        INTERRUPT,
        OPEN,
        LATE
    }

    /**
     * Plays all orders of an interrupt, an opening and the end of the time at any steps of a wait: the first of them decides,
     * an opening before the others if they come in one step, and nobody is left in the queue.
     */
    @ParameterizedTest
    @MethodSource(KINDS)
    void anInterruptAtAnyStepEitherEndsTheWaitOrIsKept(Kind kind) throws Exception {
        int steps = 7;
        for (boolean timed : new boolean[] {true, false}) {
            for (int interrupt = 0; interrupt < steps; interrupt++) {
                for (int open = 0; open < steps; open++) {
                    for (int late = 0; late < steps; late++) {
                        play(kind, timed, interrupt, open, late);
                    }
                }
            }
        }
    }

    private void play(Kind kind, boolean timed, int interruptAt, int openAt, int lateAt) throws Exception {
        List<Event> events = new ArrayList<>();
        Subject[] subject = new Subject[1];
        Stepper[] stepper = new Stepper[1];
        stepper[0] = new Stepper(step -> {
            if (step == interruptAt) {
                Thread.currentThread().interrupt();
                events.add(Event.INTERRUPT);
            }
            if (step == openAt) {
                subject[0].open().run();
                events.add(Event.OPEN);
            }
            if (step == lateAt) {
                stepper[0].pass(2_000);
                events.add(Event.LATE);
            }
        });
        subject[0] = kind.make(1, stepper[0]);
        String outcome;
        try {
            if (timed) {
                outcome = subject[0].timed().await(Duration.ofNanos(1_000)) ? "open" : "late";
            } else {
                subject[0].blocking().await();
                outcome = "open";
            }
        } catch (InterruptedException e) {
            outcome = "interrupted";
        }
        boolean flag = Thread.interrupted();
        String played = kind + (timed ? ", timed" : "") + ", interrupt at " + interruptAt + ", open at " + openAt
                + ", late at " + lateAt + ": " + outcome;
        assertThat(subject[0].queueLength().getAsInt()).as(played).isZero();
        assertThat(events.isEmpty()).as(played).isFalse();
        switch (outcome) {
            case "open" -> {
                // The opening decided; an interrupt that came with or before its being noticed is still there.
                assertThat(events).as(played).contains(Event.OPEN);
                assertThat(flag).as(played).isEqualTo(events.contains(Event.INTERRUPT));
            }
            case "interrupted" -> {
                assertThat(events).as(played).contains(Event.INTERRUPT).doesNotContain(Event.OPEN);
                assertThat(flag).as(played).isFalse();
            }
            default -> {
                assertThat(events).as(played).contains(Event.LATE).doesNotContain(Event.OPEN);
                assertThat(flag).as(played).isEqualTo(events.contains(Event.INTERRUPT));
            }
        }
        if (!events.contains(Event.OPEN)) {
            subject[0].open().run();
        }
        assertThat(subject[0].queueLength().getAsInt()).as(played).isZero();
    }

    @ParameterizedTest
    @MethodSource(KINDS)
    void anUninterruptibleWaitIsEndedByTheOpeningAloneWhateverTheStepOfTheInterrupt(Kind kind) {
        for (int interrupt = 0; interrupt < 5; interrupt++) {
            for (int open = 0; open < 5; open++) {
                int interruptAt = interrupt;
                int openAt = open;
                Subject[] subject = new Subject[1];
                Stepper stepper = new Stepper(step -> {
                    if (step == interruptAt) {
                        Thread.currentThread().interrupt();
                    }
                    if (step == openAt) {
                        subject[0].open().run();
                    }
                });
                subject[0] = kind.make(1, stepper);
                subject[0].uninterruptible().run();
                assertThat(stepper.steps()).isEqualTo(openAt + 1);
                assertThat(Thread.interrupted()).isEqualTo(interruptAt <= openAt);
            }
        }
    }
}
