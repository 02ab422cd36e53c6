// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.command;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.engine.ConsoleProgress;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.engine.Laboratory;
import dev.evenweave.lab.engine.Outcome;
import dev.evenweave.lab.engine.Progress;
import dev.evenweave.lab.engine.Settings;
import dev.evenweave.lab.report.Evaluation;
import dev.evenweave.lab.report.LabResult;
import dev.evenweave.lab.report.TextReport;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The command of an experiment. A subclass has the experiment's own options and makes the experiment out of them; the
 * discipline, the reports and the exit codes are the same for all.
 */
public abstract class ExperimentCommand implements Callable<Integer> {

    /** What a shell reports for a program that Ctrl-C ended. */
    private static final int STOPPED = 130;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ExperimentOptions options;

    @Mixin
    private ReportOptions reports;

    /**
     * Makes the experiment.
     *
     * @throws UserError if an option has a value that makes no sense
     */
    protected abstract Experiment experiment();

    /** What the experiment itself concludes from the result: lines for the end of every report; none by default. */
    protected List<String> conclusions(LabResult result) {
        return List.of();
    }

    /** How often each arm is run and thrown away before the runs that count. */
    protected int warmups() {
        return quick() ? 0 : Settings.DEFAULT.warmups();
    }

    /** Whether the user wants a result soon. */
    protected final boolean quick() {
        return options.quick();
    }

    @Override
    public final Integer call() {
        reports.check();
        Experiment experiment = experiment();
        Settings settings = options.settings(warmups());
        Instant started = Instant.now();
        try (StopRequest stop = StopRequest.listen()) {
            Outcome outcome;
            int runs = Laboratory.plannedRuns(experiment, settings);
            if (experiment.secondsPerRun() > 0) {
                spec.commandLine()
                        .getErr()
                        .printf(
                                Locale.ROOT,
                                "%d runs of %.1f s or a little more: at least %.0f s%n",
                                runs,
                                experiment.secondsPerRun(),
                                runs * experiment.secondsPerRun());
            }
            try (Progress progress = ConsoleProgress.start(experiment.name(), runs)) {
                outcome = new Laboratory(settings, progress).carryOut(experiment);
            }
            stop.measured();
            if (!outcome.series().isEmpty()) {
                LabResult measured = Evaluation.of(outcome, Typed.command(spec), started);
                LabResult result = measured.withNotes(conclusions(measured));
                TextReport.write(result, spec.commandLine().getOut());
                reports.write(result);
            }
            return switch (outcome.end()) {
                case COMPLETE -> 0;
                case STOPPED -> {
                    spec.commandLine().getErr().println("evenweave: " + outcome.reason() + kept(outcome));
                    yield STOPPED;
                }
                case FAILED -> throw UserError.later(outcome.reason() + kept(outcome));
            };
        }
    }

    private static String kept(Outcome outcome) {
        int runs = outcome.runs().size();
        return switch (runs) {
            case 0 -> "; nothing was measured";
            case 1 -> "; the run before it is kept";
            default -> "; the " + runs + " runs before it are kept";
        };
    }
}
