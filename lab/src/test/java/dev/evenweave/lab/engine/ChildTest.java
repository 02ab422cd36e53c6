// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChildTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void bothStreamsAreKept() throws Exception {
        Child.Output output = Child.run(shell("echo one; echo two; echo three >&2"), MINUTE);
        assertThat(output.out()).containsExactly("one", "two");
        assertThat(output.err()).containsExactly("three");
    }

    @Test
    void aJvmRunsOurClasses() throws Exception {
        Child.Output output = Child.run(Child.jvm(List.of("-Xint"), Prints.class, List.of("a b")), MINUTE);
        assertThat(output.out()).containsExactly("speed 3.5 a b");
    }

    @Test
    void aFailureShowsTheExitCodeAndTheLastWords() {
        assertThatExceptionOfType(RunFailedException.class)
                .isThrownBy(() -> Child.run(shell("echo fine; echo broken >&2; exit 3"), MINUTE))
                .withMessageContaining("exit code 3")
                .withMessageContaining("broken");
        assertThatExceptionOfType(RunFailedException.class)
                .isThrownBy(() -> Child.run(shell("exit 4"), MINUTE))
                .withMessageContaining("exit code 4 and said nothing");
    }

    @Test
    void whatDoesNotStartIsNamed() {
        assertThatExceptionOfType(RunFailedException.class)
                .isThrownBy(() -> Child.run(List.of("/no/such/program"), MINUTE))
                .withMessageStartingWith("cannot start /no/such/program");
    }

    @Test
    void whatDoesNotEndIsEnded() {
        assertThatExceptionOfType(RunFailedException.class)
                .isThrownBy(() -> Child.run(shell("sleep 1000 & wait"), Duration.ofMillis(50)))
                .withMessageContaining("did not end within");
    }

    @Test
    void aChildThatTheUserStoppedStopsUs() {
        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> Child.run(shell("kill -TERM $$"), MINUTE));
    }

    @Test
    void aLongCommandIsShownCut() {
        assertThat(Child.shown(List.of("x".repeat(300))))
                .hasSizeLessThanOrEqualTo(120)
                .contains(" ... ");
    }

    private static List<String> shell(String script) {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "needs a POSIX shell");
        return List.of("/bin/sh", "-c", script);
    }

    static final class Prints {
        public static void main(String[] args) {
            SampleLines.print("speed", 3.5, args[0]);
        }
    }
}
