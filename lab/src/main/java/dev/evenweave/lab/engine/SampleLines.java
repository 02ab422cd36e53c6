// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The lines by which a run tells its numbers: {@code name value unit}. All other lines are for people. */
public final class SampleLines {

    private static final Pattern LINE = Pattern.compile("\\s*([A-Za-z][^\\s]*)\\s+([^\\s]+)\\s+([^\\s]+)\\s*");

    private static final Pattern NUMBER =
            Pattern.compile("[-+]?(?:[0-9]+(?:\\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|NaN|Infinity)");

    private SampleLines() {}

    /** Prints one such line on standard output. */
    public static void print(String metric, double value, String unit) {
        System.out.println(metric + " " + value + " " + unit);
    }

    /** Prints a whole number. */
    public static void print(String metric, long value, String unit) {
        System.out.println(metric + " " + value + " " + unit);
    }

    /** Reads the samples out of the lines; {@code better} knows the direction of a metric by its name. */
    public static List<Sample> parse(List<String> lines, Function<String, Better> better) {
        List<Sample> samples = new ArrayList<>();
        for (String line : lines) {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches() && NUMBER.matcher(matcher.group(2)).matches()) {
                double value = Double.parseDouble(matcher.group(2));
                samples.add(new Sample(matcher.group(1), matcher.group(3), better.apply(matcher.group(1)), value));
            }
        }
        return samples;
    }
}
