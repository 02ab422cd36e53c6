// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.compare;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.statistics.Summary;
import dev.evenweave.lab.statistics.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * The JSON of JMH ({@code -rf json}).
 *
 * <p>With 6 forks or more, a fork is a run and its value the median of its iterations, since iterations of one JVM have
 * its compiled code and its memory layout in common. With fewer, the iterations have to do, and a note says so.
 */
public final class JmhResults {

    private JmhResults() {}

    /** Whether this is what JMH writes. */
    public static boolean looksLike(JsonNode json) {
        return json.isArray() && !json.isEmpty() && json.get(0).has("primaryMetric");
    }

    /** Reads all benchmarks with all their metrics. */
    public static void read(String source, JsonNode json, Measured into) {
        for (JsonNode benchmark : json) {
            String scenario = scenario(benchmark);
            JsonNode primary = benchmark.path("primaryMetric");
            read(source, scenario, primaryName(benchmark.path("mode").asString("")), primary, into);
            JsonNode secondary = benchmark.path("secondaryMetrics");
            for (String name : secondary.propertyNames()) {
                // Some versions put a dot in the middle of the line before a profiler's metric.
                read(source, scenario, name.replaceFirst("^[^A-Za-z]+", ""), secondary.path(name), into);
            }
        }
    }

    private static String scenario(JsonNode benchmark) {
        String name = benchmark.path("benchmark").asString("?");
        String[] parts = name.split("\\.");
        String shortName = parts.length < 2 ? name : parts[parts.length - 2] + "." + parts[parts.length - 1];
        JsonNode params = benchmark.path("params");
        String values = params.propertyNames().stream()
                .map(key -> key + "=" + params.path(key).asString())
                .collect(Collectors.joining(", "));
        int threads = benchmark.path("threads").asInt(1);
        return shortName + (values.isEmpty() ? "" : " " + values) + (threads == 1 ? "" : " threads=" + threads);
    }

    private static String primaryName(String mode) {
        return switch (mode) {
            case "thrpt" -> "throughput";
            case "avgt" -> "average";
            case "sample" -> "sample";
            case "ss" -> "single shot";
            default -> "score";
        };
    }

    private static void read(String source, String scenario, String metric, JsonNode node, Measured into) {
        List<List<Double>> forks = new ArrayList<>();
        for (JsonNode fork : node.path("rawData")) {
            List<Double> iterations = new ArrayList<>();
            for (JsonNode value : fork) {
                iterations.add(number(source, scenario, metric, value));
            }
            forks.add(iterations);
        }
        for (JsonNode fork : node.path("rawDataHistogram")) {
            List<Double> iterations = new ArrayList<>();
            for (JsonNode histogram : fork) {
                iterations.add(mean(source, scenario, metric, histogram));
            }
            forks.add(iterations);
        }
        forks.removeIf(List::isEmpty);
        String unit = node.path("scoreUnit").asString("?");
        List<Double> values;
        if (forks.size() >= Verdict.FEWEST_RUNS) {
            values = forks.stream()
                    .map(fork -> Summary.of(fork.stream()
                                    .mapToDouble(Double::doubleValue)
                                    .toArray())
                            .median())
                    .toList();
        } else {
            values = forks.stream().flatMap(List::stream).toList();
            if (!values.isEmpty()) {
                into.note(source + " has fewer than " + Verdict.FEWEST_RUNS
                        + " forks: its iterations are compared, though those of one JVM are alike (use -f 10).");
            }
        }
        values.forEach(value -> into.add(scenario, metric, unit, Better.ofUnit(unit), value));
    }

    private static double number(String source, String scenario, String metric, JsonNode value) {
        if (!value.isNumber()) {
            throw new UserError(source + ": " + scenario + " has " + value + " for " + metric
                    + ", which is no number to compare: measure it again, or take it out");
        }
        return value.asDouble();
    }

    /** Of pairs of value and count. */
    private static double mean(String source, String scenario, String metric, JsonNode histogram) {
        double sum = 0;
        double count = 0;
        for (JsonNode pair : histogram) {
            double times = number(source, scenario, metric, pair.path(1));
            sum += number(source, scenario, metric, pair.path(0)) * times;
            count += times;
        }
        return sum / count;
    }
}
