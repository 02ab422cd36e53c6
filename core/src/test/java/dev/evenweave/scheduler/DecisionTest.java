// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static dev.evenweave.scheduler.Rig.task;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What runs next, decision by decision. */
class DecisionTest {
    private Rig rig = new Rig(1);

    @AfterEach
    void invariantsHold() {
        rig.end();
    }

    private void global(Runnable... tasks) {
        for (Runnable task : tasks) {
            rig.dispatcher.submitGlobal(task);
        }
    }

    /** Lets the carrier run {@code count} slices of other work from its ring. */
    private void slices(Worker worker, int count) {
        for (int i = 0; i < count; i++) {
            Rig.Task filler = task("filler " + i);
            rig.dispatcher.addLocal(worker, filler);
            assertThat(rig.step(worker)).isSameAs(filler);
        }
    }

    // ---- run-next and the slice

    @Test
    void whatTheRunningThreadWokeLastRunsNextAndTheOthersInTheirOrder() {
        Worker worker = rig.busyWith(task("waker"));
        for (String name : List.of("a", "b", "c", "d")) {
            rig.dispatcher.submitNext(worker, task(name));
        }
        List<Runnable> ran = new ArrayList<>();
        for (Runnable next; (next = rig.step(worker)) != null; ) {
            ran.add(next);
        }
        assertThat(ran).containsExactly(task("d"), task("a"), task("b"), task("c"));
        rig.check();
    }

    @Test
    void onlyATaskFromRunNextInheritsTheSlice_I1() {
        Worker worker = rig.busyWith(task("waker"));
        long slices = worker.slices();
        rig.dispatcher.submitNext(worker, task("woken"));
        rig.step(worker);
        assertThat(worker.inherited).isTrue();
        assertThat(worker.slices()).isEqualTo(slices);
        rig.dispatcher.addLocal(worker, task("from the ring"));
        rig.step(worker);
        assertThat(worker.inherited).isFalse();
        assertThat(worker.slices()).isEqualTo(slices + 1);
        global(task("from the global queue"));
        rig.step(worker);
        assertThat(worker.inherited).isFalse();
        assertThat(worker.slices()).isEqualTo(slices + 2);
        assertThat(worker.switches()).isEqualTo(4);
    }

    @Test
    void aStolenRunNextStartsASliceOfItsOwn_I1() {
        rig = new Rig(2);
        Worker victim = rig.busyWith(task("waker"));
        Worker thief = rig.busyWith(task("other"));
        rig.dispatcher.submitNext(victim, task("woken"));
        assertThat(rig.stepOrSteal(thief)).isNull();
        rig.pass(5, TimeUnit.MICROSECONDS);
        long slices = thief.slices();
        assertThat(rig.stepOrSteal(thief)).isEqualTo(task("woken"));
        assertThat(thief.inherited).isFalse();
        assertThat(thief.slices()).isEqualTo(slices + 1);
        assertThat(thief.steals.get()).isEqualTo(1);
    }

    // ---- the global queue

    /** With local work without end, a task in the global queue runs within 61 slices. */
    @Test
    void everySixtyFirstSliceTheGlobalQueueComesFirst() {
        Worker worker = rig.busyWith(task("first")); // the global queue's turn: slice 0
        for (int round = 0; round < 3; round++) {
            Rig.Task waiting = task("waiting " + round);
            global(waiting);
            slices(worker, 60);
            rig.dispatcher.addLocal(worker, task("filler"));
            assertThat(rig.step(worker)).isSameAs(waiting);
            assertThat(rig.step(worker)).isEqualTo(task("filler"));
            slices(worker, 59); // to the end of the sixty-one
            rig.dispatcher.addLocal(worker, task("last"));
            assertThat(rig.step(worker)).as("nothing global waits at this turn").isEqualTo(task("last"));
        }
    }

