// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

/**
 * What things cost, in nanoseconds.
 *
 * @param mount a decision and the switch into a thread
 * @param unmount a park, a yield or an end, until the carrier decides again
 * @param wake one thread makes another runnable
 * @param spawn one thread starts another
 * @param look one look at all other carriers' queues, apart from {@code lookPerCarrier}
 * @param lookPerCarrier the part of a look that grows with the number of carriers
 * @param unpark what waking a parked carrier costs the one who wakes it
 * @param wakeLatency from then until the carrier runs
 * @param startLatency until a new carrier runs
 * @param monitorSlack by how much the monitor oversleeps
 * @param timerLatency from a deadline until the thread has been made runnable
 */
record Costs(
        long mount,
        long unmount,
        long wake,
        long spawn,
        long look,
        long lookPerCarrier,
        long unpark,
        long wakeLatency,
        long startLatency,
        long monitorSlack,
        long timerLatency) {

    /** As measured on the machine that the documentation names; see docs/simulation.md. */
    static final Costs MEASURED = new Costs(70, 50, 40, 300, 60, 16, 3_000, 30_000, 100_000, 60_000, 60_000);
}
