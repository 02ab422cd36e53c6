// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs a command to its end and keeps what it printed. */
public final class Child {

    /** The exit codes of a process that was ended by Ctrl-C or by the TERM signal. */
    private static final List<Integer> STOPPED = List.of(130, 143);

    private Child() {}

    /**
     * What a process left.
     *
     * @param out the lines of its standard output
     * @param err the lines of its standard error
     * @param seconds from its start to its end
     */
    public record Output(List<String> out, List<String> err, double seconds) {}

    /** The command of a JVM like this one with the same class path: flags, then the main class and its arguments. */
    public static List<String> jvm(List<String> flags, Class<?> main, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return command;
    }

    /**
     * Runs the command and waits for its end.
     *
     * @throws RunFailedException if it does not start, ends with another code than 0, or takes longer than the limit
     * @throws InterruptedException if this thread was interrupted or the process got the same Ctrl-C; it has ended then
     */
    public static Output run(List<String> command, Duration limit) throws RunFailedException, InterruptedException {
        return run(command, Map.of(), limit, null);
    }

    /**
     * As {@link #run(List, Duration)}, with more variables in the environment, and with a meter for what the process uses;
     * null for none.
     */
    public static Output run(
            List<String> command, Map<String, String> environment, Duration limit, @Nullable ProcessMeter meter)
            throws RunFailedException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(Redirect.from(nullDevice().toFile()));
        builder.environment().putAll(environment);
        if (meter != null) {
            meter.begin();
        }
        long start = System.nanoTime();
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            // Some JDKs add a page of advice to the first line.
            String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw new RunFailedException("cannot start " + shown(command) + ": " + reason, e);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Thread readsOut = drain(process.getInputStream(), out);
        Thread readsErr = drain(process.getErrorStream(), err);
        if (meter != null) {
            meter.watch(process);
        }
        boolean ended = false;
        double seconds;
        try {
            ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (!ended) {
                throw new RunFailedException(shown(command) + " did not end within " + limit.toSeconds() + " s");
            }
            seconds = (System.nanoTime() - start) / 1e9;
            readsOut.join();
            readsErr.join();
        } finally {
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
        }
        if (meter != null) {
            meter.end();
        }
        int code = process.exitValue();
        if (STOPPED.contains(code)) {
            throw new InterruptedException(shown(command) + " was stopped");
        }
        Output output = new Output(lines(out), lines(err), seconds);
        if (code != 0) {
            throw new RunFailedException(shown(command) + " ended with exit code " + code + lastWords(output));
        }
        return output;
    }

    /** The command as a person would type it, cut to a line. */
    static String shown(List<String> command) {
        String line = String.join(" ", command);
        return line.length() <= 120 ? line : line.substring(0, 57) + " ... " + line.substring(line.length() - 57);
    }

    private static String lastWords(Output output) {
        List<String> lines = output.err.isEmpty() ? output.out : output.err;
        List<String> said = lines.stream().filter(line -> !line.isBlank()).toList();
        if (said.isEmpty()) {
            return " and said nothing";
        }
        return "; it said: "
                + String.join(" | ", said.subList(Math.max(0, said.size() - 3), said.size()))
                        .strip();
    }

    private static List<String> lines(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static Thread drain(InputStream in, ByteArrayOutputStream into) {
        return Thread.ofPlatform().daemon().start(() -> {
            try (in) {
                in.transferTo(into);
            } catch (IOException e) {
                // The process was ended while it wrote: what it said is of no use any more.
                into.reset();
            }
        });
    }

    private static Path nullDevice() {
        return Path.of(System.getProperty("os.name").startsWith("Windows") ? "NUL" : "/dev/null");
    }
}
