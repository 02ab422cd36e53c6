// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static dev.evenweave.scheduler.Rig.task;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerTest {
    private final Worker worker = new Worker(1, 4, 61);

    WorkerTest() {
        worker.processor = new Processor(0);
        worker.thread = Thread.currentThread();
    }

    @AfterEach
    void noMarkIsLeft() {
        worker.loseMark();
        assertThat(Marks.any()).isFalse();
    }

    @Test
    void requestsAreCaughtOrLostOrOpen_I1() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            switch (random.nextInt(4)) {
                case 0 -> worker.mark();
                case 1 -> worker.catchMark();
                case 2 -> worker.switchIn(task(i));
                default -> worker.loseMark();
            }
            assertThat(worker.requests.get())
                    .isEqualTo(worker.caught.get() + worker.lost.get() + (worker.isMarked() ? 1 : 0));
        }
        assertThat(worker.caught.get()).isPositive();
        assertThat(worker.lost.get()).isPositive();
    }

    @Test
    void everyMarkIsCountedWhileItIsThere() {
        Worker other = new Worker(2, 4, 61);
        other.processor = new Processor(1);
        other.thread = worker.thread;
        assertThat(Marks.any()).isFalse();
        assertThat(worker.mark()).isTrue();
        assertThat(worker.mark()).as("it has one").isFalse();
        assertThat(other.mark()).isTrue();
        assertThat(worker.catchMark()).isTrue();
        assertThat(worker.catchMark()).isFalse();
        assertThat(Marks.any()).isTrue();
        other.switchIn(task("next"));
        assertThat(Marks.any()).isFalse();
    }

    @Test
    void aCarrierWithoutAProcessorGetsNoMark_I3() {
        worker.processor = null;
        assertThat(worker.mark()).isFalse();
        assertThat(worker.isMarked()).isFalse();
        assertThat(Marks.any()).isFalse();
        assertThat(worker.requests.get()).isZero();
    }

    @Test
    void theGlobalTurnComesEverySixtyFirstSlice() {
        for (int slice = 0; slice < 200; slice++) {
            assertThat(worker.isGlobalTurn()).isEqualTo(slice % 61 == 0);
            worker.inherited = true;
            for (int i = 0; i < 5; i++) {
                worker.switchIn(task("inherits"));
            }
            assertThat(worker.isGlobalTurn()).isEqualTo(slice % 61 == 0);
            worker.inherited = false;
            worker.switchIn(task("starts a slice"));
        }
        assertThat(worker.slices()).isEqualTo(200);
        assertThat(worker.switches()).isEqualTo(1200);
    }

    @Test
    void theProcessorsFlagIsReadOnce() {
        assertThat(worker.takeAsked()).isFalse();
        worker.ask();
        worker.ask();
        assertThat(worker.takeAsked()).isTrue();
        assertThat(worker.takeAsked()).isFalse();
    }
}
