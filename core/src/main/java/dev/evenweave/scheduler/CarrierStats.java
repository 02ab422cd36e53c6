// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

/**
 * What one carrier has counted since it started.
 *
 * @param id the carrier's number
 * @param holdsProcessor whether it has the right to run: false for a parked one, and for one whose processor was handed over
 * @param running whether a thread is mounted
 * @param queued runnable threads in its queue, run-next included
 * @param started threads started by threads that ran here
 * @param ended threads that ended here
 * @param switches threads switched in
 * @param slices time slices begun; the other switches went on with the slice before
 * @param steals successful looks into other carriers' queues
 * @param requests preemption requests made by the monitor: {@code requests == caught + lost}, plus one while one is open
 * @param caught requests that ended in a yield of the thread that was asked, at a checkpoint or by itself
 * @param lost requests whose thread parked or ended before it met a checkpoint
 * @param honoured slices ended early since a request was lost while others waited: see {@link Honour}
 * @param handOvers how often its processor was given to another carrier
 */
public record CarrierStats(
        int id,
        boolean holdsProcessor,
        boolean running,
        int queued,
        long started,
        long ended,
        long switches,
        long slices,
        long steals,
        long requests,
        long caught,
        long lost,
        long honoured,
        long handOvers) {

    static final CarrierStats NONE = new CarrierStats(-1, false, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    static CarrierStats of(Worker worker) {
        return new CarrierStats(
                worker.id,
                worker.processor != null,
                worker.current() != null,
                worker.queue.size() + (worker.queue.peekRunNext() == null ? 0 : 1),
                worker.started.get(),
                worker.ended.get(),
                worker.switches(),
                worker.slices(),
                worker.steals.get(),
                worker.requests.get(),
                worker.caught.get(),
                worker.lost.get(),
                worker.honoured.get(),
                worker.handOvers.get());
    }

    /** The sum of both, under the id -1. */
    CarrierStats plus(CarrierStats other) {
        return new CarrierStats(
                -1,
                false,
                false,
                queued + other.queued,
                started + other.started,
                ended + other.ended,
                switches + other.switches,
                slices + other.slices,
                steals + other.steals,
                requests + other.requests,
                caught + other.caught,
                lost + other.lost,
                honoured + other.honoured,
                handOvers + other.handOvers);
    }
}
