// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

/**
 * What becomes of a preemption request when the thread that it was aimed at parks before it meets a poll.
 *
 * <p>Two threads that wake each other run out of the run-next slot and share one time slice without end. The request that
 * the monitor makes once the slice is used up is lost each time the asked thread parks first. This setting says whether the
 * request then still counts for whoever would inherit the slice. Source: a public write-up on the same starvation in Go's
 * {@code schedule()}, of which {@link #LOCAL_ONLY} was the first, ineffective version.
 */
public enum Honour {
    /** The request is forgotten, as in Go. A pair may starve others for as long as it lasts. */
    OFF,

    /** The slice ends: the head of the global queue, else of the carrier's own, runs before the one in run-next. */
    ON,

    /**
     * As {@link #ON}, but looking at the carrier's own queue only. It changes next to nothing, since a preempted thread waits
     * in the global queue; it is here as the negative control of an experiment.
     */
    LOCAL_ONLY
}
