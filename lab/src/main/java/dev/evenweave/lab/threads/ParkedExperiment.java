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

/** What very many parked threads cost, and how fast all of them are woken. */
record ParkedExperiment(int threads, List<String> flags) implements Experiment {

    @Override
    public String name() {
        return "parked";
    }

    @Override
    public String question() {
        return "What do very many parked threads cost?";
    }

    @Override
    public List<String> arms() {
        return Arm.labels(Arm.JDK, Arm.EVENWEAVE);
    }

    @Override
    public List<String> scenarios() {
        return List.of("threads=" + threads);
    }

    @Override
    public double secondsPerRun() {
        return 1 + threads * 5e-6;
    }

    @Override
    public List<Sample> run(String scenario, String arm) throws RunFailedException, InterruptedException {
        Child.Output output = Child.run(
                Child.jvm(
                        Arm.flags(Runtime.getRuntime().availableProcessors(), flags),
                        ParkedRun.class,
                        List.of(arm, Integer.toString(threads))),
                Duration.ofSeconds(60 + threads / 10_000));
        return SampleLines.parse(output.out(), metric -> Better.LOWER);
    }
}
