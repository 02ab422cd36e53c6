// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ConsoleProgressTest {

    @Test
    void withoutATerminalThereIsALineForEachRun() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (Progress progress = ConsoleProgress.lines(new PrintStream(bytes, true, StandardCharsets.UTF_8), 2)) {
            progress.ran("work=0, A: 1.0 s");
            progress.note("work=0, B: 1.0 s, repeated");
            progress.ran("work=0, B: 1.0 s");
        }
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
                .containsExactly(
                        "run 1 of 2, 0 s left: work=0, A: 1.0 s",
                        "work=0, B: 1.0 s, repeated",
                        "run 2 of 2, 0 s left: work=0, B: 1.0 s");
    }
}
