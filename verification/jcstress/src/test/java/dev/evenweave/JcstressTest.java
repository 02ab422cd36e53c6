// SPDX-License-Identifier: Apache-2.0
package dev.evenweave;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Runs the jcstress tests for a moment each, and their broken twins: all twins must fail, and nothing else.
 *
 * <p>{@code -Dproof=long} runs them as long, and in as many ways of compilation, as jcstress does by itself.
 */
class JcstressTest {
    private static final String PACKAGE = "dev\\.evenweave\\.(?:scheduler|sync)\\.";
    private static final Pattern FAILURE =
            Pattern.compile(PACKAGE + "(?:twins\\.)?(\\w+) .*Observed forbidden state.*");
    private static final Pattern PLANNED = Pattern.compile(".*Results: (\\d+) planned.*");

    private static final Set<String> TWINS = new TreeSet<>(List.of(
            "IdleAndSubmitTwin",
            "MarkAndClearTwin",
            "ReleaseSequenceTwin",
            "RingPublicationTwin",
            "RingTwoTakersTwin",
            "RunNextTwoTakersTwin"));
    private static final List<String> SHORT = List.of("-iters", "2", "-time", "100");
    private static final List<String> LONGER = List.of("-iters", "10", "-time", "500");
    private static final int MORE_TRIES = 8;

    @Test
    void theTwinsFailAndNothingElse() throws Exception {
        List<String> output = new ArrayList<>();
        run(PACKAGE + ".*", output, SHORT);
        // Whether a twin fails within a moment is a matter of luck when others use the machine: it gets more time, the
        // tests proper do not.
        for (int more = 0; more < MORE_TRIES && !failed(output).containsAll(TWINS); more++) {
            Set<String> missing = new TreeSet<>(TWINS);
            missing.removeAll(failed(output));
            run(PACKAGE + "twins\\.(" + String.join("|", missing) + ")", output, LONGER);
        }
        assertThat(failed(output)).as(() -> String.join("\n", output)).isEqualTo(TWINS);
        assertThat(output.stream()
                        .map(PLANNED::matcher)
                        .filter(Matcher::matches)
                        .mapToInt(match -> Integer.parseInt(match.group(1)))
                        .max()
                        .orElse(0))
                .as("tests that ran, twins included")
                .isGreaterThanOrEqualTo(13);
    }

    private static Set<String> failed(List<String> output) {
        return output.stream()
                .map(FAILURE::matcher)
                .filter(Matcher::matches)
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void run(String tests, List<String> output, List<String> length)
            throws IOException, InterruptedException {
        Path results = Path.of("target", "jcstress");
        results.toFile().mkdirs();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-t",
                tests,
                "-r",
                results.toAbsolutePath().toString()));
        if (!System.getProperty("proof", "short").equals("long")) {
            command.addAll(List.of("-f", "1", "-fsm", "1", "-sc", "false", "-jvmArgs", "-Xmx256m"));
            command.addAll(length);
        }
        Process process = new ProcessBuilder(command)
                .directory(results.toFile())
                .redirectErrorStream(true)
                .start();
        try (var lines = process.inputReader()) {
            lines.lines().forEach(output::add);
        }
        process.waitFor();
    }
}
