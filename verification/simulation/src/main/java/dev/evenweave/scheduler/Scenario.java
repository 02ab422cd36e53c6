// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.util.List;

/**
 * All that determines a simulated run.
 *
 * @param seed of everything that varies within a run: how much longer sleeps and wake-ups take than they have to
 * @param parallelism the processors
 * @param cores the machine's; more runnable platform threads than that share them evenly
 * @param ringCapacity of each carrier's ring, a power of two
 * @param policy the scheduler's
 * @param costs what things cost
 * @param jitter by how much a sleep or wake-up may take longer than its cost, in parts of a hundred
 * @param threads what runs
 * @param nanos when the run ends
 * @param maxEvents ends it too
 */
record Scenario(
        long seed,
        int parallelism,
        int cores,
        int ringCapacity,
        Policy policy,
        Costs costs,
        int jitter,
        List<Script> threads,
        long nanos,
        long maxEvents) {

    /**
     * What one thread does.
     *
     * @param startAt when somebody outside starts it; negative if only others start it
     * @param steps one after the other; after the last one it ends
     */
    record Script(long startAt, List<Step> steps) {
        Script(long startAt, Step... steps) {
            this(startAt, List.of(steps));
        }
    }

    Scenario withSeed(long other) {
        return new Scenario(other, parallelism, cores, ringCapacity, policy, costs, jitter, threads, nanos, maxEvents);
    }

    Scenario withThreads(List<Script> others) {
        return new Scenario(seed, parallelism, cores, ringCapacity, policy, costs, jitter, others, nanos, maxEvents);
    }

    Scenario withPolicy(Policy other) {
        return new Scenario(seed, parallelism, cores, ringCapacity, other, costs, jitter, threads, nanos, maxEvents);
    }

    Scenario withParallelism(int other) {
        return new Scenario(
                seed, other, Math.max(cores, other), ringCapacity, policy, costs, jitter, threads, nanos, maxEvents);
    }

    Scenario withNanos(long other) {
        return new Scenario(seed, parallelism, cores, ringCapacity, policy, costs, jitter, threads, other, maxEvents);
    }

    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder("scenario seed " + seed + ", parallelism " + parallelism + ", cores " + cores
                        + ", ring " + ringCapacity + ", jitter " + jitter + "%, " + nanos / 1_000_000.0 + " ms\n  "
                        + policy + "\n  "
                        + costs + "\n");
        for (int i = 0; i < threads.size(); i++) {
            Script thread = threads.get(i);
            text.append("  thread ").append(i);
            text.append(thread.startAt < 0 ? " (started by others)" : " at " + thread.startAt);
            text.append(": ").append(thread.steps).append('\n');
        }
        return text.toString();
    }
}
