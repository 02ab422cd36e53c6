// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The same table for a web page, an issue or a change request. */
public final class MarkdownReport {

    private MarkdownReport() {}

    public static void write(LabResult result, Path file) throws IOException {
        Files.writeString(file, text(result));
    }

    static String text(LabResult result) {
        StringBuilder text = new StringBuilder();
        text.append("## ").append(escaped(result.experiment())).append("\n\n");
        text.append(escaped(result.question())).append("\n\n");
        ComparisonTable.setting(result)
                .forEach(line -> text.append("- ").append(escaped(line)).append('\n'));
        text.append("- Command: `").append(result.command()).append("`\n");
        text.append("- Started: ").append(result.started()).append('\n');
        result.notes().forEach(note -> text.append("- ").append(escaped(note)).append('\n'));
        for (String scenario : ComparisonTable.scenarios(result)) {
            text.append("\n### ").append(escaped(scenario)).append("\n\n");
            text.append(row(ComparisonTable.COLUMNS));
            text.append(row(IntStream.range(0, ComparisonTable.COLUMNS.size())
                    .mapToObj(i -> ComparisonTable.TEXT.contains(i) ? "---" : "---:")
                    .toList()));
            for (List<String> line : ComparisonTable.lines(result, scenario)) {
                text.append(row(line.stream().map(MarkdownReport::escaped).toList()));
            }
        }
        List<String> means = ComparisonTable.means(result);
        if (!means.isEmpty()) {
            text.append('\n');
            means.forEach(line -> text.append("- ").append(escaped(line)).append('\n'));
        }
        return text.toString();
    }

    private static String row(List<String> cells) {
        return cells.stream().collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\")
                .replace("|", "\\|")
                .replace("<", "&lt;")
                .replace("*", "\\*")
                .replace("~", "\\~");
    }
}
