// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.stepping;

import dev.evenweave.wait.Parker;

/**
 * Where the stepped code stops between any two of its accesses to memory, and what happens there.
 *
 * <p>The action of the other thread runs on the stepped thread itself, between two of its steps: exactly what an
 * interleaving in which the other thread runs there without a pause would do. While the stepped thread holds a lock the
 * other one would wait, so the action is put off until it does not.
 */
public final class Steps implements Parker {
    /** Never. */
    public static final int NEVER = Integer.MAX_VALUE;

    private static Steps current;

    private Scenario scenario;
    private final Thread thread = Thread.currentThread();
    private final int interruptAt;
    private final int actAt;
    private final int lateAt;
    private int count;
    private boolean interrupted;
    private boolean acted;
    private boolean acting;
    private boolean token;

    Steps(int interruptAt, int actAt, int lateAt) {
        this.interruptAt = interruptAt;
        this.actAt = actAt;
        this.lateAt = lateAt;
    }

    /** Called by the stepped code before each access. */
    public static void step() {
        Steps steps = current;
        if (steps != null && steps.thread == Thread.currentThread() && !steps.acting) {
            steps.next();
        }
    }

    /** Runs the scenario's call and its check; returns the number of steps. */
    int run(Scenario stepped) {
        Throwable thrown = null;
        scenario = stepped;
        current = this;
        try {
            scenario.call();
        } catch (Throwable t) {
            thrown = t;
        } finally {
            current = null;
        }
        if (thrown instanceof LostWakeUp lost) {
            throw lost;
        }
        if (!acted && !scenario.isBusy()) {
            act();
        }
        scenario.check(thrown, interrupted);
        return count;
    }

    private void next() {
        count++;
        if (count == interruptAt) {
            interrupted = true;
            thread.interrupt();
        }
        if (!acted) {
            acting = true;
            boolean busy = scenario.isBusy();
            acting = false;
            if (count >= actAt && !busy) {
                act();
            }
        }
    }

    private void act() {
        acted = true;
        acting = true;
        try {
            scenario.act();
        } finally {
            acting = false;
        }
    }

    /** Nobody would ever have woken the thread. */
    static final class LostWakeUp extends AssertionError {
        private static final long serialVersionUID = 1L;

        LostWakeUp() {
            super("the thread parks and nobody is left to wake it: a wake-up was lost");
        }
    }

    // The parker of the stepped thread.

    @Override
    public void park(Object blocker) {
        next();
        if (!token && !thread.isInterrupted() && !acted) {
            act();
        }
        if (!token && !thread.isInterrupted()) {
            // What happens at a later step than this one happens now, since there will be none.
            if (interruptAt != NEVER && !interrupted) {
                interrupted = true;
                thread.interrupt();
            } else if (lateAt == NEVER) {
                throw new LostWakeUp();
            }
        }
        token = false;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
        next();
        if (!token && !thread.isInterrupted() && count < lateAt && !acted) {
            act();
        }
        if (!token && !thread.isInterrupted() && count < lateAt) {
            // Nothing else will end the wait: the time passes.
            count = Math.max(count, lateAt);
        }
        token = false;
    }

    @Override
    public void unpark(Thread unparked) {
        if (unparked == thread) {
            token = true;
        }
    }

    @Override
    public long nanoTime() {
        return count >= lateAt ? Long.MAX_VALUE >> 2 : 0;
    }
}
