// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.sync.Barrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class CoordinationGuideTest {

    @Test
    void theSamplesDoWhatThePageSays() throws Exception {
        assertThat(CoordinationGuide.waitingForOthers()).isEqualTo(10);
        assertThat(CoordinationGuide.closed()).contains("count=2").contains("a worker failed");
        assertThat(CoordinationGuide.phases()).isEqualTo(3);
        assertThat(CoordinationGuide.shutdown()).isTrue();
        assertThat(CoordinationGuide.once()).isEqualTo("cell lazy key flight");
        assertThat(CoordinationGuide.betweenKeys()).isEqualTo("served");
    }

    @Test
    void oneOfTheThreeCombines() throws Exception {
        Barrier barrier = new Barrier(3);
        AtomicInteger combined = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        Thread[] others = new Thread[2];
        for (int i = 0; i < 2; i++) {
            others[i] = Thread.ofVirtual().start(() -> {
                try {
                    seen.addAndGet(CoordinationGuide.barrierWithAction(barrier, combined));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        seen.addAndGet(CoordinationGuide.barrierWithAction(barrier, combined));
        for (Thread other : others) {
            other.join();
        }
        assertThat(combined).hasValue(1);
        assertThat(seen).hasValue(3);
    }
}
