// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.jspecify.annotations.Nullable;

/** A simulated platform thread: what it will do at its next event. */
final class SimulatedCarrier {
    /** What happens at its next event. The second group does not use a core. */
    enum Phase {
        DECIDE(true),
        LOOK(true),
        STEP(true),
        COMPUTED(true),
        POLL(true),
        LEAVE(true),
        PARKED(false),
        WAKING(false),
        BLOCKED(false),
        GONE(false);

        final boolean active;

        Phase(boolean active) {
            this.active = active;
        }
    }

    final int index;
    final Worker worker;
    Phase phase = Phase.PARKED;

    @Nullable
    SimulatedThread thread;

    /** Until when it looks on. */
    long spinUntil;

    /** When the present COMPUTE began, in work time. */
    long computeSince;

    /** What the present event has cost on top of its own cost: carriers that it woke. */
    long extra;

    /** Not started yet: waking it takes longer. */
    boolean unborn;

    SimulatedCarrier(int index, Worker worker) {
        this.index = index;
        this.worker = worker;
    }
}
