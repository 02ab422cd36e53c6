// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. Turns "evenweave run [options] -- what one would write after java" into the java command that does it. A shell
 * script then becomes that command (exec), so that the program has the script's process to itself: signals, standard streams
 * and the exit code are its own. Run as a program, this prints a line for the shell to evaluate.
 *
 * Two ways. A launcher's main class beside the program's class path; and, where loops get checkpoints, the agent, since only
 * an agent may change classes. The first way is the default, since any agent makes each switch of a virtual thread slower.
 */
/** The java command of one run. */
public final class Plan {
    private static final String USAGE = "Usage: evenweave run [--option=value ...] -- JAVA-ARGUMENTS";

    private Plan() {}

    /**
     * Prints a line of shell that runs the program, or that prints help; a mistake is told on the error stream.
     *
     * @param words what was written after "run"
     */
    public static void main(String[] words) {
        try {
            Optional<List<String>> command = command(
                    List.of(words),
                    Program.properties(),
                    System.getenv(),
                    home(),
                    System.getenv("EVENWEAVE_JDK_JAVA_OPTIONS"));
            System.out.println(
                    command.isPresent() ? "exec " + quoted(command.get()) : "printf '%s\\n' " + quoted(help()));
        } catch (BadOption e) {
            Program.say(e.getMessage());
            System.exit(Program.BAD_OPTION);
        }
    }

    /**
     * Returns the java command, or nothing if help was asked for.
     *
     * @param words what was written after "run"
     * @param properties of this JVM, for {@code java.home}
     * @param environment the environment
     * @param agent the jar with all of this
     * @param jdkOptions the value of JDK_JAVA_OPTIONS, which may hold a class path
     */
    static Optional<List<String>> command(
            List<String> words,
            Map<String, String> properties,
            Map<String, String> environment,
            Path agent,
            @Nullable String jdkOptions)
            throws BadOption {
        List<String> own = new ArrayList<>();
        int next = 0;
        while (next < words.size()
                && words.get(next).startsWith("--")
                && !words.get(next).equals("--")) {
            String word = words.get(next++).substring(2);
            Option option = Option.of(word).orElse(null);
            boolean valueFollows = option != null && !option.takes.isEmpty() && next < words.size();
            own.add(valueFollows ? word + "=" + words.get(next++) : word);
        }
        if (own.contains("help") || words.equals(List.of("-h"))) {
            return Optional.empty();
        }
        if (next < words.size() && words.get(next).equals("--")) {
            next++;
        }
        JavaLine line = JavaLine.parse(words.subList(next, words.size()));
        Options options = Options.read(own, given(line.options()), withoutOurs(environment));
        List<String> command = new ArrayList<>();
        command.add(properties.getOrDefault("java.home", "") + File.separator + "bin" + File.separator + "java");
        if (line.start().isEmpty()) {
            if (line.options().isEmpty()) {
                throw new BadOption("nothing to run; " + USAGE);
            }
            command.addAll(line.options()); // -version and the like
            return Optional.of(command);
        }
        if (options.polls().isPresent()) {
            command.add("-javaagent:" + agent + (own.isEmpty() ? "" : "=" + String.join(",", own)));
            command.addAll(words.subList(next, words.size()));
            return Optional.of(command);
        }
        command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
        command.addAll(line.options());
        addProgram(command, line, line.start().get(), own, agent, environment, jdkOptions);
        return Optional.of(command);
    }

    private static void addProgram(
            List<String> command,
            JavaLine line,
            ProgramStart start,
            List<String> own,
            Path agent,
            Map<String, String> environment,
            @Nullable String jdkOptions)
            throws BadOption {
        String classPath = switch (start.mode()) {
            case JAR -> start.what();
            case CLASS, SOURCE -> classPath(line, environment, jdkOptions).orElse(".");
            case MODULE -> classPath(line, environment, jdkOptions).orElse("");
        };
        command.add("-cp");
        command.add(classPath.isEmpty() ? agent.toString() : classPath + File.pathSeparator + agent);
        if (start.mode() == ProgramStart.Mode.MODULE) {
            // What the java command tells the JVM for -m: the modules that are resolved follow from it.
            command.add("-Djdk.module.main=" + start.what().replaceFirst("/.*", ""));
        } else if (start.mode() == ProgramStart.Mode.SOURCE) {
            command.add("--add-modules=ALL-DEFAULT");
        }
        command.add("dev.evenweave.launch.Launch");
        own.forEach(option -> command.add("--" + option));
        switch (start.mode()) {
            case JAR -> command.addAll(List.of("-jar", start.what()));
            case MODULE -> command.addAll(List.of("-m", start.what()));
            case SOURCE -> command.addAll(List.of("-source", start.what()));
            case CLASS -> command.add(start.what());
        }
        command.addAll(start.arguments());
    }

    private static Optional<String> classPath(
            JavaLine line, Map<String, String> environment, @Nullable String jdkOptions) throws BadOption {
        if (line.classPath().isPresent()) {
            return line.classPath();
        }
        if (jdkOptions != null) {
            Optional<String> path =
                    JavaLine.parse(ArgumentFile.words(jdkOptions)).classPath();
            if (path.isPresent()) {
                return path;
            }
        }
        return Optional.ofNullable(environment.get("CLASSPATH"));
    }

    /** The -Devenweave.* of the program's command line. */
    private static Map<String, String> given(List<String> javaOptions) {
        Map<String, String> given = new TreeMap<>();
        for (String option : javaOptions) {
            if (option.startsWith("-D")) {
                int equals = option.indexOf('=');
                given.put(
                        option.substring(2, equals < 0 ? option.length() : equals),
                        equals < 0 ? "" : option.substring(equals + 1));
            }
        }
        return given;
    }

    private static Map<String, String> withoutOurs(Map<String, String> environment) {
        Map<String, String> rest = new TreeMap<>(environment);
        rest.remove("EVENWEAVE_JDK_JAVA_OPTIONS");
        return rest;
    }

    static List<String> help() {
        List<String> lines = new ArrayList<>();
        lines.add(USAGE);
        lines.add("Starts a Java program, unchanged, with all its virtual threads on Evenweave.");
        lines.add(
                "JAVA-ARGUMENTS are what one would write after java: -jar app.jar arguments, -cp ... Main, -m module/Main;"
                        + " options of the JVM pass through.");
        lines.add("");
        lines.addAll(Option.help("--"));
        return lines;
    }

    /** Words for a POSIX shell. */
    static String quoted(List<String> words) {
        StringBuilder line = new StringBuilder();
        for (String word : words) {
            line.append(line.isEmpty() ? "'" : " '")
                    .append(word.replace("'", "'\\''"))
                    .append('\'');
        }
        return line.toString();
    }

    /** The jar that this class came from. */
    private static Path home() {
        try {
            return Path.of(Plan.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
