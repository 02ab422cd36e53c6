// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.waitlist;

import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.engine.Child;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.engine.RunFailedException;
import dev.evenweave.lab.engine.Sample;
import dev.evenweave.lab.engine.SampleLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the first waiter should live.
 *
 * @param factor how much longer than usual a run takes
 */
record WaitListExperiment(double factor) implements Experiment {
    static final String ARENA = "arena";
    static final String INLINE_FIRST = "inline-first";
    static final String FOOTPRINT = "footprint";

    private static final double SECONDS_PER_ROW = 0.07;
    private static final int ROWS_PER_GROUP = 10;

    // One processor count and one collector for all, and the same heap, so that runs differ in the storage alone.
    private static final List<String> FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-Xms256m",
            "-Xmx256m",
            "-Djdk.attach.allowAttachSelf=true",
            "-XX:+EnableDynamicAgentLoading",
            "--sun-misc-unsafe-memory-access=allow");

    @Override
    public String name() {
        return "waitlist";
    }

    @Override
    public String question() {
        return "Should the first waiter of a queue be kept outside the arena?";
    }

    @Override
    public List<String> arms() {
        return List.of(ARENA, INLINE_FIRST);
    }

    @Override
    public List<String> scenarios() {
        List<String> scenarios = new ArrayList<>(Rows.groups().keySet());
        scenarios.add(FOOTPRINT);
        return scenarios;
    }

    @Override
    public List<String> flags() {
        return FLAGS;
    }

    @Override
    public double secondsPerRun() {
        return 0.4 + factor * SECONDS_PER_ROW * ROWS_PER_GROUP;
    }

    @Override
    public List<Sample> run(String scenario, String arm) throws RunFailedException, InterruptedException {
        Child.Output output = Child.run(
                Child.jvm(FLAGS, WaitListRun.class, List.of(arm, scenario, Double.toString(factor))),
                Duration.ofSeconds(60 + (long) (10 * factor)));
        return SampleLines.parse(output.out(), metric -> Better.LOWER);
    }
}
