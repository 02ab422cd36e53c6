// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.evenweave.lab.CommandLineTest;
import dev.evenweave.lab.report.JsonReport;
import dev.evenweave.lab.report.LabResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    /** As benchstat does it: median, interval from order statistics, exact p, all computed by hand here. */
    @Test
    void theFiguresAreThoseThatBruteForceGives() throws Exception {
        Path json = temp.resolve("out.json");
        assertThat(execute(
                        "lab",
                        "compare",
                        file("old.txt", go(100, 103, 104, 109, 110, 115, 121)).toString(),
                        file("new.txt", go(90, 101, 102, 105, 106, 108, 111)).toString(),
                        "--metric=ns/op",
                        "--json=" + json))
                .isZero();
        LabResult result = JsonReport.MAPPER.readValue(json, LabResult.class);
        // Of 7 values the interval leaves out none: fewer than 1 of 7 below the median has probability 1/64 on both
        // sides
        // together, fewer than 2 has 16/128, which is more than 5 %.
        assertThat(result.rows())
                .extracting(LabResult.Row::median, LabResult.Row::low, LabResult.Row::high)
                .containsExactly(tuple(109.0, 100.0, 121.0), tuple(105.0, 90.0, 111.0));
        // Pairs in which the new one is larger: 0+1+1+3+3+3+5 = 16 of 49.
        assertThat(result.comparisons()).singleElement().satisfies(one -> {
            assertThat(one.p()).isCloseTo(twiceTheTail(7, 7, 16), within(1e-12));
            assertThat(one.ratio()).isCloseTo(105.0 / 109, within(1e-12));
        });
    }

    /** Twice the share of the ways to order a and b values in which at most u pairs are the other way round. */
    private static double twiceTheTail(int a, int b, int u) {
        int tail = 0;
        int all = 0;
        for (int order = 0; order < 1 << (a + b); order++) {
            if (Integer.bitCount(order) == a) {
                int pairs = 0;
                int seen = 0;
                for (int i = 0; i < a + b; i++) {
                    if ((order >> i & 1) == 1) {
                        pairs += seen;
                    } else {
                        seen++;
                    }
                }
                all++;
                tail += pairs <= u ? 1 : 0;
            }
        }
        return 2.0 * tail / all;
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
        assertThat(err.toString()).contains(message).startsWith("evenweave: ").hasLineCount(1);
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
