// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.promise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.engine.Outcome.Series;
import dev.evenweave.lab.report.Evaluation;
import dev.evenweave.lab.report.LabResult;
import dev.evenweave.lab.report.LabResult.ArmName;
import dev.evenweave.lab.report.Machine;
import dev.evenweave.scheduler.Policy;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** By hand, with the defaults: s 10 ms, m 5.1 ms, l 0.1 ms, w 0.2 ms, h 15 ms, i 61. */
class WaitingBoundTest {

    private static final WaitingBound POLLING = new WaitingBound(Policy.defaults(), 1, 3, 1_000_000, 0, 2);

    @Test
    void whoPollsGivesWayAtTheNextPoll() {
        assertThat(POLLING.sliceMillis()).isCloseTo(10 + 2 * 5.1 + 1, within(1e-9));
        assertThat(POLLING.slices()).isEqualTo(61 * 3 + 3 * 3 + 2);
        assertThat(POLLING.millis()).isCloseTo(21.2 * 194 + 5.1 + 0.2, within(1e-9));
    }

    @Test
    void whoDoesNotLosesItsProcessor() {
        WaitingBound hogs = new WaitingBound(Policy.defaults(), 2, 24, -1, 4, 2);
        assertThat(hogs.sliceMillis()).isCloseTo(10 + 2 * 5.1 + 5.1 + 15 + 0.1 + 0.2, within(1e-9));
        assertThat(hogs.slices()).isEqualTo(61 * 12 + 3 * 24 + 2);
        assertThat(hogs.millis()).isCloseTo(3 * (5 * 40.6 * 806 + 5.1 + 0.4), within(1e-6));
    }

    @Test
    void theLineSaysWhetherTheWorstRunKeptIt() {
        assertThat(POLLING.lines(result(19, 17.5), "honour=on", "worstGapMs"))
                .containsExactly("Promise, work=0, honour=on: D = 4118 ms (S 21.2 ms, K 194); worst 19.0 ms; kept.");
        assertThat(POLLING.lines(result(19, 4_139), "honour=on", "worstGapMs"))
                .singleElement()
                .asString()
                .endsWith("worst 4139.0 ms; BROKEN.");
        assertThat(POLLING.lines(result(19, 4_137), "honour=on", "worstGapMs", "work=0"))
                .singleElement()
                .asString()
                .as("20 ms are for the operating system")
                .endsWith("kept.");
        assertThat(POLLING.lines(result(1, 2), "honour=on", "worstGapMs", "work=1"))
                .isEmpty();
        assertThat(POLLING.lines(result(1, 2), "honour=off", "worstGapMs")).isEmpty();
    }

    private static LabResult result(double... gaps) {
        List<Double> values = Arrays.stream(gaps).boxed().toList();
        return Evaluation.evaluate(
                "starvation",
                "?",
                "./evenweave",
                Instant.EPOCH,
                true,
                Machine.here(List.of()),
                null,
                List.of(new ArmName("honour=on", false)),
                List.of(new Series("work=0", "honour=on", "worstGapMs", "ms", Better.LOWER, values)),
                List.of(),
                List.of());
    }
}
