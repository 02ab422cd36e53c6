// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * The scheduler's rules under simulated carriers: nothing of {@link Invariants} is broken in any run.
 *
 * <p>{@code -Dproof=long} makes 100 000 runs on 1 to 64 processors and 1000 on 1024 of them; {@code -Dseed=N} repeats the
 * run of one seed.
 */
class SimulationTest {
    private static final boolean LONG = System.getProperty("proof", "short").equals("long");
    private static final long EVENTS = 20_000;

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS) // in the long form
    void randomRunsKeepThePromise() {
        Long only = Long.getLong("seed");
        long first = only == null ? 0 : only;
        long last = only != null ? only : LONG ? 100_000 : 200;
        for (long seed = first; seed <= last; seed++) {
            check(ScenarioGenerator.scenario(seed, LONG ? 5_000 : EVENTS));
        }
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS) // in the long form
    void runsOnManyProcessorsKeepThePromise() {
        for (long seed = 0; seed < (LONG ? 1_000 : 3); seed++) {
            check(ScenarioGenerator.scenario(seed, 1024, EVENTS));
        }
    }

    @Test
    void directedRunsKeepThePromise() {
        Directed.all().forEach(SimulationTest::check);
    }

    @Test
    void theSameScenarioGivesTheSameRun() {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(digest(seed)).as("seed %d", seed).isEqualTo(digest(seed));
        }
        assertThat(digest(1)).isNotEqualTo(digest(2));
    }

    @TestFactory
    Stream<DynamicTest> eachBrokenSchedulerIsFound() {
        return Mutants.all().entrySet().stream()
                .map(mutant -> DynamicTest.dynamicTest(
                        mutant.getKey(),
                        () -> assertThat(mutant.getValue().get().firstViolation(0, 200, EVENTS))
                                .isNotEmpty()));
    }

    @Test
    void anUnchangedCopyIsNotFoundBroken() {
        assertThat(new Variant().firstViolation(0, 20, EVENTS)).isEmpty();
    }

    @Test
    void aFailingScenarioIsMadeSmall() {
        Scenario large = LongStream.range(0, 1_000)
                .mapToObj(seed -> ScenarioGenerator.scenario(seed, EVENTS))
                .filter(scenario -> yields(scenario) && scenario.threads().size() > 20)
                .findFirst()
                .orElseThrow();
        Scenario small = new Shrinker(SimulationTest::yields).shrink(large);
        assertThat(small.threads().stream()
                        .mapToInt(thread -> thread.steps().size())
                        .sum())
                .isEqualTo(1);
    }

    @Test
    void aPairStarvesASpinnerUnlessRequestsAreHonoured() {
        assertThat(shareOfSpinner(Honour.ON)).isBetween(0.4, 0.6);
        assertThat(shareOfSpinner(Honour.OFF)).isLessThan(0.05);
        assertThat(shareOfSpinner(Honour.LOCAL_ONLY)).isLessThan(0.05);
    }

    private static double shareOfSpinner(Honour honour) {
        Policy policy = Policy.defaults().toBuilder().honour(honour).build();
        Duration length = Duration.ofMillis(500);
        Simulation run = new Simulation(Directed.pairAndSpinner(policy, 1, length), Watch.NONE);
        run.run();
        return (double) run.threads.get(2).cpu / length.toNanos();
    }

    private static long digest(long seed) {
        Simulation run = new Simulation(ScenarioGenerator.scenario(seed, EVENTS), Watch.NONE);
        run.run();
        return run.digest;
    }

    /** Stands for a failure: some thread of the run yields. */
    private static boolean yields(Scenario scenario) {
        return scenario.threads().stream()
                .anyMatch(thread -> thread.steps().stream().anyMatch(step -> step.op() == Step.Op.YIELD));
    }

    private static void check(Scenario scenario) {
        Throwable failure = RandomRuns.failure(scenario);
        if (failure != null) {
            Class<?> kind = failure.getClass();
            Scenario small = new Shrinker(smaller -> {
                        Throwable other = RandomRuns.failure(smaller);
                        return other != null && other.getClass() == kind;
                    })
                    .shrink(scenario);
            throw new AssertionError(
                    "seed " + scenario.seed() + ": " + failure.getMessage() + "\nas small as it gets: " + small,
                    failure);
        }
    }
}
