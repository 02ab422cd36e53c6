// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a main class in a JVM of its own, without the flags of the tests. */
final class ChildJvm {
    private ChildJvm() {}

    /** Returns what the program printed; fails if it failed. */
    static String run(Class<?> main, String flags, String... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (!flags.isEmpty()) {
            command.addAll(List.of(flags.split(" ")));
        }
        command.addAll(List.of("-ea", "-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError(main.getSimpleName() + " ended with " + process.exitValue() + ": " + output);
        }
        return output;
    }
}
