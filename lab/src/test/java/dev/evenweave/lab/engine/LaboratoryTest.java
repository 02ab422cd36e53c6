// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LaboratoryTest {

    private static final CpuUse START = new CpuUse(0, 0, 0);
    private static final CpuUse QUIET = new CpuUse(50, 50, 100);
    private static final CpuUse DISTURBED = new CpuUse(80, 50, 100);

    private final List<String> ran = new ArrayList<>();
    private final List<String> told = new ArrayList<>();

    @Test
    void armsAlternateForwardsAndBackwards() {
        laboratory(3, 0, false, List.of()).carryOut(experiment("A", "B"));
        assertThat(ran).containsExactly("A", "B", "B", "A", "A", "B");
    }

    @Test
    void theControlIsTheBaseOnceMoreAtTheOtherEndOfTheRound() {
        Outcome outcome = laboratory(2, 0, true, List.of()).carryOut(experiment("A", "B"));
        assertThat(ran).containsExactly("A", "B", "A", "A", "B", "A");
        assertThat(outcome.series()).extracting(Outcome.Series::arm).containsExactly("A", "B", "A (again)");
        assertThat(outcome.series())
                .allSatisfy(series -> assertThat(series.values()).hasSize(2));
    }

    @Test
    void warmUpRunsAreNotCounted() {
        Outcome outcome = laboratory(1, 2, false, List.of()).carryOut(experiment("A", "B"));
        assertThat(ran).containsExactly("A", "B", "A", "B", "A", "B");
        assertThat(outcome.runs()).hasSize(2);
        assertThat(outcome.end()).isEqualTo(Outcome.End.COMPLETE);
        assertThat(told).hasSize(Laboratory.plannedRuns(experiment("A", "B"), new Settings(1, 2, false, 5, 2)));
    }

    @Test
    void aDisturbedRunIsRepeated() {
        Outcome outcome =
                laboratory(1, 0, false, List.of(START, DISTURBED, START, QUIET)).carryOut(experiment("A"));
        assertThat(ran).hasSize(2);
        assertThat(outcome.runs()).singleElement().satisfies(run -> {
            assertThat(run.attempts()).isEqualTo(2);
            assertThat(run.disturbed()).isFalse();
            assertThat(run.foreignPercent()).isZero();
        });
        assertThat(outcome.series().getFirst().values())
                .as("the disturbed one is gone")
                .containsExactly(2.0);
    }

    @Test
    void aRunThatIsAlwaysDisturbedIsKeptAndMarked() {
        Outcome outcome = laboratory(1, 0, false, List.of(START, DISTURBED, START, DISTURBED, START, DISTURBED))
                .carryOut(experiment("A"));
        assertThat(ran).hasSize(3);
        assertThat(outcome.runs()).singleElement().satisfies(run -> {
            assertThat(run.attempts()).isEqualTo(3);
            assertThat(run.disturbed()).isTrue();
            assertThat(run.foreignPercent()).isEqualTo(30);
        });
    }

    @Test
    void whereTheLoadIsUnknownNothingIsRepeated() {
        Outcome outcome = laboratory(1, 0, false, List.of()).carryOut(experiment("A"));
        assertThat(ran).hasSize(1);
        assertThat(outcome.runs().getFirst().foreignPercent()).isNull();
    }

    @Test
    void aFailedRunKeepsWhatWasMeasured() {
        Outcome outcome = laboratory(3, 0, false, List.of()).carryOut(new Fake(List.of("A")) {
            @Override
            public List<Sample> run(String scenario, String arm) throws RunFailedException {
                if (ran.size() == 2) {
                    throw new RunFailedException("it broke");
                }
                return super.run(scenario, arm);
            }
        });
        assertThat(outcome.end()).isEqualTo(Outcome.End.FAILED);
        assertThat(outcome.reason()).isEqualTo("it broke");
        assertThat(outcome.runs()).hasSize(2);
        assertThat(outcome.series().getFirst().values()).containsExactly(1.0, 2.0);
    }

    @Test
    void anInterruptKeepsWhatWasMeasured() {
        Outcome outcome = laboratory(3, 0, false, List.of()).carryOut(new Fake(List.of("A")) {
            @Override
            public List<Sample> run(String scenario, String arm) throws RunFailedException {
                List<Sample> samples = super.run(scenario, arm);
                Thread.currentThread().interrupt();
                return samples;
            }
        });
        assertThat(outcome.end()).isEqualTo(Outcome.End.STOPPED);
        assertThat(outcome.runs()).hasSize(1);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void whatIsNoNumberIsRefused() {
        assertThat(failureOf(new Sample("time", "ms", Better.LOWER, Double.NaN)))
                .contains("A", "NaN", "time");
        assertThat(failureOf(new Sample("time", "ms", Better.LOWER, Double.POSITIVE_INFINITY)))
                .contains("Infinity");
    }

    @Test
    void noNumbersAtAllAreRefused() {
        assertThat(failureOf()).contains("printed no numbers");
    }

    @Test
    void aMetricHasOneUnit() {
        assertThat(failureOf(new Sample("time", "ms", Better.LOWER, 1), new Sample("time", "s", Better.LOWER, 1)))
                .contains("time", "ms", " s");
    }

    private String failureOf(Sample... samples) {
        Outcome outcome = laboratory(1, 0, false, List.of()).carryOut(new Fake(List.of("A")) {
            @Override
            public List<Sample> run(String scenario, String arm) {
                return List.of(samples);
            }
        });
        assertThat(outcome.end()).isEqualTo(Outcome.End.FAILED);
        return outcome.reason();
    }

    private Laboratory laboratory(int runs, int warmups, boolean control, List<CpuUse> clock) {
        Iterator<CpuUse> times = clock.iterator();
        Progress progress = new Progress() {
            @Override
            public void ran(String line) {
                told.add(line);
            }

            @Override
            public void note(String line) {}

            @Override
            public void close() {}
        };
        return new Laboratory(new Settings(runs, warmups, control, 5, 2), progress, () -> next(times));
    }

    private static @Nullable CpuUse next(Iterator<CpuUse> times) {
        return times.hasNext() ? times.next() : null;
    }

    private Experiment experiment(String... arms) {
        return new Fake(List.of(arms));
    }

    /** Notes which arm ran; its one metric is how many runs there have been. */
    private class Fake implements Experiment {

        private final List<String> arms;

        Fake(List<String> arms) {
            this.arms = arms;
        }

        @Override
        public String name() {
            return "fake";
        }

        @Override
        public String question() {
            return "does it work?";
        }

        @Override
        public List<String> arms() {
            return arms;
        }

        @Override
        public List<String> scenarios() {
            return List.of("only");
        }

        @Override
        public List<Sample> run(String scenario, String arm) throws RunFailedException {
            ran.add(arm);
            return List.of(new Sample("count", "runs", Better.NEITHER, ran.size()));
        }
    }
}
