// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import dev.evenweave.launch.polls.LoopPolls;
import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. What happens behind the agent's door. Apart from Program, since a JVM that runs a program made of modules need not
 * have the module java.instrument.
 */
/** The start of a program on Evenweave by an agent. */
final class AgentProgram {
    private AgentProgram() {}

    /** Takes over and inserts polls. */
    public static void start(@Nullable String argument, Instrumentation instrumentation, boolean late)
            throws Throwable {
        if (!late || isBeforeMain()) {
            Options options = Program.read(Options.split(argument), "");
            openJavaLang(instrumentation);
            Program.takeOver(options);
            polls(options, instrumentation);
            return;
        }
        // Attached to a running program: what cannot be done is told to whoever attaches, and the program goes on.
        try {
            Options options = Options.read(Options.split(argument), Program.properties(), System.getenv());
            openJavaLang(instrumentation);
            TakeOver.install(options);
            polls(options, instrumentation);
        } catch (BadOption | Refusal e) {
            Program.say(e.getMessage());
            throw new IllegalStateException("evenweave: " + e.getMessage(), e);
        }
    }

    private static void polls(Options options, Instrumentation instrumentation) {
        Optional<String> patterns = options.polls();
        if (patterns.isPresent()) {
            LoopPolls.install(
                    instrumentation, patterns.get(), options.pollsExclude().orElse(""), Program::say);
        }
    }

    /** What the flag --add-opens does, for a command line that has not got it. */
    private static void openJavaLang(Instrumentation instrumentation) {
        Module base = Object.class.getModule();
        Set<Module> ours = Set.of(AgentProgram.class.getModule());
        instrumentation.redefineModule(base, Set.of(), Map.of(), Map.of("java.lang", ours), Set.of(), Map.of());
    }

    /** Whether agentmain was called for the Launcher-Agent-Class of the program's jar: the program has not begun. */
    private static boolean isBeforeMain() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals("sun.launcher.LauncherHelper")));
    }
}
