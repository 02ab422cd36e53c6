// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static dev.evenweave.scheduler.Rig.task;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the monitor does at each look, and how long it sleeps. */
class MonitorRulesTest {
    private static final long SLICE = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long HAND_OVER_AFTER = TimeUnit.MILLISECONDS.toNanos(15);
    private static final long FAST = TimeUnit.MICROSECONDS.toNanos(20);

    private Rig rig = new Rig(1);

    @AfterEach
    void invariantsHold() {
        rig.end();
    }

    private void pass(long nanos) {
        rig.pass(nanos, TimeUnit.NANOSECONDS);
    }

    private static Policy.Builder policy() {
        return Policy.defaults().toBuilder();
    }

    // ---- requests

    @Test
    void aSliceThatIsUsedUpGetsOneRequestPerSliceLength_I1() {
        Worker worker = rig.busyWith(task("a"));
        rig.look();
        pass(SLICE - 1);
        rig.look();
        assertThat(worker.requests.get()).isZero();
        pass(1);
        rig.look();
        assertThat(worker.requests.get()).isEqualTo(1);
        assertThat(worker.isMarked()).isTrue();
        for (int i = 0; i < 9; i++) {
            pass(SLICE / 10);
            rig.look();
        }
        assertThat(worker.takeAsked()).isTrue();
        assertThat(worker.takeAsked()).isFalse();
        pass(SLICE / 10);
        rig.look();
        assertThat(worker.takeAsked()).as("asked again after another slice").isTrue();
        assertThat(worker.requests.get()).as("the mark is still there").isEqualTo(1);
    }

    @Test
    void aPairThatInheritsItsSliceIsAskedAndOneThatStartsNewSlicesIsNot() {
        Worker worker = rig.busyWith(task("a"));
        rig.look();
        for (int i = 0; i < 20; i++) {
            pass(SLICE / 10);
            rig.dispatcher.submitNext(worker, task("next"));
            rig.step(worker);
            rig.look();
        }
        assertThat(worker.requests.get()).isEqualTo(2);
        assertThat(worker.lost.get()).isEqualTo(1);
        rig.step(worker);
        for (int i = 0; i < 20; i++) {
            pass(SLICE / 10);
            rig.dispatcher.addLocal(worker, task("ring"));
            rig.step(worker);
            rig.look();
        }
        assertThat(worker.requests.get()).isEqualTo(2);
    }

    @Test
    void requestsEndInAYieldOrAreLost() {
        Worker worker = rig.busyWith(task("a"));
        for (int i = 0; i < 10; i++) {
            rig.look();
            pass(SLICE);
            rig.look();
            assertThat(worker.isMarked()).isTrue();
            if (i % 3 == 0) {
                rig.yield(worker);
            } else {
                rig.dispatcher.addLocal(worker, task(i));
            }
            rig.step(worker);
            assertThat(worker.isMarked()).isFalse();
        }
        assertThat(worker.requests.get()).isEqualTo(10);
        assertThat(worker.caught.get()).isEqualTo(4);
        assertThat(worker.lost.get()).isEqualTo(6);
    }

    @Test
    void threadOnlySetsTheMarkAndNotTheProcessorsFlag() {
        rig = new Rig(1, policy().preemption(Preemption.THREAD_ONLY).build());
        Worker worker = rig.busyWith(task("a"));
        rig.look();
        pass(SLICE);
        rig.look();
        assertThat(worker.isMarked()).isTrue();
        assertThat(worker.takeAsked()).isFalse();
        rig.dispatcher.preemption = Preemption.ON;
        pass(SLICE);
        rig.look();
        assertThat(worker.takeAsked()).isTrue();
    }

    /** A pair is between two tasks for a good part of its time: its slice must not seem new at each such look. */
    @Test
    void aCarrierBetweenTwoTasksIsLookedAtLikeAnyOther() {
        Worker worker = rig.busyWith(task("a"));
        rig.look();
        pass(SLICE / 2);
        rig.dispatcher.submitNext(worker, task("b"));
        worker.switchOut();
        rig.look();
        rig.step(worker);
        pass(SLICE / 2);
        rig.look();
        assertThat(worker.requests.get()).isEqualTo(1);
        assertThat(worker.takeAsked()).isTrue();
    }

