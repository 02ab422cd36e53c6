// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.hogs;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.command.ExperimentCommand;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.promise.WaitingBound;
import dev.evenweave.lab.report.LabResult;
import dev.evenweave.scheduler.Policy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options of the experiment. */
@Command(
        name = "hogs",
        description = "How long do light HTTP requests wait while others compute?",
        footerHeading = "%nMetrics:%n",
        footer = {
            "  p50Ms, p99Ms, worstMs    light requests, from when each was due to its answer",
            "  requestsPerSecond        light requests answered, until the last one was",
            "  hogStepsPerCpuSecond     steps of the computing requests, by all processor time that the server used"
        })
public final class HogsCommand extends ExperimentCommand {

    @Option(
            names = "--hogs",
            split = ",",
            paramLabel = "N",
            description = "How many requests compute, a scenario for each (default: 0 and twice the processors).")
    private List<Integer> hogs = List.of();

    @Option(
            names = "--work",
            paramLabel = "SECONDS",
            description = "Processor time that each of them needs (default: 2; with --quick 0.5).")
    private @Nullable Double work;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long light requests come (default: 5; with --quick 1).")
    private @Nullable Double seconds;

    @Option(names = "--connections", paramLabel = "N", description = "Light connections (default: ${DEFAULT-VALUE}).")
    private int connections = 20;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Light requests a second over each connection (default: ${DEFAULT-VALUE}).")
    private int rate = 50;

    @Option(names = "--jvm", paramLabel = "FLAG", description = "A flag for the server's JVM; may be repeated.")
    private List<String> flags = List.of();

    @Override
    protected int warmups() {
        return 0; // each run warms itself up
    }

    @Override
    protected Experiment experiment() {
        List<Integer> counts = hogs();
        for (int count : counts) {
            check("--hogs", count, 0, 1_000);
        }
        check("--connections", connections, 1, 1_000);
        check("--rate", rate, 1, 10_000);
        double each = work != null ? work : quick() ? 0.5 : 2;
        double length = seconds != null ? seconds : quick() ? 1 : 5;
        check("--work", each, 0.01, 600);
        check("--seconds", length, 0.1, 3_600);
        return new HogsExperiment(counts, each, connections, rate, length, quick() ? 1 : 3, flags);
    }

    /** All connections' threads and all that compute may be runnable at one time; those that compute do not poll. */
    @Override
    protected List<String> conclusions(LabResult result) {
        int cores = Runtime.getRuntime().availableProcessors();
        List<String> lines = new ArrayList<>();
        for (int count : hogs()) {
            lines.addAll(new WaitingBound(Policy.defaults(), cores, connections + count, -1, count, cores)
                    .lines(result, HogsExperiment.EVENWEAVE, "worstMs", HogsExperiment.scenario(count)));
        }
        return lines;
    }

    private List<Integer> hogs() {
        return hogs.isEmpty() ? List.of(0, 2 * Runtime.getRuntime().availableProcessors()) : hogs;
    }

    private static void check(String option, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw new UserError(option + " " + value + ": give a number from " + least + " to " + most);
        }
    }
}
