// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.threads;

import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.engine.Child;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.engine.RunFailedException;
import dev.evenweave.lab.engine.Sample;
import dev.evenweave.lab.engine.SampleLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What it costs to switch between virtual threads. */
record SwitchExperiment(List<Integer> processors, double seconds, List<String> flags) implements Experiment {

    @Override
    public String name() {
        return "switch";
    }

    @Override
    public String question() {
        return "What does a switch between virtual threads cost?";
    }

    @Override
    public List<String> arms() {
        return Arm.labels(Arm.values());
    }

    @Override
    public List<String> scenarios() {
        List<String> scenarios = new ArrayList<>();
        for (int count : processors) {
            for (SwitchRun.Kind kind : SwitchRun.Kind.values()) {
                scenarios.add(kind.label() + " processors=" + count);
            }
        }
        return scenarios;
    }

    @Override
    public double secondsPerRun() {
        return 2 * seconds + 0.5;
    }

    @Override
    public List<Sample> run(String scenario, String arm) throws RunFailedException, InterruptedException {
        String kind = scenario.substring(0, scenario.indexOf(' '));
        int count = Integer.parseInt(scenario.substring(scenario.indexOf('=') + 1));
        Child.Output output = Child.run(
                Child.jvm(
                        Arm.flags(count, flags),
                        SwitchRun.class,
                        List.of(arm, kind, Integer.toString(count), Double.toString(seconds))),
                Duration.ofSeconds(60 + (long) (4 * seconds)));
        return SampleLines.parse(output.out(), metric -> Better.LOWER);
    }
}
