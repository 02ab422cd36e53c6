// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * What the scheduler's rules need from the world: threads to wake and to start. Real carriers are one implementation, a
 * simulator with virtual time is another; the rules themselves hold no thread and read no clock.
 */
interface Host {
    /** Lets a carrier look at its processor again: it has just been given one. Called without the lock. */
    void wake(Worker worker);

    /** Ends the monitor's sleep. */
    void wakeMonitor();

    /**
     * Makes one more carrier and adds it to the dispatcher by {@link Dispatcher#addParked}, ready to be woken. Called by the
     * monitor, without the lock.
     *
     * @return the carrier, or null if the machine gives none
     */
    @Nullable
    Worker newSpare();

    /**
     * Tells whether the carrier's thread is blocked, and not merely waiting for a processor of the machine: in a system call, a
     * page fault, or a wait with its virtual thread pinned. By the monitor; may cost some microseconds.
     *
     * @return true if it is, at this moment; false if it is not, or, as here, cannot be known
     */
    default boolean isStalled(Worker worker) {
        return false;
    }
}
