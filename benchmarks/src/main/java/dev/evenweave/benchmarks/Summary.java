// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;

/**
 * Runs benchmarks as JMH does, with JMH's arguments, and prints for each the median and the 90th percentile of all iterations
 * of all forks, and the median of the bytes per operation: on a shared machine a mean says little.
 *
 * <pre>java -cp benchmarks/target/benchmarks.jar dev.evenweave.benchmarks.Summary -f 3 UncontendedBenchmark</pre>
 */
public final class Summary {
    private static final double MEDIAN = 50;
    private static final double HIGH = 90;
    private static final String BYTES = "gc.alloc.rate.norm";

    private Summary() {}

    /** Takes JMH's arguments. */
    public static void main(String[] args) throws Exception {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .parent(new CommandLineOptions(args))
                        .addProfiler(GCProfiler.class)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
        System.out.printf(
                Locale.ROOT, "%-72s %5s %12s %12s %-6s %10s%n", "benchmark", "n", "median", "p90", "unit", "B/op");
        for (RunResult result : results) {
            Result<?> time = result.getPrimaryResult();
            Statistics times = time.getStatistics();
            Result<?> bytes = bytes(result);
            System.out.printf(
                    Locale.ROOT,
                    "%-72s %5d %12.3f %12.3f %-6s %10s%n",
                    name(result.getParams()),
                    times.getN(),
                    times.getPercentile(MEDIAN),
                    times.getPercentile(HIGH),
                    time.getScoreUnit(),
                    bytes == null
                            ? "?"
                            : String.format(
                                    Locale.ROOT, "%.2f", bytes.getStatistics().getPercentile(MEDIAN)));
        }
    }

    private static @Nullable Result<?> bytes(RunResult result) {
        for (Map.Entry<String, Result> entry : result.getSecondaryResults().entrySet()) {
            if (entry.getKey().endsWith(BYTES)) {
                return entry.getValue();
            }
        }
        return null;
    }

    private static String name(BenchmarkParams params) {
        String full = params.getBenchmark();
        String name = full.substring(full.lastIndexOf('.', full.lastIndexOf('.') - 1) + 1);
        Map<String, String> given = new TreeMap<>();
        for (String key : params.getParamsKeys()) {
            given.put(key, params.getParam(key));
        }
        return given.isEmpty() ? name : name + given;
    }
}