    @Test
    void theTickCountsSlicesNotSwitches() {
        rig = new Rig(1, Policy.defaults().toBuilder().honour(Honour.OFF).build());
        Worker worker = rig.busyWith(task("a"));
        global(task("waiting"));
        for (int i = 0; i < 10_000; i++) {
            rig.dispatcher.submitNext(worker, task(i));
            assertThat(rig.step(worker)).isEqualTo(task(i));
        }
        assertThat(worker.slices()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 1", "1, 2, 2", "1, 3, 3", "1, 127, 127", "1, 128, 128", "1, 129, 128", "1, 500, 128",
        "2, 1, 1", "2, 2, 2", "2, 3, 2", "2, 127, 64", "2, 128, 65", "2, 129, 65", "2, 500, 128",
        "4, 1, 1", "4, 2, 1", "4, 3, 1", "4, 127, 32", "4, 128, 33", "4, 129, 33", "4, 500, 126"
    })
    void aCarrierTakesItsShareOfTheGlobalQueue(int parallelism, int length, int share) {
        assertThat(Decision.share(length, parallelism, Dispatcher.RING_CAPACITY))
                .isEqualTo(share);
        rig = new Rig(parallelism);
        Worker worker = rig.busyWith(task("first"));
        for (int i = 0; i < length; i++) {
            global(task(i));
        }
        // Not a turn of the global queue: the ring is empty, so it is looked at all the same.
        assertThat(rig.step(worker)).isEqualTo(task(0));
        assertThat(worker.queue.size()).isEqualTo(share - 1);
        assertThat(rig.dispatcher.global.size()).isEqualTo(length - share);
        for (int i = 1; i < share; i++) {
            assertThat(worker.queue.poll()).isEqualTo(task(i));
        }
    }

    @Test
    void inItsTurnTheGlobalQueueGivesOne() {
        Worker worker = rig.busyWith(task("first"));
        slices(worker, 60);
        global(task(0), task(1), task(2));
        rig.dispatcher.submitNext(worker, task("next"));
        assertThat(rig.step(worker)).isEqualTo(task(0));
        assertThat(rig.dispatcher.global.size()).isEqualTo(2);
        assertThat(rig.step(worker)).isEqualTo(task("next"));
        assertThat(worker.inherited).isTrue();
    }

    // ---- honour

    /** The pair's turn ends unasked: {@code waiting} lies in the global queue, {@code local} in the ring. */
    private Worker asked(Honour honour, Preemption preemption, boolean waiting, boolean local) {
        rig = new Rig(
                1,
                Policy.defaults().toBuilder()
                        .honour(honour)
                        .preemption(preemption)
                        .build());
        Worker worker = rig.busyWith(task("first"));
        slices(worker, 1);
        if (waiting) {
            global(task("waiting"));
        }
        if (local) {
            rig.dispatcher.addLocal(worker, task("local"));
        }
        rig.look();
        rig.pass(10, TimeUnit.MILLISECONDS);
        rig.look();
        assertThat(worker.isMarked()).isTrue();
        rig.dispatcher.submitNext(worker, task("next"));
        return worker;
    }

    @Test
    void anHonouredRequestLetsTheGlobalHeadRunAndPutsRunNextToTheRingsTail() {
        Worker worker = asked(Honour.ON, Preemption.ON, true, true);
        long slices = worker.slices();
        assertThat(rig.step(worker)).isEqualTo(task("waiting"));
        assertThat(worker.inherited).isFalse();
        assertThat(worker.slices()).isEqualTo(slices + 1);
        assertThat(worker.honoured.get()).isEqualTo(1);
        assertThat(worker.lost.get()).as("the mark of the one that parked").isEqualTo(1);
        assertThat(rig.step(worker)).isEqualTo(task("local"));
        assertThat(rig.step(worker)).isEqualTo(task("next"));
        assertThat(worker.inherited).isFalse();
        assertThat(worker.honoured.get()).isEqualTo(1);
        rig.check();
    }

