// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.jspecify.annotations.Nullable;

/** A simulated virtual thread, in the place of its continuation: what the product's queues hold. */
final class SimulatedThread implements Runnable {
    /** As in the JDK: PARKING and YIELDING until the carrier has let go of it. */
    enum State {
        NEW,
        QUEUED,
        RUNNING,
        PARKING,
        YIELDING,
        PARKED,
        SLEEPING,
        ENDED
    }

    final int id;
    final Step[] steps;

    /** How often each REPEAT has been taken; made when the first one is met. */
    long @Nullable [] repeats;

    State state = State.NEW;
    int at;
    boolean permit;

    /** Of the present COMPUTE: what is still to do, or 0 when it has not begun. */
    long left;

    /** Sleeping rather than waiting to be woken. */
    boolean asleep;

    /** Since when it is queued. */
    long queuedAt;

    /** When it was queued: how often anything had been put back into the global queue, and the slices. See Invariants. */
    long putBackThen;

    long slicesThen;
    long mountedAt;
    long cpu;

    SimulatedThread(int id, Step[] steps) {
        this.id = id;
        this.steps = steps;
    }

    @Override
    public void run() {
        throw new AssertionError("the simulator takes the steps itself");
    }

    @Override
    public String toString() {
        return "thread " + id + " " + state + " at step " + at;
    }
}
