// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.jspecify.annotations.Nullable;

/** Runs scenarios and says what went wrong. */
final class RandomRuns {
    private RandomRuns() {}

    /** What a scenario breaks, or null: a {@link Violation}, or an assertion of the product's. */
    static @Nullable Throwable failure(Scenario scenario) {
        Simulation run = new Simulation(scenario, new Invariants(scenario));
        try {
            run.run();
            return null;
        } catch (Violation | AssertionError | IndexOutOfBoundsException | NullPointerException e) {
            return e;
        }
    }

    /** The first scenario that fails, of the directed ones and those of so many seeds, and why; or nothing. */
    static String firstViolation(long firstSeed, int runs, long maxEvents) {
        for (Scenario scenario : Directed.all()) {
            Throwable failure = failure(scenario);
            if (failure != null) {
                return "a directed scenario: " + failure;
            }
        }
        for (long seed = firstSeed; seed < firstSeed + runs; seed++) {
            Throwable failure = failure(ScenarioGenerator.scenario(seed, maxEvents));
            if (failure != null) {
                return "seed " + seed + ": " + failure;
            }
        }
        return "";
    }
}