    /** A pair must not have a slice between any two of those that come from outside. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 100, 127, 128})
    void anHonouredRequestLetsInTheWholeShareOfTheGlobalQueue(int length) {
        Worker worker = asked(Honour.ON, Preemption.ON, false, true);
        for (int i = 0; i < length; i++) {
            global(task(i));
        }
        int share = Decision.share(length, 1, Dispatcher.RING_CAPACITY);
        assertThat(rig.step(worker)).isEqualTo(task(0));
        assertThat(rig.step(worker)).isEqualTo(task("local"));
        for (int i = 1; i < share; i++) {
            assertThat(rig.step(worker)).isEqualTo(task(i));
        }
        assertThat(rig.step(worker)).isEqualTo(task("next"));
        assertThat(worker.honoured.get()).isEqualTo(1);
        rig.check();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 50})
    void theShareIsCutToTheRoomInTheRing(int room) {
        Worker worker = asked(Honour.ON, Preemption.ON, false, false);
        for (int i = 0; i < Dispatcher.RING_CAPACITY - room; i++) {
            worker.queue.offer(task("in ring " + i));
        }
        for (int i = 0; i < 100; i++) {
            global(task(i));
        }
        assertThat(rig.step(worker)).isEqualTo(task(0));
        assertThat(worker.queue.size()).isEqualTo(Dispatcher.RING_CAPACITY);
        assertThat(rig.dispatcher.global.size())
                .as("run-next's task has no room in the ring")
                .isEqualTo(100 - room);
        List<Runnable> ran = new ArrayList<>();
        for (Runnable next; (next = rig.step(worker)) != null; ) {
            ran.add(next);
        }
        assertThat(ran)
                .hasSize(Dispatcher.RING_CAPACITY - room + 100)
                .doesNotHaveDuplicates()
                .contains(task("next"));
    }

    @Test
    void withNothingGlobalTheRingsHeadRuns() {
        Worker worker = asked(Honour.ON, Preemption.ON, false, true);
        assertThat(rig.step(worker)).isEqualTo(task("local"));
        assertThat(worker.honoured.get()).isEqualTo(1);
        assertThat(rig.step(worker)).isEqualTo(task("next"));
    }

    @Test
    void withNobodyWaitingRunNextGoesOn() {
        Worker worker = asked(Honour.ON, Preemption.ON, false, false);
        assertThat(rig.step(worker)).isEqualTo(task("next"));
        assertThat(worker.inherited).isTrue();
        assertThat(worker.honoured.get()).isZero();
    }

    @Test
    void switchedOffTheRequestIsForgotten() {
        Worker worker = asked(Honour.OFF, Preemption.ON, true, true);
        assertThat(rig.step(worker)).isEqualTo(task("next"));
        assertThat(worker.inherited).isTrue();
        assertThat(worker.honoured.get()).isZero();
        // The flag was cleared though nothing came of it: the next run-next is not cut either.
        rig.dispatcher.honour = Honour.ON;
        rig.dispatcher.submitNext(worker, task("after"));
        assertThat(rig.step(worker)).isEqualTo(task("after"));
    }

    @Test
    void localOnlyDoesNotSeeTheGlobalQueue() {
        Worker worker = asked(Honour.LOCAL_ONLY, Preemption.ON, true, false);
        assertThat(rig.step(worker)).isEqualTo(task("next"));
        assertThat(worker.inherited).isTrue();
        assertThat(worker.honoured.get()).isZero();
    }

    @Test
    void localOnlyTakesTheRingsHead() {
        Worker worker = asked(Honour.LOCAL_ONLY, Preemption.ON, true, true);
        assertThat(rig.step(worker)).isEqualTo(task("local"));
        assertThat(worker.honoured.get()).isEqualTo(1);
        assertThat(rig.step(worker)).isEqualTo(task("next"));
        assertThat(rig.step(worker)).isEqualTo(task("waiting"));
    }

    @ParameterizedTest
    @EnumSource
    void withoutTheProcessorsFlagNoRequestIsHonoured_I2(Honour honour) {
        Worker worker = asked(honour, Preemption.THREAD_ONLY, true, true);
        assertThat(rig.step(worker)).isEqualTo(task("next"));
        assertThat(worker.honoured.get()).isZero();
    }

    @Test
    void theFlagIsReadAndClearedAtEveryDecision_I3() {
        Worker worker = asked(Honour.ON, Preemption.ON, true, false);
        rig.dispatcher.addLocal(worker, task("local"));
        assertThat(worker.queue.takeRunNext()).isEqualTo(task("next"));
        assertThat(rig.step(worker)).as("nobody would inherit").isEqualTo(task("local"));
        rig.dispatcher.submitNext(worker, task("later"));
        assertThat(rig.step(worker)).as("the flag is gone").isEqualTo(task("later"));
        assertThat(worker.honoured.get()).isZero();
    }

    @Test
    void honourMayBeSwitchedWhileRunning() {
        Worker worker = asked(Honour.OFF, Preemption.ON, true, false);
        rig.dispatcher.honour = Honour.ON;
        assertThat(rig.step(worker)).isEqualTo(task("waiting"));
        assertThat(worker.honoured.get()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFullRingLosesNobodyWhenARequestIsHonoured(boolean waiting) {
        Worker worker = asked(Honour.ON, Preemption.ON, waiting, false);
        for (int i = 0; i < Dispatcher.RING_CAPACITY; i++) {
            worker.queue.offer(task(i));
        }
        assertThat(rig.step(worker)).isEqualTo(waiting ? task("waiting") : task(0));
        List<Runnable> ran = new ArrayList<>();
        for (Runnable next; (next = rig.step(worker)) != null; ) {
            ran.add(next);
        }
        assertThat(ran)
                .hasSize(Dispatcher.RING_CAPACITY + (waiting ? 1 : 0))
                .doesNotHaveDuplicates()
                .contains(task("next"), task(Dispatcher.RING_CAPACITY - 1));
    }

    /** The promise in small: with requests honoured, whoever waits gets in at the first request that is lost. */
    @Test
    void aPairThatSharesItsSliceForEverLetsEveryoneIn() {
        Worker worker = rig.busyWith(task("ping"));
        global(task("outside"));
        rig.dispatcher.addLocal(worker, task("inside"));
        List<Runnable> others = new ArrayList<>();
        for (int i = 0; i < 1000 && others.size() < 2; i++) {
            Runnable running = rig.running(worker);
            if (running.equals(task("ping")) || running.equals(task("pong"))) {
                rig.dispatcher.submitNext(worker, task(running.equals(task("ping")) ? "pong" : "ping"));
            } else {
                others.add(running);
            }
            if (i % 100 == 50) {
                rig.pass(10, TimeUnit.MILLISECONDS);
                rig.look();
            }
            rig.step(worker);
        }
        assertThat(others).containsExactly(task("outside"), task("inside"));
    }

