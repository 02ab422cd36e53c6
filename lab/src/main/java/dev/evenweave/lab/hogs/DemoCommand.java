// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.hogs;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.command.StopRequest;
import dev.evenweave.lab.command.Typed;
import dev.evenweave.lab.engine.ConsoleProgress;
import dev.evenweave.lab.engine.Laboratory;
import dev.evenweave.lab.engine.Outcome;
import dev.evenweave.lab.engine.Outcome.Series;
import dev.evenweave.lab.engine.Progress;
import dev.evenweave.lab.engine.Settings;
import dev.evenweave.lab.report.Evaluation;
import dev.evenweave.lab.report.HtmlReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The hogs experiment, once, with a friendly face. */
@Command(
        name = "demo",
        description =
                "See it: one HTTP server, unchanged, under load with and without Evenweave. Takes less than a minute.",
        footer = "%nOne run each shows the difference; lab hogs measures it with repetition and statistics.")
public final class DemoCommand implements Callable<Integer> {

    private static final int CONNECTIONS = 20;
    private static final int RATE = 50;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--hogs",
            paramLabel = "N",
            description = "How many requests compute (default: twice the processors).")
    private int hogs = 2 * Runtime.getRuntime().availableProcessors();

    @Option(names = "--quick", description = "With a quarter of the work: done in about fifteen seconds.")
    private boolean quick;

    @Option(names = "--html", paramLabel = "FILE", description = "Write a page with plots that needs no network.")
    private @Nullable Path html;

    @Override
    public Integer call() throws IOException {
        if (hogs < 1 || hogs > 1_000) {
            throw new UserError("--hogs " + hogs + ": give a number from 1 to 1000");
        }
        checkHtml();
        double work = quick ? 0.5 : 2;
        int processors = Runtime.getRuntime().availableProcessors();
        // As long as the machine takes for the work, so that every light request meets it.
        double seconds = Math.clamp(hogs * work / processors, 1, 6);
        HogsExperiment experiment =
                new HogsExperiment(List.of(hogs), work, CONNECTIONS, RATE, seconds, quick ? 1 : 3, List.of());
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                Locale.ROOT,
                "One HTTP server, a virtual thread per request, %d processors. %d light requests a second arrive while %d"
                        + " requests compute for %.1f s each.%n%n",
                processors,
                CONNECTIONS * RATE,
                hogs,
                work);
        out.flush();
        Instant started = Instant.now();
        try (StopRequest stop = StopRequest.listen()) {
            Settings settings = new Settings(1, 0, false, 100, 0);
            Outcome outcome;
            try (Progress progress =
                    ConsoleProgress.start("demo", experiment.arms().size())) {
                outcome = new Laboratory(settings, progress).carryOut(experiment);
            }
            stop.measured();
            if (outcome.end() != Outcome.End.COMPLETE) {
                throw new UserError(outcome.reason());
            }
            table(outcome, out);
            if (html != null) {
                HtmlReport.write(Evaluation.of(outcome, Typed.command(spec), started), html);
                out.println();
                out.println("Written: " + html);
            }
            out.flush();
            return 0;
        }
    }

    private void checkHtml() {
        if (html != null && (Files.isDirectory(html) || !Files.isDirectory(folder(html)))) {
            throw new UserError("--html " + html + ": name a file in a folder that exists");
        }
    }

    private static Path folder(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        return folder == null ? file.toAbsolutePath() : folder;
    }

    static void table(Outcome outcome, PrintWriter out) {
        out.printf(Locale.ROOT, "%-32s %16s %16s%n", "", "JDK's scheduler", "Evenweave");
        row(outcome, out, "half of light requests within", "p50Ms");
        row(outcome, out, "99 of 100 within", "p99Ms");
        row(outcome, out, "the worst", "worstMs");
        row(outcome, out, "light requests answered", "requestsPerSecond");
        row(outcome, out, "hogs' steps per CPU second", "hogStepsPerCpuSecond");
    }

    private static void row(Outcome outcome, PrintWriter out, String label, String metric) {
        out.printf(
                Locale.ROOT,
                "%-32s %16s %16s%n",
                label,
                value(outcome, metric, HogsExperiment.JDK),
                value(outcome, metric, HogsExperiment.EVENWEAVE));
    }

    private static String value(Outcome outcome, String metric, String arm) {
        for (Series series : outcome.series()) {
            if (series.metric().equals(metric) && series.arm().equals(arm)) {
                double value = series.values().getFirst();
                return switch (series.unit()) {
                    case "ms" ->
                        value >= 1_000
                                ? String.format(Locale.ROOT, "%.2f s", value / 1_000)
                                : String.format(Locale.ROOT, value < 10 ? "%.1f ms" : "%.0f ms", value);
                    case "M/s" -> String.format(Locale.ROOT, "%.0f M", value);
                    default -> String.format(Locale.ROOT, "%.0f /s", value);
                };
            }
        }
        return "-";
    }
}
