// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.hogs;

import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.engine.Child;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.engine.RunFailedException;
import dev.evenweave.lab.engine.Sample;
import dev.evenweave.lab.engine.SampleLines;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The same server, stock and on Evenweave, under light requests while others compute.
 *
 * @param hogs how many requests compute, a scenario for each number
 * @param workSeconds how much processor time each of them needs
 * @param connections that light requests come over
 * @param perSecond light requests a second over each
 * @param loadSeconds how long light requests come
 * @param warmSeconds how long they come before that, uncounted
 */
record HogsExperiment(
        List<Integer> hogs,
        double workSeconds,
        int connections,
        int perSecond,
        double loadSeconds,
        double warmSeconds,
        List<String> flags)
        implements Experiment {

    static final String JDK = "jdk";
    static final String EVENWEAVE = "evenweave";
    private static final int LIMIT_SECONDS = 60;

    HogsExperiment {
        hogs = List.copyOf(hogs);
        flags = List.copyOf(flags);
    }

    @Override
    public String name() {
        return "hogs";
    }

    @Override
    public String question() {
        return "How long do light requests wait while others compute?";
    }

    @Override
    public List<String> arms() {
        return List.of(JDK, EVENWEAVE);
    }

    @Override
    public List<String> scenarios() {
        return hogs.stream().map(HogsExperiment::scenario).toList();
    }

    static String scenario(int hogs) {
        return "hogs=" + hogs;
    }

    @Override
    public double secondsPerRun() {
        return 2 + warmSeconds + loadSeconds;
    }

    @Override
    public List<Sample> run(String scenario, String arm) throws RunFailedException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(
                scenario.substring("hogs=".length()),
                Double.toString(workSeconds),
                Integer.toString(connections),
                Integer.toString(perSecond),
                Double.toString(loadSeconds),
                Double.toString(warmSeconds)));
        arguments.addAll(server(arm));
        Child.Output output = Child.run(Child.jvm(List.of(), HogsRun.class, arguments), Duration.ofSeconds((long)
                (LIMIT_SECONDS + 10 * (workSeconds + loadSeconds + warmSeconds))));
        return SampleLines.parse(output.out(), HogsExperiment::better);
    }

    /** The two differ in the launcher alone. */
    private List<String> server(String arm) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        if (arm.equals(EVENWEAVE)) {
            command.add("dev.evenweave.launch.Launch");
        }
        command.add(ServerProgram.class.getName());
        return command;
    }

    private static Better better(String metric) {
        return metric.endsWith("Ms") ? Better.LOWER : Better.HIGHER;
    }
}