    // ---- stealing

    @Test
    void aThiefRunsTheLastOfTheOlderHalfAndKeepsTheRest() {
        rig = new Rig(2);
        Worker victim = rig.busyWith(task("a"));
        Worker thief = rig.busyWith(task("b"));
        for (int i = 0; i < 5; i++) {
            rig.dispatcher.addLocal(victim, task(i));
        }
        assertThat(rig.stepOrSteal(thief)).isEqualTo(task(2));
        assertThat(thief.queue.size()).isEqualTo(2);
        assertThat(rig.step(thief)).isEqualTo(task(0));
        assertThat(rig.step(thief)).isEqualTo(task(1));
        assertThat(rig.step(victim)).isEqualTo(task(3));
        assertThat(thief.steals.get()).isEqualTo(1);
        rig.check();
    }

    @Test
    void ringsAreStolenBeforeAnyRunNext() {
        rig = new Rig(3);
        Worker pair = rig.busyWith(task("a"));
        Worker loaded = rig.busyWith(task("b"));
        Worker thief = rig.busyWith(task("c"));
        rig.dispatcher.submitNext(pair, task("next"));
        assertThat(rig.stepOrSteal(thief)).isNull();
        rig.pass(1, TimeUnit.SECONDS);
        rig.dispatcher.addLocal(loaded, task("in a ring"));
        assertThat(rig.stepOrSteal(thief)).isEqualTo(task("in a ring"));
        assertThat(rig.stepOrSteal(thief)).isEqualTo(task("next"));
    }

