// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.stepping;

import dev.evenweave.wait.Parker;

/** Runs a scenario for every pair of steps at which the one and the other thing can happen. */
public final class Sweep {
    private static Parker parker;

    /** What happens at the first of the two steps. */
    enum First {
        NOTHING,
        INTERRUPT,
        TIME_OVER
    }

    private Sweep() {}

    /** The parker of the run whose scenario is being made. */
    public static Parker parker() {
        return parker;
    }

    /** Runs all interleavings and returns how many there were. */
    static int run(SteppedClasses classes, String scenario, First first) throws ReflectiveOperationException {
        int runs = 1;
        // How long the call is when nothing disturbs it and the other acts as late as it can.
        int length = one(classes, scenario, First.NOTHING, 0, Steps.NEVER) + 1;
        int limit = first == First.NOTHING ? 1 : 2 * length;
        for (int at = 1; at <= limit; at++) {
            for (int actAt = 1; actAt <= 2 * length; actAt++) {
                one(classes, scenario, first, at, actAt);
                runs++;
            }
        }
        return runs;
    }

    private static int one(SteppedClasses classes, String name, First first, int at, int actAt)
            throws ReflectiveOperationException {
        Steps steps = new Steps(
                first == First.INTERRUPT ? at : Steps.NEVER, actAt, first == First.TIME_OVER ? at : Steps.NEVER);
        parker = steps;
        try {
            return steps.run(classes.scenario(name));
        } catch (AssertionError e) {
            throw new AssertionError(name + ", " + first + " at step " + at + ", the other at step " + actAt, e);
        } finally {
            // What the check left of the flag must not reach the next run.
            boolean flag = Thread.interrupted();
            assert flag || !Thread.currentThread().isInterrupted();
        }
    }
}
