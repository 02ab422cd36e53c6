// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.frameworks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The ways to start a program on Evenweave. */
enum Road {
    /** As {@code ./evenweave run -- ...} does it: a JVM works out a line of shell, and the shell becomes the program. */
    RUN {
        @Override
        List<String> command(List<String> java) throws IOException, InterruptedException {
            List<String> plan =
                    new ArrayList<>(List.of(JAVA, "-cp", AGENT_JAR.toString(), "dev.evenweave.launch.Plan", "--"));
            plan.addAll(java);
            Process process = new ProcessBuilder(plan)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String line = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IOException("no plan for " + java);
            }
            return List.of("/bin/sh", "-c", line);
        }
    },
    /** The class-loader hook, with the flags that the guide gives for JDK_JAVA_OPTIONS. */
    HOOK {
        @Override
        List<String> command(List<String> java) {
            return with(
                    java,
                    "--add-opens=java.base/java.lang=ALL-UNNAMED",
                    "-Xbootclasspath/a:" + AGENT_JAR,
                    "-Djava.system.class.loader=dev.evenweave.launch.SystemLoader",
                    "-Xlog:cds=off");
        }
    },
    AGENT {
        @Override
        List<String> command(List<String> java) {
            return with(java, "-javaagent:" + AGENT_JAR);
        }
    };

    private static final Path AGENT_JAR = Path.of("..", "..", "launch", "target", "evenweave-agent.jar")
            .toAbsolutePath()
            .normalize();
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    /** The command that starts a program. {@code java} are the words after "java". */
    abstract List<String> command(List<String> java) throws IOException, InterruptedException;

    private static List<String> with(List<String> java, String... flags) {
        List<String> command = new ArrayList<>();
        command.add(JAVA);
        command.addAll(List.of(flags));
        command.addAll(java);
        return command;
    }
}
