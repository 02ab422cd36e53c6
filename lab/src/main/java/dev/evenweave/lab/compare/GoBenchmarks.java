// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.compare;

import dev.evenweave.lab.engine.Better;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The benchmark format of Go: {@code BenchmarkName-8 1000 123 ns/op 16 B/op}, after lines {@code key: value} that set what
 * holds from there on. Only the key {@code pkg} matters here.
 *
 * @see <a href="https://go.dev/design/14313-benchmark-format">the format</a>
 */
public final class GoBenchmarks {

    private static final Pattern START = Pattern.compile("Benchmark[^\\s]*\\s+[0-9]+\\s+.*");

    private GoBenchmarks() {}

    /** Whether some line is one. */
    public static boolean looksLike(List<String> lines) {
        return lines.stream().anyMatch(line -> START.matcher(line).matches());
    }

    /** Reads the lines that are ones; others are for people. */
    public static void read(List<String> lines, Measured into) {
        String prefix = "";
        boolean several = lines.stream()
                        .filter(line -> line.startsWith("pkg:"))
                        .distinct()
                        .count()
                > 1;
        for (String line : lines) {
            if (several && line.startsWith("pkg:")) {
                prefix = line.substring("pkg:".length()).strip() + " ";
            } else if (START.matcher(line).matches()) {
                String[] words = line.strip().split("\\s+");
                // Name, count, then pairs of value and unit.
                for (int i = 2; i + 1 < words.length; i += 2) {
                    String unit = words[i + 1];
                    double value;
                    try {
                        value = Double.parseDouble(words[i]);
                    } catch (NumberFormatException e) {
                        break;
                    }
                    into.add(prefix + words[0].substring("Benchmark".length()), unit, unit, Better.ofUnit(unit), value);
                }
            }
        }
    }
}
