// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM with a command line of its own. */
final class ChildJvm {
    static final String OPENS = "--add-opens=java.base/java.lang=ALL-UNNAMED";

    /** Where the classes of this module are, without those of its tests. */
    static final Path MAIN_CLASSES = Path.of(
            Scheduler.class.getProtectionDomain().getCodeSource().getLocation().getPath());

    private ChildJvm() {}

    record Outcome(int exit, String output) {
        void assertPrints(String... expected) {
            assertThat(output).contains(expected);
            assertThat(exit).as(output).isZero();
        }
    }

    static Outcome java(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(arguments);
        Path output = Files.createTempFile("evenweave-child", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            try {
                assertThat(process.waitFor(200, TimeUnit.SECONDS))
                        .as("it ends: %s", command)
                        .isTrue();
            } finally {
                process.destroyForcibly().waitFor();
            }
            return new Outcome(process.exitValue(), Files.readString(output));
        } finally {
            Files.delete(output);
        }
    }

    /** Runs {@code main} of a class of these tests. */
    static Outcome run(Class<?> program, String... options) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(List.of("-ea", "-cp", System.getProperty("java.class.path"), program.getName()));
        return java(arguments);
    }
}
