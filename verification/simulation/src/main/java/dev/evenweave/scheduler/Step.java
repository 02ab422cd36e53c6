// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

/**
 * One step of a simulated thread.
 *
 * @param op what it does
 * @param nanos for how long, or for {@link Op#REPEAT} how often
 * @param poll for {@link Op#COMPUTE}: the time between two checkpoints, 0 for none
 * @param target for {@link Op#WAKE} and {@link Op#SPAWN} the number of a thread in the scenario, for {@link Op#REPEAT} the
 *     step to go back to
 */
record Step(Op op, long nanos, long poll, int target) {
    /** What a thread can do. */
    enum Op {
        /** Uses the processor. */
        COMPUTE,
        /** Makes another thread's next park return, and makes it runnable if it is parked. */
        WAKE,
        /** Waits to be woken. */
        PARK,
        /** Waits for a time; whoever wakes it then is no carrier. */
        SLEEP,
        /** Lets others run. */
        YIELD,
        /** Blocks its carrier in a call that the JDK announces. */
        BLOCK,
        /** Blocks its carrier in native code that nobody knows of. */
        PIN,
        /** Starts a new thread with the steps of {@code target}. */
        SPAWN,
        /** Goes back, so often. */
        REPEAT
    }

    static Step compute(long nanos, long poll) {
        return new Step(Op.COMPUTE, nanos, poll, 0);
    }

    static Step wake(int target) {
        return new Step(Op.WAKE, 0, 0, target);
    }

    static Step park() {
        return new Step(Op.PARK, 0, 0, 0);
    }

    static Step sleep(long nanos) {
        return new Step(Op.SLEEP, nanos, 0, 0);
    }

    static Step yields() {
        return new Step(Op.YIELD, 0, 0, 0);
    }

    static Step block(long nanos) {
        return new Step(Op.BLOCK, nanos, 0, 0);
    }

    static Step pin(long nanos) {
        return new Step(Op.PIN, nanos, 0, 0);
    }

    static Step spawn(int target) {
        return new Step(Op.SPAWN, 0, 0, target);
    }

    static Step repeat(int from, long times) {
        return new Step(Op.REPEAT, times, 0, from);
    }

    @Override
    public String toString() {
        return switch (op) {
            case COMPUTE -> "compute " + nanos + (poll == 0 ? "" : " poll " + poll);
            case WAKE -> "wake " + target;
            case SPAWN -> "spawn " + target;
            case SLEEP, BLOCK, PIN -> op.name().toLowerCase(java.util.Locale.ROOT) + " " + nanos;
            case REPEAT -> "repeat from " + target + " x " + nanos;
            case PARK, YIELD -> op.name().toLowerCase(java.util.Locale.ROOT);
        };
    }
}
