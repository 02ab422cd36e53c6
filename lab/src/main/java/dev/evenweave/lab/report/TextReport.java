// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.report;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** The table that the command line prints. */
public final class TextReport {

    private TextReport() {}

    public static void write(LabResult result, PrintWriter out) {
        out.println(result.experiment() + ": " + result.question());
        ComparisonTable.setting(result).forEach(out::println);
        List<String> scenarios = ComparisonTable.scenarios(result);
        List<List<String>> all = new ArrayList<>();
        all.add(ComparisonTable.COLUMNS);
        scenarios.forEach(scenario -> all.addAll(ComparisonTable.lines(result, scenario)));
        int[] widths = widths(all);
        for (String scenario : scenarios) {
            out.println();
            out.println(scenario);
            out.println(padded(ComparisonTable.COLUMNS, widths));
            ComparisonTable.lines(result, scenario).forEach(line -> out.println(padded(line, widths)));
        }
        List<String> means = ComparisonTable.means(result);
        if (!means.isEmpty()) {
            out.println();
            means.forEach(out::println);
        }
        if (!result.notes().isEmpty()) {
            out.println();
            result.notes().forEach(out::println);
        }
        out.flush();
    }

    private static int[] widths(List<List<String>> lines) {
        int[] widths = new int[ComparisonTable.COLUMNS.size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        return widths;
    }

    private static String padded(List<String> line, int[] widths) {
        StringBuilder text = new StringBuilder(" ");
        for (int i = 0; i < widths.length; i++) {
            String cell = line.get(i);
            String space = " ".repeat(widths[i] - cell.length());
            text.append(i == 0 ? " " : "  ").append(ComparisonTable.TEXT.contains(i) ? cell + space : space + cell);
        }
        return text.toString().stripTrailing();
    }
}
