// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.time.Duration;
import java.util.List;

/**
 * What a scheduler has counted, at about one moment: the figures are read one after the other while threads run on.
 *
 * @param name the scheduler's name
 * @param parallelism how many processors it has
 * @param idleProcessors how many of them no carrier holds
 * @param spinningCarriers how many carriers are looking for work elsewhere
 * @param started threads started since the scheduler was built
 * @param living threads started and not yet ended, parked and sleeping ones included
 * @param globalQueue runnable threads in the global queue
 * @param timers sleeping and timed-waiting threads whose time is not up
 * @param oldestRunnable how long a runnable thread has been waiting at least, as far as the monitor's looks can tell; zero
 *     when none waits
 * @param handOversRefused times the monitor would have handed a processor over and no spare carrier was to be had
 * @param faults exceptions that reached a carrier or the timer thread, past the thread that they belong to
 * @param total the sum over all carriers, ended ones included, with the id -1
 * @param carriers each carrier there is now
 */
public record SchedulerStats(
        String name,
        int parallelism,
        int idleProcessors,
        int spinningCarriers,
        long started,
        long living,
        int globalQueue,
        int timers,
        Duration oldestRunnable,
        long handOversRefused,
        long faults,
        CarrierStats total,
        List<CarrierStats> carriers) {

    /** Copies the list. */
    public SchedulerStats {
        carriers = List.copyOf(carriers);
    }

    /**
     * Returns how many runnable threads wait in all queues.
     *
     * @return the number
     */
    public int queued() {
        return globalQueue + carriers.stream().mapToInt(CarrierStats::queued).sum();
    }
}
