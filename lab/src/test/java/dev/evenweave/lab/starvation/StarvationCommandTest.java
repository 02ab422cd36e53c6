// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.starvation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.evenweave.lab.engine.Child;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.engine.Sample;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

class StarvationCommandTest {

    @Test
    void withoutOptionsAllArmsAreComparedWithoutWork() {
        Experiment experiment = experiment();
        assertThat(experiment.arms()).containsExactly("honour=off", "honour=on", "honour=local-only", "jdk");
        assertThat(experiment.scenarios()).containsExactly("work=0");
        assertThat(experiment.secondsPerRun()).isEqualTo(5);
    }

    @Test
    void eachAmountOfWorkIsAScenario() {
        Experiment experiment =
                experiment("--work=0,100", "--arms=jdk,honour=on", "--preempt=off", "--processors=2", "--gc");
        assertThat(experiment.arms()).containsExactly("jdk", "honour=on");
        assertThat(experiment.scenarios())
                .containsExactly("work=0, processors=2, preempt=off, gc", "work=100, processors=2, preempt=off, gc");
    }

    @Test
    void bothLoadsCanBeAskedFor() {
        assertThat(experiment("--scenario=sleepers,pingpong", "--pinned").scenarios())
                .containsExactly("sleepers", "work=0, pinned");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --arms=honour=of        | --arms honour=of: there is honour=off, honour=on, honour=local-only, jdk
                    --arms=jdk,jdk          | --arms jdk: named twice
                    --scenario=ping         | --scenario ping: there is pingpong, sleepers
                    --work=-1               | --work -1: give 0 or more
                    --seconds=0             | --seconds 0.0: give a number from 0.1 to 3600
                    --seconds=NaN           | --seconds NaN: give a number
                    --processors=0          | --processors 0: give a number from 1 to 1024
                    --preempt=maybe         | --preempt maybe: give on or off
                    """)
    void badValuesAreNamedWithTheFix(String option, String message) {
        StarvationCommand command = new StarvationCommand();
        new CommandLine(command).parseArgs(option);
        assertThat(catchThrowable(command::experiment)).hasMessageContaining(message);
    }

    /** Two counters have to prove that the arms do what their names say; times are not asserted. */
    @ParameterizedTest
    @EnumSource(Setup.Arm.class)
    void aRunTellsItsMetricsAndCounters(Setup.Arm arm) throws Exception {
        Map<String, Double> values = run("--arms=" + arm, "--seconds=1", "--quick").stream()
                .collect(Collectors.toMap(Sample::metric, Sample::value));
        assertThat(values).containsKeys("worstGapMs", "offCpuPercent", "roundTripsPerSecond", "roundTripsPerCpuSecond");
        assertThat(values.get("roundTripsPerSecond")).isPositive();
        assertThat(values.get("offCpuPercent")).isBetween(0.0, 100.0);
        switch (arm) {
            case JDK -> assertThat(values).doesNotContainKeys("requests", "caught", "honoured");
            case ON -> assertThat(values.get("honoured")).isPositive();
            // Nothing waits in the pair's own queue, unless a busy machine has put the reader there.
            case LOCAL_ONLY -> assertThat(values).containsKey("honoured");
            case OFF -> assertThat(values.get("honoured")).isZero();
        }
    }

    @Test
    void withoutPreemptionNothingIsHonoured() throws Exception {
        assertThat(run("--arms=honour=on", "--seconds=0.3", "--quick", "--preempt=off"))
                .anySatisfy(sample -> {
                    assertThat(sample.metric()).isEqualTo("honoured");
                    assertThat(sample.value()).isZero();
                });
    }

    @Test
    void theOtherConditionsRun() throws Exception {
        assertThat(run("--arms=honour=on", "--seconds=0.3", "--quick", "--gc", "--processors=2"))
                .extracting(Sample::metric)
                .contains("collections")
                .doesNotContain("roundTripsPerCpuSecond");
        assertThat(run("--arms=honour=on", "--seconds=0.3", "--quick", "--pinned"))
                .extracting(Sample::metric)
                .contains("roundTripsPerSecond");
        assertThat(run("--arms=honour=on", "--seconds=0.3", "--quick", "--scenario=sleepers"))
                .extracting(Sample::metric)
                .contains("sleepsPerSecond");
    }

    @Test
    void argumentsCarryTheWholeSetup() {
        Setup setup = new Setup(Setup.Arm.LOCAL_ONLY, false, 3, Setup.Load.SLEEPERS, 7, 0.5, 0.25, true, true);
        assertThat(Setup.parse(setup.arguments().toArray(String[]::new))).isEqualTo(setup);
        assertThat(Child.jvm(List.of(), StarvationProgram.class, setup.arguments()))
                .endsWith("true", "true");
    }

    private static List<Sample> run(String... options) throws Exception {
        Experiment experiment = experiment(options);
        return experiment.run(
                experiment.scenarios().getFirst(), experiment.arms().getFirst());
    }

    private static Experiment experiment(String... options) {
        StarvationCommand command = new StarvationCommand();
        new CommandLine(command).parseArgs(options);
        return command.experiment();
    }
}
