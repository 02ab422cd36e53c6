// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.evenweave.lab.CommandLineTest;
import dev.evenweave.lab.report.JsonReport;
import dev.evenweave.lab.report.LabResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompareCommandTest extends CommandLineTest {

    @TempDir
    private Path temp;

    @Test
    void goBenchmarksAreComparedByTheirUnits() throws Exception {
        Path old = file("old.txt", go(100, 101, 102, 103, 104, 105, 106, 107));
        Path now = file("new.txt", go(80, 81, 82, 83, 84, 85, 86, 87));
        assertThat(execute("lab", "compare", old.toString(), now.toString())).isZero();
        assertThat(lines())
                .containsSubsequence(
                        "Encode/size=1-8",
                        "ns/op (ns/op)  " + old + "  8   103.5     100 .. 107  100  107",
                        now + "  8    83.5       80 .. 87   80   87  0.8068  < 0.001  lower (better)",
                        "B/op (B/op)    " + old + "  8      16       16 .. 16   16   16",
                        now + "  8      16       16 .. 16   16   16       1    1.000  ~");
    }

    /**
     * As benchstat does it, computed here from first principles: median, interval between order statistics, two-sided exact
     * p, with and without ties. Where two intervals are equally good, benchstat takes the lower; ours has both.
     */
    @ParameterizedTest
    @CsvSource({"4,4", "5,5", "6,6", "7,7", "8,8", "9,9", "10,10", "11,11", "12,12", "4,12", "12,7", "6,10"})
    void theFiguresAreThoseThatBruteForceGives(int oldRuns, int newRuns) throws Exception {
        Random random = new Random(31L * oldRuns + newRuns);
        for (int range : new int[] {1_000_000, 30, 8, 3}) { // all different at first, then more and more that are equal
            int[] before = random.ints(oldRuns, 100, 100 + range).toArray();
            int[] after = random.ints(newRuns, 100, 100 + range).toArray();
            Path json = temp.resolve("out.json");
            assertThat(execute(
                            "lab",
                            "compare",
                            file("old.txt", go(before)).toString(),
                            file("new.txt", go(after)).toString(),
                            "--metric=ns/op",
                            "--json=" + json))
                    .isZero();
            LabResult result = JsonReport.MAPPER.readValue(json, LabResult.class);
            assertRow(result.rows().get(0), before);
            assertRow(result.rows().get(1), after);
            assertThat(result.comparisons()).singleElement().satisfies(one -> {
                assertThat(one.p()).isCloseTo(exactP(before, after), within(1e-9));
                assertThat(one.ratio()).isCloseTo(median(after) / median(before), within(1e-12));
            });
        }
    }

    private static void assertRow(LabResult.Row row, int[] values) {
        int[] sorted = Arrays.stream(values).sorted().toArray();
        assertThat(row.median()).isEqualTo(median(values));
        int[] orders = benchstatInterval(values.length);
        boolean finite = orders[0] >= 1 && orders[1] <= values.length;
        assertThat(row.low()).isEqualTo(finite ? (double) sorted[orders[0] - 1] : null);
        assertThat(row.high()).isEqualTo(finite ? (double) sorted[orders[1] - 1] : null);
    }

    private static double median(int[] values) {
        int[] sorted = Arrays.stream(values).sorted().toArray();
        int n = sorted.length;
        return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0;
    }

    /**
     * The orders, from 1, of the ends. The gaps between the sorted values hold the median with probabilities of a binomial
     * distribution; the most probable gaps are taken until they make up 95 %. When the last one could as well have been the
     * one on the other side, that is taken too.
     */
    private static int[] benchstatInterval(int n) {
        double[] gaps = new double[n + 1];
        gaps[0] = Math.pow(0.5, n);
        for (int k = 1; k <= n; k++) {
            gaps[k] = gaps[k - 1] * (n - k + 1) / k;
        }
        int first = n / 2;
        int last = first; // inclusive
        double covered = gaps[first];
        while (covered < 0.95) {
            double below = first > 0 ? gaps[first - 1] : 0;
            double above = last < n ? gaps[last + 1] : 0;
            if (Math.abs(below - above) < 1e-12) {
                first--;
                last++;
                covered += below + above;
            } else if (below > above) {
                first--;
                covered += below;
            } else {
                last++;
                covered += above;
            }
        }
        return new int[] {first, last + 1};
    }

    /** Every way to choose which of the pooled values are the first sample, by the sum of their ranks. */
    private static double exactP(int[] a, int[] b) {
        int[] pooled = IntStream.concat(Arrays.stream(a), Arrays.stream(b)).toArray();
        int n = pooled.length;
        int[] ranks = new int[n]; // doubled
        for (int i = 0; i < n; i++) {
            for (int other : pooled) {
                ranks[i] += other < pooled[i] ? 2 : other == pooled[i] ? 1 : 0;
            }
        }
        int seen = Arrays.stream(ranks, 0, a.length).sum();
        long all = 0;
        long atMost = 0;
        long atLeast = 0;
        int chosen = (1 << a.length) - 1;
        while (chosen < 1 << n) {
            int sum = 0;
            for (int left = chosen; left != 0; left &= left - 1) {
                sum += ranks[Integer.numberOfTrailingZeros(left)];
            }
            all++;
            atMost += sum <= seen ? 1 : 0;
            atLeast += sum >= seen ? 1 : 0;
            // The next number with as many bits.
            int lowest = chosen & -chosen;
            int carried = chosen + lowest;
            chosen = carried | ((chosen ^ carried) >>> 2) / lowest;
        }
        return Math.min(1, 2.0 * Math.min(atMost, atLeast) / all);
    }

    @Test
    void jmhForksAreRunsWhenThereAreEnough() throws Exception {
        Path old = file("old.json", jmh("us/op", "[1,2,3]", 6));
        Path now = file("new.json", jmh("us/op", "[4,5,60]", 6));
        assertThat(execute("lab", "compare", old.toString(), now.toString())).isZero();
        assertThat(out.toString())
                .contains(
                        "Bench.run size=3 threads=2", "average (us/op)", "higher (worse)", "gc.alloc.rate.norm (B/op)")
                .containsPattern("average \\(us/op\\) +\\S+ +6 +2 ")
                .doesNotContain("forks:");
    }

    @Test
    void jmhIterationsOfFewForksAreComparedWithANote() throws Exception {
        Path old = file("old.json", jmh("ops/ms", "[1,2,3,4,5,6]", 1));
        Path now = file("new.json", jmh("ops/ms", "[11,12,13,14,15,16]", 1));
        assertThat(execute("lab", "compare", old.toString(), now.toString())).isZero();
        assertThat(out.toString()).contains("higher (better)", "fewer than 6 forks", "-f 10");
    }

    @Test
    void ourOwnFilesAreComparedArmByArm() throws Exception {
        Path old = file("old.json", lab("on", "off", "1,2,3,4,5,6"));
        Path now = file("new.json", lab("on", "off", "7,8,9,10,11,12"));
        Path json = temp.resolve("out.json");
        assertThat(execute("lab", "compare", old.toString(), now.toString(), "--json", json.toString()))
                .isZero();
        assertThat(lines()).contains("work=0, on", "work=0, off");
        assertThat(execute("lab", "compare", json.toString(), json.toString()))
                .as("what it wrote it can read")
                .isZero();
    }

    @Test
    void oneFileIsShownAsItIs() throws Exception {
        Path only = file("only.txt", go(1, 2, 3, 4, 5, 6));
        assertThat(execute("lab", "compare", only.toString())).isZero();
        assertThat(out.toString()).contains("3.5").doesNotContain("better", "too few");
    }

    @Test
    void oneRunGetsNoVerdict() throws Exception {
        Path old = file("old.txt", go(1));
        Path now = file("new.txt", go(2));
        assertThat(execute("lab", "compare", old.toString(), now.toString(), "--fail-on-regression=5%"))
                .isZero();
        assertThat(out.toString()).contains("too few runs", "at least 6");
    }

    @Test
    void aRegressionBeyondTheLimitFailsAndIsNamed() throws Exception {
        Path old = file("old.txt", go(100, 101, 102, 103, 104, 105));
        Path worse = file("worse.txt", go(110, 111, 112, 113, 114, 115));
        assertThat(execute("lab", "compare", old.toString(), worse.toString(), "--fail-on-regression", "5%"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("Encode/size=1-8, ns/op: worse by 9.8 %", worse.toString());
        assertThat(execute("lab", "compare", old.toString(), worse.toString(), "--fail-on-regression=20"))
                .as("within the limit")
                .isZero();
        assertThat(execute("lab", "compare", worse.toString(), old.toString(), "--fail-on-regression=5%"))
                .as("better")
                .isZero();
        assertThat(execute("lab", "compare", old.toString(), worse.toString()))
                .as("not asked")
                .isZero();
        assertThat(execute(
                        "lab", "compare", old.toString(), worse.toString(), "--fail-on-regression=5%", "--metric=B/op"))
                .as("not this metric")
                .isZero();
    }

    @Test
    void aRateThatFellIsARegressionToo() throws Exception {
        Path old = file("old.json", jmh("ops/s", "[100,101,102,103,104,105]", 1));
        Path worse = file("worse.json", jmh("ops/s", "[50,51,52,53,54,55]", 1));
        assertThat(execute("lab", "compare", old.toString(), worse.toString(), "--fail-on-regression=5%"))
                .isEqualTo(1);
    }

    @Test
    void fromNothingToSomethingIsARegressionOfAnyPercentage() throws Exception {
        String zero = "BenchmarkX-8 1 0 B/op\n".repeat(6);
        Path old = file("old.txt", zero);
        Path worse = file("worse.txt", zero.replace(" 0 ", " 24 "));
        assertThat(execute("lab", "compare", old.toString(), worse.toString(), "--fail-on-regression=5%"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("the base is 0");
    }

    @Test
    void rowsThatOneFileLacksAreNoted() throws Exception {
        Path old = file("old.txt", "BenchmarkX 1 5 ns/op\nBenchmarkY 1 5 ns/op\n");
        Path now = file("new.txt", "BenchmarkX 1 5 ns/op\n");
        assertThat(execute("lab", "compare", old.toString(), now.toString())).isZero();
        assertThat(out.toString()).contains("1 row is not in all files, but in " + old);
    }

    @Test
    void packagesAreToldApart() throws Exception {
        String two = "pkg: a/b\nBenchmarkX 1 5 ns/op\npkg: a/c\nBenchmarkX 1 7 ns/op\n";
        assertThat(execute("lab", "compare", file("x.txt", two).toString())).isZero();
        assertThat(lines()).contains("a/b X", "a/c X");
    }

    @Test
    void badInputIsNamedWithTheFix() throws Exception {
        Path good = file("good.txt", go(1, 2, 3, 4, 5, 6));
        assertRefused("there is no such file", good, temp.resolve("missing.txt"));
        assertRefused("is empty", good, file("empty.txt", ""));
        assertRefused("has no benchmark line", good, file("prose.txt", "nothing here\n"));
        assertRefused("is broken JSON at line 2, column", good, file("broken.json", "[{\"primaryMetric\": 1},\n {,}]"));
        assertRefused("JSON of an unknown kind", good, file("other.json", "{\"a\": 1}"));
        assertRefused("has no values", good, file("hollow.json", jmh("ns/op", "[]", 1)));
        assertRefused("no number to compare", good, file("nan.txt", "BenchmarkX 1 NaN ns/op\n"));
        assertRefused("no number to compare", good, file("nan.json", jmh("ns/op", "[\"NaN\"]", 1)));
        assertRefused(
                ": measure it in one unit",
                file("a.json", jmh("ns/op", "[1]", 1)),
                file("b.json", jmh("us/op", "[1]", 1)));
        assertRefused("no benchmark in common", good, file("else.txt", "BenchmarkElse 1 5 ns/op\n"));
        assertRefused("does not keep it", good, file("wrong.json", "{\"schema\": \"evenweave-lab/1\", \"rows\": 7}"));
        assertRefused("has no rows", good, file("norows.json", "{\"schema\": \"evenweave-lab/1\"}"));
        assertRefused("a row without", good, file("hole.json", "{\"schema\": \"evenweave-lab/1\", \"rows\": [{}]}"));
        Path bytes = temp.resolve("bytes.bin");
        Files.write(bytes, new byte[] {(byte) 0xc3, 0x28, (byte) 0xff});
        assertRefused("is no text", good, bytes);
        assertRefused("cannot be read", good, temp);
    }

    @Test
    void badOptionsAreNamedWithTheFix() throws Exception {
        String good = file("good.txt", go(1, 2)).toString();
        assertThat(execute("lab", "compare", good, good, "--fail-on-regression=much"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--fail-on-regression much: give a percentage such as 5%");
        assertThat(execute("lab", "compare", good, good, "--fail-on-regression=-1"))
                .isEqualTo(2);
        assertThat(execute("lab", "compare", good, "--fail-on-regression=5%")).isEqualTo(2);
        assertThat(err.toString()).contains("needs two files");
        assertThat(execute("lab", "compare", good, good, "--metric=none")).isEqualTo(2);
        assertThat(err.toString()).contains("--metric none: no file has it");
        assertThat(execute("lab", "compare")).isEqualTo(2);
        assertThat(err.toString()).contains("Missing required parameter");
    }

    private void assertRefused(String message, Path... files) {
        List<String> args = new ArrayList<>(List.of("lab", "compare"));
        List.of(files).forEach(file -> args.add(file.toString()));
        assertThat(execute(args.toArray(String[]::new))).as(message).isEqualTo(2);
        assertThat(err.toString())
                .contains(message)
                .startsWith("evenweave: ")
                .hasLineCount(2)
                .contains("\nTry: ./evenweave lab compare --help");
        assertThat(out.toString()).isEmpty();
    }

    private List<String> lines() {
        return out.toString().lines().map(String::strip).toList();
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(temp.resolve(name), text);
    }

    private static String go(int... values) {
        StringBuilder text = new StringBuilder("goos: linux\npkg: a/b\ncpu: some\n");
        for (int value : values) {
            text.append("BenchmarkEncode/size=1-8   \t 1000\t ").append(value).append(" ns/op\t 16 B/op\n");
        }
        return text + "PASS\nok  \ta/b\t1.2s\n";
    }

    private static String jmh(String unit, String fork, int forks) {
        String raw = IntStream.range(0, forks).mapToObj(i -> fork).collect(Collectors.joining(",", "[", "]"));
        String mode = unit.startsWith("ops") ? "thrpt" : "avgt";
        return """
                [{"jmhVersion": "1.37", "benchmark": "a.b.Bench.run", "mode": "%s", "threads": 2, "forks": %d,
                  "params": {"size": "3"},
                  "primaryMetric": {"score": 2, "scoreError": "NaN", "scoreUnit": "%s", "rawData": %s},
                  "secondaryMetrics": {"·gc.alloc.rate.norm": {"score": 1, "scoreUnit": "B/op", "rawData": %s}}}]
                """.formatted(mode, forks, unit, raw, raw);
    }

    private static String lab(String one, String other, String values) {
        String row = """
                {"scenario": "work=0", "arm": "%s", "metric": "gap", "unit": "ms", "better": "lower",
                 "values": [%s], "median": 1, "low": null, "high": null, "min": 1, "max": 1}
                """;
        return "{\"schema\": \"evenweave-lab/1\", \"experiment\": \"x\", \"rows\": [" + row.formatted(one, values) + ","
                + row.formatted(other, values) + "]}";
    }
}
