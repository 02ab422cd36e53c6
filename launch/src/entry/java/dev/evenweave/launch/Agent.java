// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import java.lang.instrument.Instrumentation;

/**
 * The Java agent: {@code -javaagent:evenweave-agent.jar=option=value,option=value}, or {@code Launcher-Agent-Class} in the
 * manifest of the program's own jar. {@code =help} lists the options.
 */
public final class Agent {
    private Agent() {}

    /**
     * Called by the JVM before the program's main class.
     *
     * @param argument the options, or null
     * @param instrumentation the JVM's services for agents
     * @throws Throwable if something fails that is no plain refusal
     */
    public static void premain(String argument, Instrumentation instrumentation) throws Throwable {
        start(argument, instrumentation, false);
    }

    /**
     * Called by the JVM for {@code Launcher-Agent-Class}, and when attached to a running program.
     *
     * @param argument the options, or null
     * @param instrumentation the JVM's services for agents
     * @throws Throwable if the agent cannot be of use any more; a running program is left as it is
     */
    public static void agentmain(String argument, Instrumentation instrumentation) throws Throwable {
        start(argument, instrumentation, true);
    }

    private static void start(String argument, Instrumentation instrumentation, boolean late) throws Throwable {
        if (!Entry.isNewEnough()) {
            if (!late && !Entry.isToContinue(argument)) {
                System.exit(1);
            }
            return;
        }
        Entry.call(
                "AgentProgram",
                "start",
                new Class<?>[] {String.class, Instrumentation.class, boolean.class},
                argument,
                instrumentation,
                late);
    }
}
