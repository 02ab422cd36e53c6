// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import dev.evenweave.wait.Parker;
import java.util.function.IntConsumer;

/**
 * A parker that does not park: each time the waiting thread would stop, or looks at the clock, it takes the next step of a
 * script, on that thread, and goes on. So every order of events can be played without a second thread.
 */
final class Stepper implements Parker {
    private static final int TOO_MANY = 100;

    private final IntConsumer script;
    private int steps;
    private int parks;
    private long now = 1_000;

    /** @param script is told the number of the step, from 0 */
    Stepper(IntConsumer script) {
        this.script = script;
    }

    int steps() {
        return steps;
    }

    int parks() {
        return parks;
    }

    /** Lets so much time pass. */
    void pass(long nanos) {
        now += nanos;
    }

    private void step() {
        if (steps == TOO_MANY) {
            throw new AssertionError("still waiting after " + TOO_MANY + " steps");
        }
        script.accept(steps++);
    }

    @Override
    public void park(Object blocker) {
        parks++;
        step();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
        parks++;
        step();
    }

    @Override
    public void unpark(Thread thread) {
        // The step returns anyway.
    }

    @Override
    public long nanoTime() {
        step();
        return now;
    }
}
