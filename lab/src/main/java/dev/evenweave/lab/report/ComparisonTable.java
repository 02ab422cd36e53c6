// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.report;

import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.report.LabResult.Compared;
import dev.evenweave.lab.report.LabResult.Mean;
import dev.evenweave.lab.report.LabResult.Row;
import dev.evenweave.lab.statistics.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The lines and columns that the printed table, the Markdown one and the page have in common. */
final class ComparisonTable {

    static final List<String> COLUMNS =
            List.of("metric", "arm", "n", "median", "95 % interval", "min", "max", "ratio", "p", "verdict");

    /** The columns that hold text, not numbers. */
    static final Set<Integer> TEXT = Set.of(0, 1, 9);

    private ComparisonTable() {}

    static List<String> scenarios(LabResult result) {
        Set<String> scenarios = new LinkedHashSet<>();
        result.rows().forEach(row -> scenarios.add(row.scenario()));
        return List.copyOf(scenarios);
    }

    /** The lines of a scenario, the arms of a metric side by side. */
    static List<List<String>> lines(LabResult result, String scenario) {
        List<List<String>> lines = new ArrayList<>();
        Set<String> metrics = new LinkedHashSet<>();
        result.rows().stream().filter(row -> row.scenario().equals(scenario)).forEach(row -> metrics.add(row.metric()));
        for (String metric : metrics) {
            boolean first = true;
            for (LabResult.ArmName arm : result.arms()) {
                Optional<Row> found = result.rows().stream()
                        .filter(row -> row.scenario().equals(scenario)
                                && row.metric().equals(metric)
                                && row.arm().equals(arm.name()))
                        .findFirst();
                if (found.isPresent()) {
                    lines.add(line(result, found.get(), first));
                    first = false;
                }
            }
        }
        return lines;
    }

    private static List<String> line(LabResult result, Row row, boolean first) {
        Optional<Compared> compared = result.comparisons().stream()
                .filter(one -> one.scenario().equals(row.scenario())
                        && one.metric().equals(row.metric())
                        && one.other().equals(row.arm()))
                .findFirst();
        return List.of(
                first ? row.metric() + " (" + row.unit() + ")" : "",
                row.arm(),
                Integer.toString(row.values().size()),
                Numbers.shown(row.median()),
                Numbers.interval(row.low(), row.high()),
                Numbers.shown(row.min()),
                Numbers.shown(row.max()),
                compared.map(one -> Numbers.ratio(one.ratio())).orElse(""),
                compared.map(one -> Numbers.p(one.p())).orElse(""),
                compared.map(one -> verdict(one.verdict(), row.better())).orElse(""));
    }

    /** The verdict, and what it means for who wants the metric low or high. */
    static String verdict(Verdict verdict, Better better) {
        return switch (verdict) {
            case LOWER -> verdict + judged(better, Better.LOWER);
            case HIGHER -> verdict + judged(better, Better.HIGHER);
            default -> verdict.toString();
        };
    }

    private static String judged(Better wanted, Better got) {
        if (wanted == Better.NEITHER) {
            return "";
        }
        return wanted == got ? " (better)" : " (worse)";
    }

    static List<String> means(LabResult result) {
        List<String> lines = new ArrayList<>();
        for (Mean mean : result.means()) {
            lines.add(mean.metric() + ", " + mean.other() + " to " + mean.base() + ": " + Numbers.shown(mean.ratio())
                    + " (geometric mean of the ratios in " + mean.scenarios() + " scenarios)");
        }
        return lines;
    }

    /** One line about the machine and the discipline. */
    static List<String> setting(LabResult result) {
        Machine machine = result.machine();
        List<String> lines = new ArrayList<>();
        lines.add(machine.cpus() + " CPUs (" + machine.model() + "), Java " + machine.jdk() + ", " + machine.os());
        LabResult.Discipline discipline = result.discipline();
        if (discipline != null) {
            lines.add("Runs alternate" + (discipline.control() ? "; the base runs twice, as a control" : "")
                    + (discipline.repeats() == 0
                            ? "; a run is marked"
                            : "; a run is repeated up to " + discipline.repeats() + " times")
                    + " if others use more than " + Numbers.shown(discipline.foreignLimit()) + " % of the machine.");
        }
        return lines;
    }
}
