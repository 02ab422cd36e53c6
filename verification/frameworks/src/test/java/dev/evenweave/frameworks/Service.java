// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.frameworks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A program in a JVM of its own that prints {@code port N} when it is ready. */
final class Service implements AutoCloseable {
    /** Far longer than any of these programs takes to start or to end. */
    private static final long LIMIT_SECONDS = 240;

    final Process process;
    private final BufferedReader out;
    private final Path err;

    Service(List<String> command) throws IOException {
        err = Files.createTempFile("evenweave-service", ".err");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
        // What the surroundings of the test say must not reach the child.
        builder.environment().keySet().removeIf(name -> name.startsWith("EVENWEAVE_") || name.contains("JAVA"));
        process = builder.start();
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    int port() throws IOException {
        for (String line; (line = out.readLine()) != null; ) {
            if (line.startsWith("port ")) {
                return Integer.parseInt(line.substring("port ".length()));
            }
        }
        throw new IOException("it ended before it had a port; it said: " + errors());
    }

    /** Ends its standard input, which ends those that read it. */
    void endInput() throws IOException {
        process.getOutputStream().close();
    }

    /** Waits for the end, and returns what it printed since the port. */
    String await() throws IOException, InterruptedException {
        String rest = out.lines().collect(Collectors.joining("\n"));
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("it does not end; it said: " + rest + errors());
        }
        return rest;
    }

    String errors() throws IOException {
        return Files.readString(err);
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.deleteIfExists(err);
    }
}
