// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

/** What the monitor sets when a time slice is used up. */
public enum Preemption {
    /** The running thread's mark, which a {@link Scheduler#checkpoint() checkpoint} sees, and the processor's flag. */
    ON,

    /**
     * Only the running thread's mark: a request that no checkpoint meets in time has no effect at all, and {@link Honour}
     * none either. The counterpart of Go's {@code asyncpreemptoff=1}, for experiments.
     */
    THREAD_ONLY
}
