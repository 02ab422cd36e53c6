// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.jspecify.annotations.Nullable;

/*
 * Purpose. The right to run: there are as many as the scheduler's parallelism. Queues belong to carriers, not to
 * processors, so that a processor can change hands without making a second producer for a queue.
 *
 * Who may touch what. worker: written under the scheduler's lock, read by anyone. The other fields: the monitor only.
 */
/** A right to run virtual threads, held by one carrier at a time or by none. */
final class Processor {
    final int index;

    /** The carrier that holds it; null while idle. */
    volatile @Nullable Worker worker;

    // What the monitor saw at its last look.
    @Nullable
    Worker seenWorker;

    long seenSlices;
    long seenSwitches;
    boolean seenBlocking;

    /** When the operating system is asked next whether the carrier is blocked, and what it said last. */
    long probeAt;

    boolean seenStalled;

    /** Since when, as far as the monitor can tell, the slice runs (a request starts it anew). */
    long sliceSince;

    /** Since when, as far as the monitor can tell, the same thread runs without a switch. */
    long runningSince;

    Processor(int index) {
        this.index = index;
    }

    @Override
    public String toString() {
        return "processor " + index;
    }
}
