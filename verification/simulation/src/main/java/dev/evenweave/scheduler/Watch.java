// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

/** Looks on while a simulation runs. */
interface Watch {
    /** Looks at nothing. */
    Watch NONE = new Watch() {};

    /** Before the first event. */
    default void begin(Simulation run) {}

    /** A thread is about to be queued. */
    default void queues(Simulation run, SimulatedThread thread) {}

    /** A decision has returned a thread, which is about to be mounted. */
    default void mounts(Simulation run, SimulatedCarrier carrier, SimulatedThread thread) {}

    /** The monitor has looked. */
    default void looked(Simulation run) {}

    /** One event is over. */
    default void afterEvent(Simulation run) {}

    /** After the last event. */
    default void end(Simulation run) {}
}
