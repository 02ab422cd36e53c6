// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.engine.Child;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.engine.RunFailedException;
import dev.evenweave.lab.engine.Sample;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class ExperimentCommandTest {

    @TempDir
    private Path temp;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void allReportsAreWritten() throws Exception {
        Path json = temp.resolve("r.json");
        Path csv = temp.resolve("r.csv");
        Path markdown = temp.resolve("r.md");
        assertThat(execute(
                        "--runs=6", "--json=" + json, "--csv=" + csv, "--markdown=" + markdown, "--foreign-limit=100"))
                .isZero();
        assertThat(out.toString()).contains("try: does it work?", "count (runs)", "A (again)");
        assertThat(json).content().contains("\"complete\" : true", "--runs=6");
        assertThat(csv).content().hasLineCount(1 + 18);
        assertThat(markdown).content().contains("| count (runs) |");
    }

    @Test
    void quickMakesAsFewRunsAsAllowAVerdict() {
        assertThat(execute("--quick", "--foreign-limit=100")).isZero();
        assertThat(out.toString()).containsPattern("A +6 ").doesNotContain("too few");
    }

    @Test
    void withoutAControlThereIsNone() {
        assertThat(execute("--runs=1", "--no-control", "--foreign-limit=100")).isZero();
        assertThat(out.toString()).doesNotContain("(again)").contains("too few runs", "at least 6");
    }

    @Test
    void badValuesAreNamedBeforeAnythingRuns() {
        assertRefused("--runs 0", "--runs=0");
        assertRefused("--foreign-limit -1.0", "--foreign-limit=-1");
        assertRefused("--foreign-limit NaN", "--foreign-limit=NaN");
        assertRefused("--repeats -2", "--repeats=-2");
        assertRefused("there is no folder", "--json=" + temp.resolve("none/r.json"));
        assertRefused("is a folder", "--csv=" + temp);
    }

    @Test
    void aFailureKeepsWhatWasMeasuredAndIsSaid() {
        Path json = temp.resolve("r.json");
        assertThat(execute("--runs=6", "--fail-at=5", "--json=" + json, "--foreign-limit=100"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("it broke; the 4 runs before it are kept");
        assertThat(out.toString()).contains("Not complete: it broke. Kept: 4 of 18 runs.");
        assertThat(json).content().contains("\"complete\" : false");
    }

    @Test
    void aFailureOfTheFirstRunLeavesNothing() {
        Path json = temp.resolve("r.json");
        assertThat(execute("--fail-at=1", "--json=" + json)).isEqualTo(2);
        assertThat(err.toString()).contains("it broke; nothing was measured");
        assertThat(json).doesNotExist();
    }

    /** Ends a real process as Ctrl-C would, since only a JVM that goes down shows whether the reports come first. */
    @Test
    void aStopKeepsWhatWasMeasured() throws Exception {
        assumeFalse(System.getProperty("os.name").startsWith("Windows"), "needs signals");
        Path json = temp.resolve("r.json");
        Process process = new ProcessBuilder(Child.jvm(
                        List.of(), Try.class, List.of("--hang-at=3", "--json=" + json, "--foreign-limit=100")))
                .redirectErrorStream(true)
                .start();
        StringBuilder said = new StringBuilder();
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            String line = reader.readLine();
            while (line != null) {
                said.append(line).append('\n');
                if (line.equals("hanging")) {
                    process.toHandle().destroy();
                }
                line = reader.readLine();
            }
        }
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(said.toString()).contains("stopped before the end; the 2 runs before it are kept", "count (runs)");
        assertThat(json).content().contains("\"complete\" : false");
        assertThat(process.exitValue()).isEqualTo(128 + 15);
        assertThat(Files.size(json)).isPositive();
    }

    private void assertRefused(String message, String... args) {
        err.getBuffer().setLength(0);
        assertThat(execute(args)).as(message).isEqualTo(2);
        assertThat(err.toString()).contains(message);
        assertThat(out.toString()).isEmpty();
    }

    private int execute(String... args) {
        return Try.line(new PrintWriter(out, true), new PrintWriter(err, true)).execute(args);
    }

    @Command(name = "try")
    static final class Try extends ExperimentCommand {

        @Option(names = "--fail-at")
        private int failAt;

        @Option(names = "--hang-at")
        private int hangAt;

        public static void main(String[] args) {
            int code = line(new PrintWriter(System.out, true), new PrintWriter(System.err, true))
                    .execute(args);
            System.exit(code);
        }

        static CommandLine line(PrintWriter out, PrintWriter err) {
            return new CommandLine(new Try())
                    .setOut(out)
                    .setErr(err)
                    .setExecutionExceptionHandler((error, line, parsed) -> {
                        if (!(error instanceof UserError)) {
                            throw error;
                        }
                        line.getErr().println(error.getMessage());
                        return 2;
                    });
        }

        @Override
        protected int warmups() {
            return 0;
        }

        @Override
        protected Experiment experiment() {
            return new Counting(failAt, hangAt);
        }
    }

    private static final class Counting implements Experiment {

        private final int failAt;
        private final int hangAt;
        private int count;

        Counting(int failAt, int hangAt) {
            this.failAt = failAt;
            this.hangAt = hangAt;
        }

        @Override
        public String name() {
            return "try";
        }

        @Override
        public String question() {
            return "does it work?";
        }

        @Override
        public List<String> arms() {
            return List.of("A", "B");
        }

        @Override
        public List<String> scenarios() {
            return List.of("only");
        }

        @Override
        public List<Sample> run(String scenario, String arm) throws RunFailedException, InterruptedException {
            count++;
            if (count == failAt) {
                throw new RunFailedException("it broke");
            }
            if (count == hangAt) {
                System.out.println("hanging");
                new CountDownLatch(1).await();
            }
            return List.of(new Sample("count", "runs", Better.NEITHER, count % 3));
        }
    }
}
