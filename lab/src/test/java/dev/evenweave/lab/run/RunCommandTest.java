// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.evenweave.lab.CommandLineTest;
import dev.evenweave.lab.report.JsonReport;
import dev.evenweave.lab.report.LabResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunCommandTest extends CommandLineTest {

    @TempDir
    private Path temp;

    @BeforeEach
    void needsAShell() {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "needs a POSIX shell");
    }

    @Test
    void printedNumbersAndWhatTheCommandUsedAreCompared() {
        assertThat(run("--a", "echo latency 10 ms", "--b", "echo latency 5 ms")).isZero();
        assertThat(out.toString())
                .contains("latency (ms)", "lower (better)", "wallTime (s)")
                .containsPattern("B +6 +5 ");
        if (Files.exists(Path.of("/proc/self/stat"))) {
            assertThat(out.toString()).contains("cpuTime (s)");
        }
    }

    @Test
    void aCommandThatPrintsNothingHasItsTimes() {
        assertThat(run("--a", "true", "--b", "true")).isZero();
        assertThat(out.toString()).contains("wallTime (s)");
    }

    @Test
    void linesOfGoBenchmarksCountAndSeveralOfOneRunAreOneValue() {
        String line = "echo 'BenchmarkX-8 1 %d ns/op 3 B/op'; echo 'BenchmarkX-8 1 %d ns/op 3 B/op'";
        assertThat(run("--a", line.formatted(10, 20), "--b", line.formatted(30, 50)))
                .isZero();
        assertThat(out.toString())
                .contains("X-8 (ns/op)", "X-8 B/op (B/op)")
                .containsPattern("A +6 +15 ")
                .containsPattern("B +6 +40 ");
    }

    @Test
    void aFileOfResultsIsReadAfterEachRun() {
        Path file = temp.resolve("result.txt");
        assertThat(run(
                        "--a",
                        "echo BenchmarkX 1 7 ns/op > " + file,
                        "--b",
                        "echo BenchmarkX 1 9 ns/op > " + file,
                        "--result=" + file))
                .isZero();
        assertThat(out.toString()).contains("X (ns/op)", "higher (worse)");
    }

    @Test
    void aTogglePropertyGoesToJava() throws Exception {
        Path java = Files.writeString(
                temp.resolve("java"), "#!/bin/sh\necho \"args $# n\"; echo \"$1\" >> " + temp + "/seen\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        assertThat(run("--toggle", "my.flag=off,on", "--", java.toString(), "-jar", "x.jar"))
                .isZero();
        assertThat(out.toString()).contains("my.flag=off", "my.flag=on", "args (n)");
        assertThat(temp.resolve("seen")).content().contains("-Dmy.flag=off", "-Dmy.flag=on");
    }

    @Test
    void aToggleVariableGoesToTheEnvironment() {
        assertThat(run("--toggle-env", "MODE=1,2", "--", "/bin/sh", "-c", "echo mode $MODE n"))
                .isZero();
        assertThat(out.toString()).containsPattern("MODE=2 +6 +2 ");
    }

    @Test
    void theDirectionOfAMetricCanBeTold() {
        assertThat(run("--a", "echo score 1 points", "--b", "echo score 2 points", "--better", "score=higher"))
                .isZero();
        assertThat(out.toString()).contains("higher (better)");
    }

    @Test
    void metricsCanBeChosen() {
        assertThat(run("--a", "echo x 1 ms", "--b", "echo x 2 ms", "--metric=x"))
                .isZero();
        assertThat(out.toString()).contains("x (ms)").doesNotContain("wallTime");
    }

    @Test
    void failuresAreNamedAndKeepWhatWasMeasured() {
        assertFails("ended with exit code 3; it said: no luck", "--a", "true", "--b", "echo no luck >&2; exit 3");
        assertFails("gave no x, which --metric names: there is wallTime", "--a", "true", "--b", "true", "--metric=x");
        assertFails("gave NaN for x", "--a", "echo x NaN ms", "--b", "true");
        assertFails(
                "x was measured in ms, and in a run of B in command in s", "--a", "echo x 1 ms", "--b", "echo x 1 s");
        assertFails("wrote no file", "--a", "true", "--b", "true", "--result=" + temp.resolve("none.json"));
        assertFails("did not end within 0 s", "--a", "sleep 60", "--b", "true", "--limit=0.1");
        assertThat(execute(
                        "lab",
                        "run",
                        "--runs=6",
                        "--foreign-limit=100",
                        "--a",
                        "echo x 1 ms",
                        "--b",
                        "test -e " + temp + "/second && exit 1; touch " + temp + "/second",
                        "--json=" + temp.resolve("r.json")))
                .isEqualTo(2);
        assertThat(err.toString()).contains("the run before it is kept");
        LabResult kept = JsonReport.MAPPER.readValue(temp.resolve("r.json"), LabResult.class);
        assertThat(kept.complete()).isFalse();
        assertThat(kept.rows()).isNotEmpty();
    }

    @Test
    void badOptionsAreNamedWithTheFix() {
        assertRefused("give one of: --a and --b");
        assertRefused("give one of: --a and --b", "--a=x", "--b=y", "--toggle", "p=1,2");
        assertRefused("--a and --b belong together", "--a=true");
        assertRefused("one is blank", "--a=true", "--b= ");
        assertRefused("take no command after --", "--a=true", "--b=true", "--", "more");
        assertRefused("give a name and at least two values", "--toggle", "p=1", "--", "java");
        assertRefused("give a name and at least two values", "--toggle", "p", "--", "java");
        assertRefused("needs the command that it switches", "--toggle", "p=1,2");
        assertRefused("needs a java command after --, not ./prog", "--toggle", "p=1,2", "--", "./prog");
        assertRefused("has the value 1 twice", "--toggle-env", "P=1,1", "--", "true");
        assertRefused("--better x=up: give lower, higher or neither", "--a=true", "--b=true", "--better=x=up");
        assertRefused("--limit 0.0", "--a=true", "--b=true", "--limit=0");
    }

    private int run(String... args) {
        List<String> all = new ArrayList<>(List.of("lab", "run", "--runs=6", "--no-control", "--foreign-limit=100"));
        all.addAll(List.of(args));
        return execute(all.toArray(String[]::new));
    }

    private void assertFails(String message, String... args) {
        assertThat(run(args)).as(message).isEqualTo(2);
        assertThat(err.toString()).contains(message);
    }

    private void assertRefused(String message, String... args) {
        List<String> all = new ArrayList<>(List.of("lab", "run"));
        all.addAll(List.of(args));
        assertThat(execute(all.toArray(String[]::new))).as(message).isEqualTo(2);
        assertThat(err.toString()).contains(message);
        assertThat(out.toString()).isEmpty();
    }
}
