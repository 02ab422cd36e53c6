// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.starvation;

import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.engine.Child;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.engine.RunFailedException;
import dev.evenweave.lab.engine.Sample;
import dev.evenweave.lab.engine.SampleLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs {@link StarvationProgram} in a JVM for each run. */
final class StarvationExperiment implements Experiment {

    private static final List<String> FLAGS =
            List.of("--add-opens", "java.base/java.lang=ALL-UNNAMED", "-XX:+UseSerialGC", "-Xms256m", "-Xmx256m");

    private final List<Setup.Arm> arms;
    private final Map<String, Setup> scenarios;

    /**
     * Makes the experiment.
     *
     * @param arms the first is the base
     * @param scenarios by name; the arm in them does not matter
     */
    StarvationExperiment(List<Setup.Arm> arms, Map<String, Setup> scenarios) {
        this.arms = List.copyOf(arms);
        this.scenarios = new LinkedHashMap<>(scenarios);
    }

    @Override
    public String name() {
        return "starvation";
    }

    @Override
    public String question() {
        return "how long do threads that wake each other keep a third one waiting?";
    }

    @Override
    public List<String> arms() {
        return arms.stream().map(Setup.Arm::toString).toList();
    }

    @Override
    public List<String> scenarios() {
        return List.copyOf(scenarios.keySet());
    }

    @Override
    public List<String> flags() {
        return FLAGS;
    }

    @Override
    public double secondsPerRun() {
        Setup any = scenarios.values().iterator().next();
        return any.warmup() + any.seconds();
    }

    @Override
    public List<Sample> run(String scenario, String arm) throws RunFailedException, InterruptedException {
        Setup setup = setup(scenario, arm);
        Duration limit = Duration.ofMillis(Math.round(1_000 * (setup.warmup() + setup.seconds())))
                .plusSeconds(60);
        Child.Output output = Child.run(Child.jvm(flags(setup), StarvationProgram.class, setup.arguments()), limit);
        return SampleLines.parse(output.out(), StarvationExperiment::better);
    }

    private Setup setup(String scenario, String arm) {
        Setup of = scenarios.get(scenario);
        if (of == null) {
            throw new IllegalArgumentException("no scenario " + scenario);
        }
        return new Setup(
                arms.stream()
                        .filter(one -> one.toString().equals(arm))
                        .findFirst()
                        .orElseThrow(),
                of.preemption(),
                of.processors(),
                of.load(),
                of.work(),
                of.seconds(),
                of.warmup(),
                of.gc(),
                of.pinned());
    }

    private static List<String> flags(Setup setup) {
        List<String> flags = new ArrayList<>(FLAGS);
        if (setup.gc()) {
            flags.add("-Xmn16m");
        }
        if (setup.arm() == Setup.Arm.JDK) {
            flags.add("-Djdk.virtualThreadScheduler.parallelism=" + setup.processors());
        }
        return flags;
    }

    private static Better better(String metric) {
        return switch (metric) {
            case "worstGapMs", "offCpuPercent" -> Better.LOWER;
            case "roundTripsPerCpuSecond" -> Better.HIGHER;
            // Round trips by the clock fall when the reader gets its share, which is the purpose.
            default -> Better.NEITHER;
        };
    }
}
