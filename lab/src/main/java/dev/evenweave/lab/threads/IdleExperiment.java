// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.threads;

import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.engine.Child;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.engine.RunFailedException;
import dev.evenweave.lab.engine.Sample;
import dev.evenweave.lab.engine.SampleLines;
import java.time.Duration;
import java.util.List;

/** What a JVM costs whose virtual threads have nothing to do. */
record IdleExperiment(double seconds) implements Experiment {

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public String question() {
        return "What does a scheduler cost that has nothing to do?";
    }

    @Override
    public List<String> arms() {
        return Arm.labels(Arm.JDK, Arm.EVENWEAVE);
    }

    @Override
    public List<String> scenarios() {
        return List.of("idle");
    }

    @Override
    public double secondsPerRun() {
        return seconds + IdleRun.SETTLING_SECONDS;
    }

    @Override
    public List<Sample> run(String scenario, String arm) throws RunFailedException, InterruptedException {
        Child.Output output = Child.run(
                Child.jvm(
                        Arm.flags(Runtime.getRuntime().availableProcessors(), List.of()),
                        IdleRun.class,
                        List.of(arm, Double.toString(seconds))),
                Duration.ofSeconds(60 + (long) (2 * seconds)));
        return SampleLines.parse(output.out(), metric -> Better.LOWER);
    }
}