    @Test
    void aCarrierThatTookAProcessorOverStartsASliceOfItsOwn() {
        Worker worker = rig.busyWith(task("a"));
        rig.newSpare();
        rig.look();
        pass(HAND_OVER_AFTER);
        rig.dispatcher.submitGlobal(task("waits"));
        rig.look();
        Worker heir = rig.woken.getLast();
        assertThat(heir).isNotSameAs(worker);
        rig.step(heir);
        rig.look();
        pass(SLICE - 1);
        rig.look();
        assertThat(heir.requests.get()).isZero();
        pass(1);
        rig.look();
        assertThat(heir.requests.get()).isEqualTo(1);
    }

    // ---- hand-over

    @Test
    void aHogLosesItsProcessorAfterASliceAndAHalfIfSomebodyWaits_I2() {
        Worker hog = rig.busyWith(task("hog"));
        rig.dispatcher.submitNext(hog, task("waits"));
        rig.look();
        pass(HAND_OVER_AFTER - 1);
        rig.look();
        assertThat(hog.processor).isNotNull();
        pass(1);
        rig.look();
        assertThat(hog.processor).isNull();
        assertThat(rig.monitor.handOvers.get()).isEqualTo(1);
        assertThat(rig.dispatcher.workers).as("a spare was made").hasSize(2);
        assertThat(rig.step(rig.woken.getLast())).isEqualTo(task("waits"));
    }

    @Test
    void aHogKeepsItsProcessorWhileNobodyWaits_I2() {
        Worker hog = rig.busyWith(task("hog"));
        for (int i = 0; i < 100; i++) {
            rig.look();
            pass(HAND_OVER_AFTER);
        }
        assertThat(hog.processor).isNotNull();
        assertThat(rig.dispatcher.workers).hasSize(1);
    }

    @Test
    void aPairThatSwitchesIsNeverHandedOver_I2() {
        Worker pair = rig.busyWith(task("ping"));
        rig.dispatcher.submitGlobal(task("waits"));
        rig.dispatcher.honour = Honour.OFF;
        for (int i = 0; i < 1000; i++) {
            rig.dispatcher.submitNext(pair, task(i));
            rig.step(pair);
            rig.look();
            pass(SLICE);
        }
        assertThat(pair.processor).isNotNull();
        assertThat(pair.requests.get()).as("it is asked, though").isGreaterThan(900);
        assertThat(rig.monitor.handOvers.get()).isZero();
    }

    @Test
    void handOverCanBeSwitchedOff() {
        rig = new Rig(1, policy().handOver(false).build());
        Worker hog = rig.busyWith(task("hog"));
        rig.dispatcher.submitGlobal(task("waits"));
        for (int i = 0; i < 10; i++) {
            rig.look();
            pass(HAND_OVER_AFTER);
        }
        assertThat(hog.processor).isNotNull();
    }

    @Test
    void aBlockedCarrierIsFoundAtTheSecondLook() {
        Worker worker = rig.busyWith(task("blocks"));
        rig.dispatcher.submitGlobal(task("waits"));
        rig.look();
        worker.setBlocking(true);
        pass(FAST);
        rig.look();
        assertThat(worker.processor).isNull();
        assertThat(rig.step(rig.woken.getLast())).isEqualTo(task("waits"));
    }

    @Test
    void aCarrierThatBlockedAndSwitchedSinceKeepsItsProcessor() {
        Worker worker = rig.busyWith(task("blocks"));
        rig.dispatcher.submitGlobal(task("waits"));
        worker.setBlocking(true);
        rig.look();
        worker.setBlocking(false);
        rig.dispatcher.addLocal(worker, task("other"));
        rig.step(worker);
        worker.setBlocking(true);
        pass(FAST);
        rig.look();
        assertThat(worker.processor).as("another call").isNotNull();
    }

    @Test
    void hogsLoseTheirProcessorsOneAfterTheOtherUntilAllHaveRun() {
        rig.busyWith(task("hog 0"));
        int hogs = 10;
        for (int i = 1; i <= hogs; i++) {
            rig.dispatcher.submitGlobal(task("hog " + i));
        }
        List<Runnable> ran = new ArrayList<>();
        for (int i = 0; i < hogs; i++) {
            int before = rig.woken.size();
            rig.look();
            pass(HAND_OVER_AFTER);
            rig.look();
            assertThat(rig.woken).hasSize(before + 1);
            ran.add(rig.step(rig.woken.getLast()));
        }
        assertThat(ran).hasSize(hogs).doesNotHaveDuplicates();
        assertThat(rig.dispatcher.workers).hasSize(hogs + 1);
    }

