// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The ways to start a program on Evenweave, and the one without. */
enum Road {
    STOCK,
    RUN,
    HOOK,
    AGENT;

    static final Path AGENT_JAR = Path.of("target", "evenweave-agent.jar").toAbsolutePath();
    static final Path TESTS = Path.of("target", "test-classes").toAbsolutePath();

    /** The command that starts a program. {@code java} are the words after "java", options those of Evenweave. */
    List<String> command(Map<String, String> options, List<String> java) throws BadOption {
        if (!Files.isRegularFile(AGENT_JAR)) {
            throw new AssertionError(AGENT_JAR + " is not there: these tests run after package");
        }
        String executable =
                Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>();
        switch (this) {
            case STOCK -> command.add(executable);
            case RUN -> {
                List<String> words = new ArrayList<>();
                options.forEach((key, value) -> words.add("--" + key + "=" + value));
                words.add("--");
                words.addAll(java);
                return Plan.command(words, Program.properties(), Map.of(), AGENT_JAR, null)
                        .orElseThrow();
            }
            case HOOK -> {
                command.add(executable);
                command.addAll(hookFlags());
                options.forEach((key, value) -> command.add("-Devenweave." + key + "=" + value));
            }
            case AGENT -> {
                command.add(executable);
                String argument = options.entrySet().stream()
                        .map(option -> option.getKey() + "=" + option.getValue())
                        .collect(Collectors.joining(","));
                command.add("-javaagent:" + AGENT_JAR + (argument.isEmpty() ? "" : "=" + argument));
            }
        }
        command.addAll(java);
        return command;
    }

    /** The flags that the guide gives for JDK_JAVA_OPTIONS. */
    static List<String> hookFlags() {
        return List.of(
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-Xbootclasspath/a:" + AGENT_JAR,
                "-Djava.system.class.loader=dev.evenweave.launch.SystemLoader",
                "-Xlog:cds=off",
                "-Xlog:aot=off");
    }

    /** The class path of a child that runs a class of these tests; on the stock road it has to bring Evenweave's classes. */
    String testClassPath() {
        return this == STOCK ? TESTS + File.pathSeparator + AGENT_JAR : TESTS.toString();
    }
}
