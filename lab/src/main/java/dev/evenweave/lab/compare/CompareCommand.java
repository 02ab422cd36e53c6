// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.compare;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.command.ReportOptions;
import dev.evenweave.lab.command.Typed;
import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.engine.Outcome.Series;
import dev.evenweave.lab.report.Evaluation;
import dev.evenweave.lab.report.LabResult;
import dev.evenweave.lab.report.LabResult.ArmName;
import dev.evenweave.lab.report.LabResult.Compared;
import dev.evenweave.lab.report.Machine;
import dev.evenweave.lab.report.TextReport;
import dev.evenweave.lab.statistics.Verdict;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares what several files hold. */
@Command(
        name = "compare",
        description = "Compare files: JMH JSON, Go benchmark text, result files of the lab; the first is the base.")
public final class CompareCommand implements Callable<Integer> {

    private static final int REGRESSION = 1;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ReportOptions reports;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "The files; two or more to compare.")
    private List<Path> files;

    @Option(
            names = "--fail-on-regression",
            paramLabel = "PERCENT",
            description = "Exit with 1 if a metric got worse for sure, and by more than this: 5%% or 5.")
    private @Nullable String failOnRegression;

    @Option(
            names = "--metric",
            split = ",",
            paramLabel = "NAME",
            description = "Compare these metrics only (default: all).")
    private List<String> metrics = List.of();

    @Override
    public Integer call() {
        reports.check();
        Double limit = failOnRegression == null ? null : percent(failOnRegression);
        if (limit != null && files.size() < 2) {
            throw new UserError("--fail-on-regression needs two files: the base, and what may be worse");
        }
        Map<String, Measured> byName = new LinkedHashMap<>();
        for (Path file : files) {
            String name = file.toString();
            if (byName.containsKey(name)) {
                name += " (" + (byName.size() + 1) + ")";
            }
            byName.put(name, ResultFiles.read(file.toString(), file));
        }
        LabResult result = evaluate(byName);
        TextReport.write(result, spec.commandLine().getOut());
        reports.write(result);
        return limit == null ? 0 : judge(result, limit);
    }

    private LabResult evaluate(Map<String, Measured> byName) {
        List<ArmName> arms = new ArrayList<>();
        List<Series> series = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        Map<List<String>, Series> units = new LinkedHashMap<>();
        Map<List<String>, Set<String>> holders = new LinkedHashMap<>();
        byName.forEach((name, measured) -> {
            arms.add(new ArmName(name, false));
            notes.addAll(measured.notes());
            for (Measured.Entry entry : measured.entries()) {
                if (!metrics.isEmpty() && !metrics.contains(entry.metric())) {
                    continue;
                }
                Series one = new Series(
                        entry.scenario(), name, entry.metric(), entry.unit(), entry.better(), entry.values());
                List<String> key = List.of(entry.scenario(), entry.metric());
                Series before = units.putIfAbsent(key, one);
                if (before != null && !before.unit().equals(one.unit())) {
                    throw new UserError(entry.scenario() + " has " + entry.metric() + " in " + before.unit() + " in "
                            + before.arm() + " and in " + one.unit() + " in " + name + ": measure it in one unit");
                }
                holders.computeIfAbsent(key, any -> new LinkedHashSet<>()).add(name);
                series.add(one);
            }
        });
        if (series.isEmpty()) {
            throw new UserError("--metric " + String.join(",", metrics) + ": no file has it");
        }
        if (byName.size() > 1) {
            noteWhatIsNotInAll(byName.keySet(), holders, notes);
        }
        return Evaluation.evaluate(
                "compare",
                "do the files differ?",
                Typed.command(spec),
                Instant.now(),
                true,
                Machine.here(List.of()),
                null,
                arms,
                series,
                List.of(),
                notes);
    }

    private static void noteWhatIsNotInAll(
            Set<String> names, Map<List<String>, Set<String>> holders, List<String> notes) {
        Map<Set<String>, Integer> lacking = new LinkedHashMap<>();
        holders.values().stream()
                .filter(held -> held.size() < names.size())
                .forEach(held -> lacking.merge(held, 1, Integer::sum));
        if (lacking.values().stream().mapToInt(Integer::intValue).sum() == holders.size()
                && holders.values().stream().allMatch(held -> held.size() == 1)) {
            throw new UserError("the files have no benchmark in common: are they of the same suite?");
        }
        lacking.forEach((held, rows) -> notes.add(rows + (rows == 1 ? " row is" : " rows are")
                + " not in all files, but in " + String.join(", ", held) + "."));
    }

    private static double percent(String text) {
        String number = text.strip().replaceFirst("\\s*%$", "");
        double value;
        try {
            value = Double.parseDouble(number);
        } catch (NumberFormatException e) {
            throw new UserError("--fail-on-regression " + text + ": give a percentage such as 5%", e);
        }
        if (!(value >= 0 && Double.isFinite(value))) {
            throw new UserError("--fail-on-regression " + text + ": give a percentage from 0 up");
        }
        return value;
    }

    private int judge(LabResult result, double limit) {
        PrintWriter err = spec.commandLine().getErr();
        List<String> worse = new ArrayList<>();
        for (Compared one : result.comparisons()) {
            Better better = result.rows().stream()
                    .filter(row -> row.scenario().equals(one.scenario())
                            && row.metric().equals(one.metric())
                            && row.arm().equals(one.other()))
                    .findFirst()
                    .orElseThrow()
                    .better();
            Double change = worsening(one, better);
            if (change != null && change > limit) {
                worse.add(String.format(
                        Locale.ROOT,
                        "%s, %s: worse by %s in %s (p %.3f)",
                        one.scenario(),
                        one.metric(),
                        Double.isInfinite(change)
                                ? "more than any percentage (the base is 0)"
                                : String.format(Locale.ROOT, "%.1f %%", change),
                        one.other(),
                        one.p()));
            }
        }
        worse.forEach(line -> err.println("evenweave: " + line));
        return worse.isEmpty() ? 0 : REGRESSION;
    }

    /** By how many percent it got worse for sure; null if it did not. */
    private static @Nullable Double worsening(Compared one, Better better) {
        boolean worse = (one.verdict() == Verdict.HIGHER && better == Better.LOWER)
                || (one.verdict() == Verdict.LOWER && better == Better.HIGHER);
        if (!worse) {
            return null;
        }
        Double ratio = one.ratio();
        return ratio == null ? Double.POSITIVE_INFINITY : 100 * Math.abs(ratio - 1);
    }
}
