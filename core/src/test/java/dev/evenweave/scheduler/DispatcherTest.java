// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static dev.evenweave.scheduler.Rig.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where tasks are put, who is woken, how processors change hands. */
class DispatcherTest {
    private Rig rig = new Rig(1);

    @AfterEach
    void invariantsHold_I1_I2() {
        rig.end();
    }

    private List<Runnable> drain(Worker worker) {
        List<Runnable> ran = new ArrayList<>();
        for (Runnable next; (next = rig.step(worker)) != null; ) {
            ran.add(next);
        }
        return ran;
    }

    // ---- submissions

    @Test
    void aTaskFromOutsideWakesACarrierThatFindsIt() {
        Worker worker = rig.busyWith(task("outside"));
        assertThat(worker.current()).isEqualTo(task("outside"));
        assertThat(rig.dispatcher.idleCount()).isZero();
        assertThat(rig.dispatcher.spinningCount()).as("it has found work").isZero();
    }

    @Test
    void yieldedTasksGoBehindAllOthersAndNeverToRunNext() {
        Worker worker = rig.busyWith(task("yields"));
        rig.dispatcher.submitGlobal(task("a"));
        rig.dispatcher.addLocal(worker, task("b"));
        rig.dispatcher.submitGlobal(task("c"));
        rig.yield(worker);
        assertThat(worker.queue.peekRunNext()).isNull();
        assertThat(drain(worker)).containsExactly(task("b"), task("a"), task("c"), task("yields"));
    }

    @Test
    void aFullRingSpillsItsOlderHalfAndTheNewcomer() {
        Worker worker = rig.busyWith(task("runs"));
        for (int i = 0; i < 256; i++) {
            rig.dispatcher.addLocal(worker, task(i));
        }
        assertThat(rig.dispatcher.global.size()).isZero();
        rig.dispatcher.addLocal(worker, task(256));
        assertThat(rig.dispatcher.global.size()).isEqualTo(129);
        assertThat(worker.queue.size()).isEqualTo(128);
        assertThat(worker.spill).as("no reference is kept").containsOnlyNulls();
        rig.dispatcher.lock.lock();
        for (int i = 0; i < 128; i++) {
            assertThat(rig.dispatcher.global.poll()).isEqualTo(task(i));
        }
        assertThat(rig.dispatcher.global.poll()).isEqualTo(task(256));
        rig.dispatcher.lock.unlock();
        assertThat(worker.queue.poll()).isEqualTo(task(128));
    }