    @Test
    void atTheBoundHandOverIsRefusedCountedAndWarnedOfOnce() {
        rig = new Rig(1, policy().maxCarriers(2).build());
        Worker first = rig.busyWith(task("hog"));
        rig.dispatcher.submitGlobal(task("another hog"));
        rig.dispatcher.submitGlobal(task("waits"));
        rig.look();
        pass(HAND_OVER_AFTER);
        rig.look();
        assertThat(first.processor).isNull();
        Worker second = rig.woken.getLast();
        assertThat(rig.step(second)).isEqualTo(task("another hog"));
        rig.look();
        for (int i = 1; i <= 3; i++) {
            pass(HAND_OVER_AFTER);
            rig.look();
            assertThat(second.processor).isNotNull();
            assertThat(rig.monitor.refused.get()).isEqualTo(i);
        }
        assertThat(rig.warnings).hasSize(1);
        assertThat(rig.warnings.getFirst()).contains("all 2 carriers").contains("maxCarriers");
        assertThat(rig.dispatcher.workers).hasSize(2);
        // The first hog comes back: it is the spare that was wanted.
        first.switchOut();
        rig.dispatcher.retreat(first);
        pass(HAND_OVER_AFTER);
        rig.look();
        assertThat(second.processor).isNull();
        assertThat(rig.step(first)).isEqualTo(task("waits"));
    }

    @Test
    void aMachineThatGivesNoThreadsIsAskedAgain() {
        rig.spares = 0;
        Worker hog = rig.busyWith(task("hog"));
        rig.dispatcher.submitGlobal(task("waits"));
        rig.look();
        pass(HAND_OVER_AFTER);
        rig.look();
        assertThat(hog.processor).isNotNull();
        assertThat(rig.monitor.refused.get()).isEqualTo(1);
        rig.spares = 1;
        pass(FAST);
        rig.look();
        assertThat(hog.processor).isNull();
    }

    @Test
    void withAnIdleProcessorTheHogsQueueIsStolenAndNothingHandedOver() {
        rig = new Rig(2);
        Worker hog = rig.busyWith(task("hog"));
        rig.dispatcher.submitNext(hog, task("waits"));
        int before = rig.woken.size();
        rig.look();
        pass(HAND_OVER_AFTER);
        rig.look();
        assertThat(hog.processor).isNotNull();
        assertThat(rig.woken).hasSize(before + 1);
        Worker thief = rig.woken.getLast();
        assertThat(rig.stepOrSteal(thief))
                .as("young, as far as the thief knows")
                .isNull();
        pass(TimeUnit.MICROSECONDS.toNanos(5));
        assertThat(rig.stepOrSteal(thief)).isEqualTo(task("waits"));
    }

    // ---- periods

    @Test
    void theSleepsStartShortAndDoubleAfterFiftyQuietLooksUpToHalfASlice() {
        rig.busyWith(task("a"));
        for (int i = 0; i < 50; i++) {
            assertThat(rig.look()).isEqualTo(FAST);
        }
        long expected = FAST;
        for (int i = 0; i < 20; i++) {
            expected = Math.min(2 * expected, SLICE / 2);
            assertThat(rig.look()).isEqualTo(expected);
        }
        // Woken from a long sleep, it looks closely again; not if the time was just up.
        rig.monitor.beforeSleep(SLICE);
        rig.monitor.afterSleep();
        assertThat(rig.look()).isEqualTo(SLICE / 2);
        rig.monitor.beforeSleep(SLICE);
        rig.dispatcher.alertMonitor();
        assertThat(rig.monitorWakeUps).isEqualTo(1);
        rig.monitor.afterSleep();
        assertThat(rig.look()).isEqualTo(FAST);
    }

    @Test
    void aShortSleepIsNotWorthBeingWokenFrom() {
        rig = new Rig(2);
        Worker worker = rig.busyWith(task("a"));
        assertThat(rig.monitor.beforeSleep(FAST)).isEqualTo(FAST);
        rig.dispatcher.submitNext(worker, task("next"));
        assertThat(rig.monitorWakeUps).isZero();
        rig.monitor.afterSleep();
    }

