// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.handover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.lab.CommandLineTest;
import dev.evenweave.lab.engine.Sample;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(300)
class HandOverTest extends CommandLineTest {

    /** With the hand-over none of these hangs: who waits behind a hog runs, and who has to release a blocked thread does. */
    @ParameterizedTest
    @EnumSource
    void aRunMeasuresItsMetrics(Scenario scenario) throws Exception {
        List<String> metrics = switch (scenario) {
            case SPIN_1, SPIN_4 -> List.of("worstGapMs");
            case NATIVE -> List.of("otherRunsMs", "releasedMs");
            case POLLS -> List.of("leastSharePercent", "handOversPerSecond");
            case PINGPONG, HTTP -> List.of("roundTripsPerSecond", "handOversPerSecond");
        };
        assertThat(new HandOverExperiment(List.of(scenario), 0.5).run(scenario.label, HandOverExperiment.ON))
                .extracting(Sample::metric)
                .containsExactlyElementsOf(metrics);
    }

    @Test
    void aNameThatDoesNotExistIsNamed() {
        assertThat(execute("lab", "handover", "--scenario", "spin=2")).isEqualTo(2);
        assertThat(err.toString()).contains("--scenario spin=2: there is spin=1, spin=4, native");
        assertThat(execute("lab", "handover", "--seconds", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--seconds 0.0");
    }
}