    /** The submitter gets the error and the JDK submits again: until then everything is as before. */
    @Test
    void whenThereIsNoMemoryToSpillNothingIsLostAndNothingChanges() {
        Worker worker = rig.busyWith(task("runs"));
        for (int i = 0; i < 256; i++) {
            rig.dispatcher.addLocal(worker, task(i));
        }
        rig.dispatcher.submitNext(worker, task("next"));
        for (int i = 256; i < 256 + GlobalQueue.INITIAL_CAPACITY; i++) {
            rig.dispatcher.submitGlobal(task(i));
        }
        rig.dispatcher.global.maxCapacity = 0;
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> rig.dispatcher.submitNext(worker, task("one too many")))
                    .isInstanceOf(OutOfMemoryError.class);
        }
        assertThat(worker.queue.peekRunNext()).isEqualTo(task("next"));
        assertThat(worker.queue.size()).isEqualTo(256);
        assertThat(worker.displaced).isNull();
        rig.dispatcher.global.maxCapacity = Integer.MAX_VALUE;
        rig.dispatcher.submitNext(worker, task("one too many"));
        assertThat(drain(worker)).hasSize(514).doesNotHaveDuplicates().contains(task("next"), task("one too many"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 255, 256, 257, 258, 1000, 5000})
    void anyNumberOfWokenThreadsIsKept(int count) {
        Worker worker = rig.busyWith(task("waker"));
        for (int i = 0; i < count; i++) {
            rig.dispatcher.submitNext(worker, task(i));
        }
        List<Runnable> ran = drain(worker);
        assertThat(ran).hasSize(count).doesNotHaveDuplicates();
        assertThat(ran.getFirst()).as("the last woken").isEqualTo(task(count - 1));
        assertThat(worker.displaced).isNull();
    }

    // ---- wake-ups

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 1000})
    void manySubmissionsWakeOneCarrier_I4(int submissions) {
        rig = new Rig(8);
        for (int i = 0; i < submissions; i++) {
            rig.dispatcher.submitGlobal(task(i));
        }
        assertThat(rig.woken).hasSize(1);
        assertThat(rig.dispatcher.spinningCount()).isEqualTo(1);
        rig.check();
        // The one that finds work wakes the next one, and so on: a chain, not a burst.
        for (int awake = 1; awake <= Math.min(8, submissions); awake++) {
            assertThat(rig.woken).hasSize(awake);
            rig.step(rig.woken.get(awake - 1));
        }
        drainAll();
    }

    /** Ends all that runs and all that waits. */
    private void drainAll() {
        boolean any = true;
        while (any) {
            any = false;
            for (Worker worker : rig.workers) {
                while (worker.processor != null) {
                    any = true;
                    if (rig.step(worker) == null) {
                        rig.pass(10, TimeUnit.MICROSECONDS);
                        if (rig.stepOrSteal(worker) != null) {
                            continue;
                        }
                        rig.dispatcher.goIdle(worker);
                    }
                }
            }
        }
        assertThat(rig.dispatcher.areAllIdle()).isTrue();
        assertThat(rig.dispatcher.isAnyTaskQueued()).isFalse();
    }

    @Test
    void withASpinningCarrierNobodyElseIsWoken_I4() {
        rig = new Rig(4);
        Worker worker = rig.busyWith(task("a"));
        Worker spinner = rig.busyWith(task("b"));
        assertThat(rig.stepOrSteal(spinner)).isNull();
        assertThat(spinner.spinning).isTrue();
        assertThat(rig.dispatcher.idleCount()).isEqualTo(2);
        int before = rig.woken.size();
        for (int i = 0; i < 10; i++) {
            rig.dispatcher.submitGlobal(task("global " + i));
            rig.dispatcher.submitNext(worker, task("next " + i));
        }
        assertThat(rig.woken).hasSize(before);
        rig.stepOrSteal(spinner);
        assertThat(rig.woken).as("now that it has found some").hasSize(before + 1);
    }

    @Test
    void withoutAnIdleProcessorNobodyIsWoken() {
        rig = new Rig(2);
        rig.busyWith(task("a"));
        rig.busyWith(task("b"));
        rig.dispatcher.submitGlobal(task("c"));
        assertThat(rig.woken).hasSize(2);
        assertThat(rig.dispatcher.spinningCount()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 8, 9})
    void atMostHalfAsManySpinAsAreBusy(int parallelism) {
        rig = new Rig(parallelism);
        for (int i = 0; i < parallelism; i++) {
            rig.busyWith(task(i));
        }
        int spinning = 0;
        for (Worker worker : rig.workers) {
            rig.stepOrSteal(worker);
            spinning += worker.spinning ? 1 : 0;
        }
        assertThat(rig.dispatcher.spinningCount()).isEqualTo(spinning);
        assertThat(spinning).isEqualTo((parallelism + 1) / 2);
    }

    @Test
    void aLoneRunNextWakesNoCarrierButTheMonitor() {
        rig = new Rig(2);
        Worker worker = rig.busyWith(task("waker"));
        int before = rig.woken.size();
        rig.dispatcher.monitorSleeps();
        rig.dispatcher.submitNext(worker, task("woken"));
        assertThat(rig.woken).hasSize(before);
        assertThat(rig.monitorWakeUps).isEqualTo(1);
        rig.dispatcher.submitNext(worker, task("another"));
        assertThat(rig.woken).as("one was displaced: there is work for two").hasSize(before + 1);
        assertThat(rig.stepOrSteal(rig.woken.getLast())).isEqualTo(task("woken"));
    }

    @Test
    void aThreadThatYieldsBehindARunNextWakesACarrier() {
        rig = new Rig(2);
        Worker worker = rig.busyWith(task("yields"));
        int before = rig.woken.size();
        rig.dispatcher.submitNext(worker, task("woken"));
        rig.yield(worker);
        assertThat(rig.step(worker)).isEqualTo(task("woken"));
        assertThat(rig.woken).as("two can run, and two processors are there").hasSize(before + 1);
        assertThat(rig.step(rig.woken.getLast())).isEqualTo(task("yields"));
    }

    @Test
    void aThreadThatYieldsAloneWakesNobody() {
        rig = new Rig(2);
        Worker worker = rig.busyWith(task("yields"));
        int before = rig.woken.size();
        for (int i = 0; i < 10; i++) {
            rig.yield(worker);
            assertThat(rig.step(worker)).isEqualTo(task("yields"));
        }
        assertThat(rig.woken).hasSize(before);
    }

    // ---- idling

    @Test
    void theLastLookFindsWhatCameBeforeTheProcessorWasGivenUp_I3() {
        rig = new Rig(2);
        Worker other = rig.busyWith(task("a"));
        Worker idler = rig.busyWith(task("b"));
        idler.switchOut();
        assertThat(rig.decision.next(idler)).isNull();
        assertThat(rig.dispatcher.tryToSpin(idler)).isTrue();
        // Comes when the idler has looked for the last time as a spinner, and relies on it.
        rig.dispatcher.addLocal(other, task("late"));
        rig.dispatcher.wakeOne();
        assertThat(rig.woken).hasSize(2);
        assertThat(rig.dispatcher.goIdle(idler)).as("it must not park").isFalse();
        assertThat(idler.processor).isNotNull();
        assertThat(rig.stepOrSteal(idler)).isEqualTo(task("late"));
    }

    @Test
    void withSomethingInTheGlobalQueueNobodyGivesUpAProcessor_I3() {
        Worker worker = rig.busyWith(task("a"));
        worker.switchOut();
        rig.dispatcher.submitGlobal(task("b"));
        assertThat(rig.dispatcher.goIdle(worker)).isFalse();
        assertThat(worker.processor).isNotNull();
        assertThat(worker.parked).isFalse();
    }

    @Test
    void theLastLookLeavesTheYoungRunNextOfABusyCarrier() {
        rig = new Rig(2);
        Worker pair = rig.busyWith(task("a"));
        Worker idler = rig.busyWith(task("b"));
        rig.dispatcher.submitNext(pair, task("next"));
        rig.idle(idler);
        assertThat(rig.dispatcher.idleCount()).isEqualTo(1);
    }

    @Test
    void anIdleCarrierHasNoMarkAndItsRequestIsLost() {
        Worker worker = rig.busyWith(task("a"));
        rig.look();
        rig.pass(10, TimeUnit.MILLISECONDS);
        rig.look();
        assertThat(worker.isMarked()).isTrue();
        rig.idle(worker);
        assertThat(worker.isMarked()).isFalse();
        assertThat(worker.lost.get()).isEqualTo(1);
    }

    @Test
    void theLastOneUsedIsWokenFirst() {
        rig = new Rig(3);
        Worker a = rig.busyWith(task("a"));
        Worker b = rig.busyWith(task("b"));
        Worker c = rig.busyWith(task("c"));
        rig.idle(b);
        rig.idle(a);
        rig.idle(c);
        assertThat(rig.busyWith(task("d"))).isSameAs(c);
        assertThat(rig.busyWith(task("e"))).isSameAs(a);
    }

    // ---- hand-over

    private Worker spare() {
        Worker spare = rig.newSpare();
        assertThat(spare).isNotNull();
        return spare;
    }

    @Test
    void aProcessorGoesToASpareWithAllThatWaits() {
        Worker hog = rig.busyWith(task("hog"));
        Worker spare = spare();
        Processor processor = hog.processor;
        rig.dispatcher.addLocal(hog, task("in the ring"));
        rig.dispatcher.submitNext(hog, task("next"));
        assertThat(rig.dispatcher.handOver(processor, hog, hog.switches())).isEqualTo(Dispatcher.HandOver.DONE);
        assertThat(hog.processor).isNull();
        assertThat(hog.handOvers.get()).isEqualTo(1);
        assertThat(processor.worker).isSameAs(spare);
        assertThat(rig.woken.getLast()).isSameAs(spare);
        rig.check();
        // The heir may never run out of work and so never look at another's queue: all that waited is where it looks.
        assertThat(drain(spare)).containsExactly(task("next"), task("in the ring"));
    }

    @Test
    void aCarrierThatHasMovedKeepsItsProcessor() {
        Worker worker = rig.busyWith(task("a"));
        spare();
        long switches = worker.switches();
        rig.dispatcher.submitNext(worker, task("b"));
        rig.step(worker);
        assertThat(rig.dispatcher.handOver(worker.processor, worker, switches))
                .isEqualTo(Dispatcher.HandOver.NOT_NEEDED);
        worker.switchOut();
        assertThat(rig.dispatcher.handOver(worker.processor, worker, worker.switches()))
                .as("between two tasks")
                .isEqualTo(Dispatcher.HandOver.NOT_NEEDED);
        assertThat(worker.processor).isNotNull();
    }

    @Test
    void withoutASpareNothingIsHandedOver() {
        Worker hog = rig.busyWith(task("hog"));
        assertThat(rig.dispatcher.handOver(hog.processor, hog, hog.switches())).isEqualTo(Dispatcher.HandOver.NO_SPARE);
        assertThat(hog.processor).isNotNull();
    }

    /** Else the idle processor would be left without a carrier to wake for it. */
    @Test
    void whileAProcessorIsIdleNothingIsHandedOver_I2() {
        rig = new Rig(2);
        Worker hog = rig.busyWith(task("hog"));
        rig.dispatcher.submitNext(hog, task("next"));
        assertThat(rig.dispatcher.handOver(hog.processor, hog, hog.switches()))
                .isEqualTo(Dispatcher.HandOver.NOT_NEEDED);
        assertThat(hog.processor).isNotNull();
    }

    @Test
    void aDemotedCarrierQueuesWithTheOthersAndParksWhenItComesBack() {
        Worker hog = rig.busyWith(task("hog"));
        Worker spare = spare();
        rig.dispatcher.handOver(hog.processor, hog, hog.switches());
        rig.dispatcher.submitNext(hog, task("woken by the hog"));
        assertThat(hog.queue.isEmpty()).isTrue();
        assertThat(rig.step(spare)).isEqualTo(task("woken by the hog"));
        rig.yield(hog);
        hog.switchOut();
        rig.dispatcher.retreat(hog);
        assertThat(hog.parked).isTrue();
        assertThat(rig.step(spare)).isEqualTo(task("hog"));
    }

    @Test
    void whatADemotedCarrierHadJustQueuedIsFoundByTheMonitor() {
        Worker hog = rig.busyWith(task("hog"));
        Worker spare = spare();
        rig.dispatcher.handOver(hog.processor, hog, hog.switches());
        // The hog had read that it holds a processor just before that was taken.
        hog.queue.replaceRunNext(task("late next"));
        hog.queue.offer(task("late"));
        rig.step(spare);
        rig.look();
        assertThat(hog.queue.isEmpty()).isTrue();
        assertThat(drain(spare)).containsExactly(task("late next"), task("late"));
    }

    @Test
    void whatADemotedCarrierHadJustQueuedWakesAnIdleOne() {
        Worker hog = rig.busyWith(task("hog"));
        Worker spare = spare();
        rig.dispatcher.handOver(hog.processor, hog, hog.switches());
        rig.idle(spare);
        hog.queue.replaceRunNext(task("late next"));
        int before = rig.woken.size();
        assertThat(rig.look()).as("not until woken").isLessThan(Long.MAX_VALUE);
        assertThat(rig.woken).hasSize(before + 1);
        assertThat(rig.step(spare)).isEqualTo(task("late next"));
    }

    @Test
    void aDemotedCarrierGivesAwayWhatItHasQueuedWhenItComesBack() {
        Worker hog = rig.busyWith(task("hog"));
        Worker spare = spare();
        rig.dispatcher.handOver(hog.processor, hog, hog.switches());
        rig.idle(spare);
        hog.queue.replaceRunNext(task("late next"));
        hog.queue.offer(task("late"));
        hog.switchOut();
        rig.dispatcher.retreat(hog);
        assertThat(hog.queue.isEmpty()).isTrue();
        Worker heir = rig.woken.getLast();
        assertThat(drain(heir)).containsExactly(task("late next"), task("late"));
    }

    /** A submitter that saw a spinning carrier woke nobody: whoever ceases to spin has to look once more. */
    @Test
    void aSpinningCarrierThatLosesItsProcessorTakesALastLook_I3() {
        Worker hog = rig.busyWith(task("hog"));
        Worker spare = spare();
        Processor processor = hog.processor;
        // The monitor takes the processor when the hog has just come back, and begins to spin.
        assertThat(rig.dispatcher.handOver(processor, hog, hog.switches())).isEqualTo(Dispatcher.HandOver.DONE);
        hog.switchOut();
        assertThat(rig.dispatcher.tryToSpin(hog)).isTrue();
        rig.idle(spare);
        int before = rig.woken.size();
        rig.dispatcher.submitGlobal(task("relies on the spinner"));
        assertThat(rig.woken).hasSize(before);
        assertThat(rig.dispatcher.goIdle(hog)).isFalse();
        rig.dispatcher.retreat(hog);
        assertThat(rig.woken).hasSize(before + 1);
        assertThat(rig.step(rig.woken.getLast())).isEqualTo(task("relies on the spinner"));
    }

    @Test
    void retreatDoesNothingToACarrierThatIsParkedOrHasAProcessor() {
        rig = new Rig(2);
        Worker worker = rig.busyWith(task("a"));
        rig.dispatcher.submitNext(worker, task("b"));
        rig.dispatcher.retreat(worker);
        assertThat(worker.queue.peekRunNext()).isEqualTo(task("b"));
        Worker parked = rig.workers.getFirst() == worker ? rig.workers.getLast() : rig.workers.getFirst();
        rig.dispatcher.retreat(parked);
        assertThat(parked.parked).isTrue();
    }

    // ---- spares

    @Test
    void onlyWhatTheProcessorsDoNotNeedRetires() {
        rig = new Rig(2);
        Worker a = rig.workers.get(0);
        Worker spare = spare();
        Worker running = rig.busyWith(task("runs"));
        assertThat(running).isSameAs(spare);
        assertThat(rig.dispatcher.retire(running, false)).as("it runs").isFalse();
        assertThat(rig.dispatcher.retire(a, false))
                .as("two are parked, two processors")
                .isFalse();
        rig.idle(running);
        assertThat(rig.dispatcher.retire(a, false)).isTrue();
        assertThat(rig.dispatcher.workers).hasSize(2).doesNotContain(a);
        assertThat(rig.dispatcher.retire(running, false)).isFalse();
    }

    @Test
    void whatARetiredCarrierCountedIsKept() {
        Worker worker = rig.busyWith(task("a"));
        rig.yield(worker);
        rig.step(worker);
        worker.started.increment();
        worker.ended.increment();
        rig.idle(worker);
        Worker spare = spare();
        assertThat(rig.dispatcher.retire(worker, false)).isTrue();
        CarrierStats retired = rig.dispatcher.roster.retired();
        assertThat(retired.switches()).isEqualTo(2);
        assertThat(retired.slices()).isEqualTo(2);
        assertThat(retired.started()).isEqualTo(1);
        assertThat(retired.ended()).isEqualTo(1);
        assertThat(rig.busyWith(task("b"))).isSameAs(spare);
    }

    /** Between the making of a spare and the failure of its start, another processor came free, and work for it. */
    @Test
    void aCarrierThatCannotStartGivesBackWhatItWasGiven_I1_I3() {
        rig = new Rig(2);
        Worker a = rig.busyWith(task("a"));
        rig.busyWith(task("b"));
        Worker spare = spare();
        rig.idle(a);
        Worker unborn = spare();
        rig.dispatcher.submitGlobal(task("c"));
        assertThat(rig.woken.getLast()).as("the last one parked").isSameAs(unborn);
        assertThat(unborn.processor).isNotNull();
        rig.dispatcher.withdraw(unborn);
        rig.check();
        assertThat(rig.dispatcher.workers).hasSize(3).doesNotContain(unborn);
        Worker heir = rig.woken.getLast();
        assertThat(heir).as("woken in its stead").isIn(a, spare);
        assertThat(rig.step(heir)).isEqualTo(task("c"));
        assertThat(rig.dispatcher.spinningCount()).isZero();
    }

    @Test
    void aCarrierThatCannotStartAndWasGivenNothingIsForgotten() {
        Worker unborn = spare();
        rig.dispatcher.withdraw(unborn);
        rig.check();
        assertThat(rig.dispatcher.workers).hasSize(1).doesNotContain(unborn);
        rig.busyWith(task("a"));
    }

    @Test
    void carriersAreKeptInAnyNumber() {
        rig = new Rig(100);
        for (int i = 0; i < 50; i++) {
            spare();
        }
        assertThat(rig.dispatcher.workers).hasSize(150);
        for (int i = 0; i < 100; i++) {
            rig.busyWith(task(i));
        }
        drainAll();
    }

    // ---- all together

    /** Any order of steps keeps the invariants, loses nothing, and leaves no task with an idle processor and nobody on the way. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void randomStepsLoseNothing_I1_I2_I3(int parallelism) {
        for (int seed = 0; seed < 20; seed++) {
            rig = new Rig(parallelism);
            rig.spares = 4;
            Random random = new Random(seed);
            List<Runnable> ended = new ArrayList<>();
            int submitted = 0;
            for (int i = 0; i < 2000; i++) {
                Worker worker = rig.workers.get(random.nextInt(rig.workers.size()));
                boolean runs = worker.current() != null;
                switch (random.nextInt(8)) {
                    case 0 -> rig.dispatcher.submitGlobal(task(submitted++));
                    case 1, 2 -> {
                        if (runs) {
                            rig.dispatcher.submitNext(worker, task(submitted++));
                        }
                    }
                    case 3 -> {
                        if (runs) {
                            rig.yield(worker);
                            carrierStep(worker);
                        }
                    }
                    case 4, 5 -> {
                        if (runs) {
                            ended.add(rig.running(worker));
                        }
                        carrierStep(worker);
                    }
                    case 6 -> {
                        rig.pass(random.nextInt(10_000), TimeUnit.MICROSECONDS);
                        rig.look();
                    }
                    default -> {
                        if (runs) {
                            worker.setBlocking(random.nextBoolean());
                        }
                    }
                }
                rig.check();
                if (rig.dispatcher.idleCount() != 0 && rig.dispatcher.spinningCount() == 0) {
                    assertThat(rig.dispatcher.global.isEmpty())
                            .as("seed %d, step %d: a task waits, a processor is idle, nobody is on the way", seed, i)
                            .isTrue();
                }
            }
            for (int i = 0; i < 100_000 && ended.size() < submitted; i++) {
                for (Worker worker : List.copyOf(rig.workers)) {
                    if (worker.current() != null) {
                        ended.add(worker.current());
                    }
                    carrierStep(worker);
                }
                rig.pass(1, TimeUnit.MILLISECONDS);
                rig.look();
            }
            assertThat(ended).as("seed %d", seed).hasSize(submitted).doesNotHaveDuplicates();
            rig.end();
        }
    }

    /** As the carrier's loop does. */
    private void carrierStep(Worker worker) {
        if (worker.parked) {
            return;
        }
        worker.switchOut();
        if (worker.processor == null) {
            rig.dispatcher.retreat(worker);
        } else if (rig.stepOrSteal(worker) == null) {
            rig.dispatcher.goIdle(worker);
        }
    }
}