    @Test
    void aRunNextThatCameJustBeforeALongSleepShortensIt() {
        rig = new Rig(2);
        Worker worker = rig.busyWith(task("a"));
        assertThat(rig.monitor.beforeSleep(SLICE)).isEqualTo(SLICE);
        rig.monitor.afterSleep();
        rig.dispatcher.submitNext(worker, task("next"));
        assertThat(rig.monitor.beforeSleep(SLICE)).isLessThan(SLICE);
        rig.monitor.afterSleep();
    }

    @Test
    void aHandOverCountsAsAFind() {
        rig.busyWith(task("hog"));
        for (int i = 0; i < 80; i++) {
            rig.look();
        }
        assertThat(rig.look()).isGreaterThan(FAST);
        rig.dispatcher.submitGlobal(task("waits"));
        pass(HAND_OVER_AFTER);
        assertThat(rig.look()).isEqualTo(FAST);
    }

    @Test
    void withEveryProcessorIdleItSleepsUntilSomethingIsSubmitted() {
        rig = new Rig(2);
        assertThat(rig.look()).isEqualTo(Long.MAX_VALUE);
        assertThat(rig.monitorWakeUps).isZero();
        rig.dispatcher.submitGlobal(task("a"));
        assertThat(rig.monitorWakeUps).isEqualTo(1);
        assertThat(rig.dispatcher.monitorWakes()).as("somebody woke it").isTrue();
        rig.step(rig.woken.getLast());
        assertThat(rig.look()).isEqualTo(FAST);
    }

    @Test
    void workThatNobodyIsOnTheWayToIsFound() {
        rig = new Rig(2);
        Worker worker = rig.busyWith(task("a"));
        int before = rig.woken.size();
        worker.queue.offer(task("forgotten"));
        rig.look();
        assertThat(rig.woken).hasSize(before + 1);
        assertThat(rig.stepOrSteal(rig.woken.getLast())).isEqualTo(task("forgotten"));
    }

    @Test
    void aCarrierWhoseWakeUpWasLostIsWokenAgain() {
        rig.dispatcher.submitGlobal(task("a"));
        Worker worker = rig.woken.getLast();
        rig.look();
        pass(TimeUnit.MILLISECONDS.toNanos(1) - 1);
        rig.look();
        assertThat(rig.woken).hasSize(1);
        pass(1);
        rig.look();
        assertThat(rig.woken).containsExactly(worker, worker);
        rig.step(worker);
        pass(SLICE);
        rig.look();
        assertThat(rig.woken).hasSize(2);
    }

    // ---- ages

    @Test
    void theOldestWaitIsThatOfAQueueOutOfWhichNothingIsTaken() {
        Worker worker = rig.busyWith(task("a"));
        rig.look();
        assertThat(rig.monitor.globalAge.age(rig.now)).isZero();
        rig.dispatcher.submitGlobal(task("waits"));
        rig.dispatcher.addLocal(worker, task("waits too"));
        rig.look();
        pass(1000);
        rig.look();
        assertThat(rig.monitor.globalAge.age(rig.now)).isEqualTo(1000);
        assertThat(worker.age.age(rig.now)).isEqualTo(1000);
        rig.step(worker);
        rig.look();
        assertThat(worker.age.age(rig.now)).isZero();
        pass(1000);
        assertThat(rig.monitor.globalAge.age(rig.now)).isEqualTo(2000);
        rig.step(worker);
        rig.look();
        assertThat(rig.monitor.globalAge.age(rig.now)).isZero();
    }

    @Test
    void theRingBehindAPairAgesThoughThePairSwitches() {
        rig.dispatcher.honour = Honour.OFF;
        Worker worker = rig.busyWith(task("a"));
        rig.dispatcher.addLocal(worker, task("starves"));
        rig.look();
        for (int i = 0; i < 10; i++) {
            rig.dispatcher.submitNext(worker, task(i));
            rig.step(worker);
            pass(1000);
            rig.look();
        }
        assertThat(worker.age.age(rig.now)).isEqualTo(10_000);
    }

    @Test
    void aLongerSliceInThePolicyIsKept() {
        rig = new Rig(1, policy().timeSlice(Duration.ofMillis(30)).build());
        Worker worker = rig.busyWith(task("a"));
        rig.look();
        pass(3 * SLICE - 1);
        rig.look();
        assertThat(worker.requests.get()).isZero();
        pass(1);
        rig.look();
        assertThat(worker.requests.get()).isEqualTo(1);
    }
}
