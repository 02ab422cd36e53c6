// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.report;

import dev.evenweave.lab.engine.Laboratory;
import dev.evenweave.lab.engine.Outcome;
import dev.evenweave.lab.engine.Outcome.Series;
import dev.evenweave.lab.engine.Settings;
import dev.evenweave.lab.report.LabResult.ArmName;
import dev.evenweave.lab.report.LabResult.Compared;
import dev.evenweave.lab.report.LabResult.Mean;
import dev.evenweave.lab.report.LabResult.Row;
import dev.evenweave.lab.report.LabResult.RunRow;
import dev.evenweave.lab.statistics.Comparison;
import dev.evenweave.lab.statistics.Summary;
import dev.evenweave.lab.statistics.Verdict;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes a result out of measured values. */
public final class Evaluation {

    private Evaluation() {}

    /** Evaluates an outcome of the laboratory. */
    public static LabResult of(Outcome outcome, String command, Instant started) {
        Settings settings = outcome.settings();
        List<String> names = outcome.experiment().arms();
        List<ArmName> arms = new ArrayList<>();
        names.forEach(name -> arms.add(new ArmName(name, false)));
        if (settings.control()) {
            arms.add(new ArmName(names.getFirst() + Laboratory.CONTROL, true));
        }
        List<String> notes = new ArrayList<>();
        if (outcome.end() != Outcome.End.COMPLETE) {
            notes.add("Not complete: " + outcome.reason() + ". Kept: "
                    + outcome.runs().size() + " of "
                    + (Laboratory.plannedRuns(outcome.experiment(), settings) - settings.warmups() * names.size())
                    + " runs.");
        }
        long disturbed =
                outcome.runs().stream().filter(Outcome.RunRecord::disturbed).count();
        if (disturbed > 0) {
            notes.add(disturbed + (disturbed == 1 ? " run was" : " runs were") + " disturbed: others used more than "
                    + Numbers.shown(settings.foreignLimit()) + " % of the machine"
                    + (settings.repeats() == 0 ? "." : " in each of " + (settings.repeats() + 1) + " attempts."));
        }
        if (outcome.runs().stream().allMatch(run -> run.foreignPercent() == null)) {
            notes.add("How much others used the machine is not known on this operating system.");
        }
        return evaluate(
                outcome.experiment().name(),
                outcome.experiment().question(),
                command,
                started,
                outcome.end() == Outcome.End.COMPLETE,
                Machine.here(outcome.experiment().flags()),
                new LabResult.Discipline(
                        settings.runs(),
                        settings.warmups(),
                        settings.control(),
                        settings.foreignLimit(),
                        settings.repeats()),
                arms,
                outcome.series(),
                outcome.runs().stream()
                        .map(run -> new RunRow(
                                run.scenario(),
                                run.arm(),
                                run.round(),
                                run.seconds(),
                                run.foreignPercent(),
                                run.attempts(),
                                run.disturbed()))
                        .toList(),
                notes);
    }

    /** Evaluates values from wherever they come; the first arm is the base. */
    public static LabResult evaluate(
            String experiment,
            String question,
            String command,
            Instant started,
            boolean complete,
            Machine machine,
            LabResult.@Nullable Discipline discipline,
            List<ArmName> arms,
            List<Series> series,
            List<RunRow> runs,
            List<String> notes) {
        List<Row> rows = series.stream().map(Evaluation::row).toList();
        List<Compared> comparisons = compare(arms, series);
        List<String> allNotes = new ArrayList<>(notes);
        if (comparisons.stream().anyMatch(one -> one.verdict() == Verdict.TOO_FEW)) {
            allNotes.add("Too few runs for a verdict: at least " + Verdict.FEWEST_RUNS + " of each arm are needed.");
        }
        if (comparisons.stream().anyMatch(one -> one.verdict() == Verdict.UNSTABLE)) {
            allNotes.add("Unstable rows: there the base differed from itself (p < " + Verdict.CONTROL_SIGNIFICANCE
                    + "), so nothing is said about the others. Run it again on a quieter machine.");
        }
        return new LabResult(
                LabResult.SCHEMA,
                experiment,
                question,
                command,
                started.truncatedTo(ChronoUnit.SECONDS).toString(),
                complete,
                machine,
                discipline,
                arms,
                rows,
                comparisons,
                means(comparisons),
                runs,
                allNotes);
    }

    private static Row row(Series series) {
        Summary summary = Summary.of(array(series));
        return new Row(
                series.scenario(),
                series.arm(),
                series.metric(),
                series.unit(),
                series.better(),
                List.copyOf(series.values()),
                summary.median(),
                summary.low(),
                summary.high(),
                summary.min(),
                summary.max());
    }

    private static List<Compared> compare(List<ArmName> arms, List<Series> series) {
        String base = arms.getFirst().name();
        Map<List<String>, Map<String, Series>> byRow = new LinkedHashMap<>();
        for (Series one : series) {
            byRow.computeIfAbsent(List.of(one.scenario(), one.metric()), key -> new LinkedHashMap<>())
                    .put(one.arm(), one);
        }
        List<Compared> comparisons = new ArrayList<>();
        byRow.forEach((row, byArm) -> {
            Series ofBase = byArm.get(base);
            if (ofBase == null) {
                return;
            }
            double[] control = arms.stream()
                    .filter(ArmName::control)
                    .map(arm -> byArm.get(arm.name()))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .map(Evaluation::array)
                    .orElse(new double[0]);
            for (ArmName arm : arms.subList(1, arms.size())) {
                Series other = byArm.get(arm.name());
                if (other != null && !arm.control()) {
                    Comparison comparison = Comparison.of(array(ofBase), array(other), control);
                    comparisons.add(new Compared(
                            row.get(0),
                            row.get(1),
                            base,
                            arm.name(),
                            comparison.ratio(),
                            comparison.p(),
                            comparison.controlP(),
                            comparison.verdict()));
                }
            }
        });
        return comparisons;
    }

    /** Only where there is more than one scenario and each has a positive ratio. */
    private static List<Mean> means(List<Compared> comparisons) {
        Map<List<String>, List<Compared>> byArm = new LinkedHashMap<>();
        for (Compared one : comparisons) {
            byArm.computeIfAbsent(List.of(one.metric(), one.base(), one.other()), key -> new ArrayList<>())
                    .add(one);
        }
        List<Mean> means = new ArrayList<>();
        byArm.forEach((key, all) -> {
            List<Double> ratios = all.stream()
                    .map(Compared::ratio)
                    .filter(Objects::nonNull)
                    .filter(ratio -> ratio > 0)
                    .toList();
            if (all.size() > 1 && ratios.size() == all.size()) {
                double log = ratios.stream().mapToDouble(Math::log).average().orElseThrow();
                means.add(new Mean(key.get(0), key.get(1), key.get(2), Math.exp(log), ratios.size()));
            }
        });
        return means;
    }

    private static double[] array(Series series) {
        return series.values().stream().mapToDouble(Double::doubleValue).toArray();
    }
}
