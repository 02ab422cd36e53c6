// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. What happens behind each of the three doors: read the options, take over, and either go on to the program or say
 * in one line what is wrong. The doors themselves are compiled for an old Java and call this class by its name.
 *
 * Exit codes. 2: a bad option. 1: the take-over is impossible and on-failure is stop. A running program that an agent is
 * attached to is never ended.
 */
/** The start of a program on Evenweave. */
final class Program {
    static final int BAD_OPTION = 2;
    static final int IMPOSSIBLE = 1;

    private Program() {}

    /** Behind the launcher's main method. */
    public static void launch(String[] arguments) throws Throwable {
        int first = 0;
        List<String> own = new ArrayList<>();
        while (first < arguments.length && arguments[first].startsWith("--")) {
            own.add(arguments[first++].substring(2));
        }
        Options options = read(own, "--");
        refusePolls(options);
        List<String> rest = Arrays.asList(arguments).subList(first, arguments.length);
        Optional<ProgramStart> start = ProgramStart.parse(rest);
        if (start.isEmpty()) {
            say("nothing to start: name a class, -jar FILE, or -m MODULE[/CLASS]");
            System.exit(BAD_OPTION);
            return;
        }
        takeOver(options);
        start.get().run();
    }

    /** Behind the system class loader. */
    public static void hook() throws Throwable {
        Options options = read(List.of(), "");
        refusePolls(options);
        takeOver(options);
    }

    /** What the system class loader has to say where it is never asked for the main class. */
    public static void refuseModule() {
        say(
                "-Djava.system.class.loader gets no control in a program that is started with java -m: use ./evenweave run, or"
                        + " -javaagent:evenweave-agent.jar");
        System.exit(IMPOSSIBLE);
    }

    static Options read(List<String> arguments, String prefix) {
        try {
            Options options = Options.read(arguments, properties(), System.getenv());
            if (options.wantsHelp()) {
                System.out.println("Options of Evenweave:");
                Option.help(prefix).forEach(System.out::println);
                System.exit(0);
            }
            return options;
        } catch (BadOption e) {
            say(e.getMessage());
            System.exit(BAD_OPTION);
            throw new AssertionError(e); // not reached
        }
    }

    static void takeOver(Options options) {
        KnownFaults.of(Runtime.version()).ifPresent(Program::say);
        try {
            TakeOver.install(options);
        } catch (BadOption e) {
            say(e.getMessage());
            System.exit(BAD_OPTION);
        } catch (Refusal e) {
            if (options.stopsOnFailure()) {
                say(e.getMessage());
                System.exit(IMPOSSIBLE);
            }
            say(e.getMessage() + "; going on with the JDK's own scheduler");
        }
    }

    private static void refusePolls(Options options) {
        if (options.polls().isPresent()) {
            say("polls, from " + options.source(Option.POLLS)
                    + ": only the agent can insert them; start the program with"
                    + " ./evenweave run --polls=..., or with -javaagent:evenweave-agent.jar=polls=...");
            System.exit(BAD_OPTION);
        }
    }

    static Map<String, String> properties() {
        Map<String, String> properties = new TreeMap<>();
        for (String name : System.getProperties().stringPropertyNames()) {
            properties.put(name, System.getProperty(name));
        }
        return properties;
    }

    static void say(@Nullable String line) {
        System.err.println("evenweave: " + line);
    }
}
