// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.handover;

import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.engine.Child;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.engine.RunFailedException;
import dev.evenweave.lab.engine.Sample;
import dev.evenweave.lab.engine.SampleLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Evenweave with the hand-over and without, and the JDK's own scheduler. */
record HandOverExperiment(List<Scenario> chosen, double seconds) implements Experiment {

    static final String OFF = "handover=off";
    static final String ON = "handover=on";
    static final String JDK = "jdk";

    private static final int LIMIT_SECONDS = 60;
    private static final List<String> FLAGS = List.of(
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-Xms256m",
            "-Xmx256m");

    HandOverExperiment {
        chosen = List.copyOf(chosen);
    }

    @Override
    public String name() {
        return "handover";
    }

    @Override
    public String question() {
        return "What does the hand-over of processors bring, and what does it cost?";
    }

    @Override
    public List<String> arms() {
        return List.of(OFF, ON, JDK);
    }

    @Override
    public List<String> scenarios() {
        return chosen.stream().map(scenario -> scenario.label).toList();
    }

    @Override
    public List<String> flags() {
        return FLAGS;
    }

    @Override
    public double secondsPerRun() {
        return HandOverRun.WARM_SECONDS + seconds;
    }

    @Override
    public List<Sample> run(String scenario, String arm) throws RunFailedException, InterruptedException {
        List<String> flags = new ArrayList<>(FLAGS);
        flags.add("-Djdk.virtualThreadScheduler.parallelism="
                + Scenario.of(scenario).orElseThrow().processors);
        Child.Output output = Child.run(
                Child.jvm(flags, HandOverRun.class, List.of(scenario, arm, Double.toString(seconds))),
                Duration.ofMillis(Math.round(1_000 * (LIMIT_SECONDS + 2 * seconds))));
        return SampleLines.parse(output.out(), HandOverExperiment::better);
    }

    private static Better better(String metric) {
        return switch (metric) {
            case "roundTripsPerSecond", "leastSharePercent" -> Better.HIGHER;
            case "handOversPerSecond" -> Better.NEITHER;
            default -> Better.LOWER;
        };
    }
}