    @Test
    void aRunNextIsStolenOnlyOnceItHasAged() {
        rig = new Rig(2);
        Worker victim = rig.busyWith(task("a"));
        Worker thief = rig.busyWith(task("b"));
        rig.dispatcher.submitNext(victim, task("next"));
        assertThat(rig.stepOrSteal(thief)).as("first seen").isNull();
        rig.pass(4_999, TimeUnit.NANOSECONDS);
        assertThat(rig.stepOrSteal(thief)).as("younger than 5 µs").isNull();
        rig.pass(1, TimeUnit.NANOSECONDS);
        assertThat(rig.stepOrSteal(thief)).isEqualTo(task("next"));
    }

    @Test
    void aThiefThatSeesSeveralStandKeepsToOneUntilItHasAged() {
        rig = new Rig(3);
        Worker one = rig.busyWith(task("a"));
        Worker other = rig.busyWith(task("b"));
        Worker thief = rig.busyWith(task("c"));
        rig.dispatcher.submitNext(one, task("of one"));
        rig.dispatcher.submitNext(other, task("of the other"));
        int looks = 0;
        List<Runnable> stolen = new ArrayList<>();
        while (stolen.size() < 2 && looks < 100) {
            Runnable task = rig.stepOrSteal(thief);
            if (task != null) {
                stolen.add(task);
            }
            rig.pass(1, TimeUnit.MICROSECONDS);
            looks++;
        }
        assertThat(stolen).containsExactlyInAnyOrder(task("of one"), task("of the other"));
        assertThat(looks).as("each has to be seen for 5 µs").isLessThanOrEqualTo(14);
    }

    @Test
    void aPairThatKeepsSwitchingIsNeverTornApart() {
        rig = new Rig(2);
        Worker pair = rig.busyWith(task("a"));
        Worker thief = rig.busyWith(task("b"));
        for (int i = 0; i < 100; i++) {
            rig.dispatcher.submitNext(pair, task(i));
            assertThat(rig.stepOrSteal(thief)).isNull();
            rig.pass(4, TimeUnit.MICROSECONDS);
            assertThat(rig.stepOrSteal(thief)).isNull();
            rig.step(pair);
        }
        assertThat(thief.steals.get()).isZero();
    }

    @Test
    void theRunNextOfACarrierThatRunsNothingNeedsNoAge() {
        rig = new Rig(2);
        Worker victim = rig.busyWith(task("a"));
        Worker thief = rig.busyWith(task("b"));
        rig.dispatcher.submitNext(victim, task("next"));
        victim.switchOut();
        assertThat(rig.stepOrSteal(thief)).isEqualTo(task("next"));
    }

    @Test
    void aThiefDoesNotStealFromItself() {
        rig = new Rig(2);
        Worker first = rig.busyWith(task("a"));
        Worker second = rig.busyWith(task("b"));
        assertThat(rig.stepOrSteal(first)).isNull();
        rig.pass(1, TimeUnit.SECONDS);
        assertThat(rig.stepOrSteal(second)).isNull();
        assertThat(first.queue.isEmpty() && second.queue.isEmpty()).isTrue();
    }
}
