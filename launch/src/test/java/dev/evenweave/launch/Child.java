// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A JVM that a test has started, and what it said. */
record Child(int code, String out, String err) {

    /** Far longer than any of these programs takes. */
    static final long LIMIT_SECONDS = 300;

    static Child run(List<String> command) throws IOException, InterruptedException {
        return run(command, Map.of());
    }

    static Child run(List<String> command, Map<String, String> environment) throws IOException, InterruptedException {
        return new Running(command, environment).await();
    }

    /** A child that has not ended yet. */
    static final class Running implements AutoCloseable {
        final Process process;
        private final Path out = Files.createTempFile("evenweave-child", ".out");
        private final Path err = Files.createTempFile("evenweave-child", ".err");

        Running(List<String> command, Map<String, String> environment) throws IOException {
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
            // What the surroundings of the test say must not reach the child.
            builder.environment()
                    .keySet()
                    .removeIf(name -> name.startsWith("EVENWEAVE_") || name.startsWith("JDK_JAVA"));
            builder.environment().putAll(environment);
            process = builder.start();
        }

        String out() throws IOException {
            return Files.readString(out);
        }

        Child await() throws IOException, InterruptedException {
            try (this) {
                boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
                Child child = new Child(ended ? process.exitValue() : -1, out(), Files.readString(err));
                assertThat(ended).as("ends in time; so far: %s", child).isTrue();
                return child;
            }
        }

        @Override
        public void close() throws IOException {
            process.destroyForcibly();
            Files.deleteIfExists(out);
            Files.deleteIfExists(err);
        }
    }
}
