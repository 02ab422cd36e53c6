// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

/*
 * The promise. A runnable thread starts or resumes within D.
 *
 *   D = (1 + R) * S * K + I
 *
 * S  how long a time slice can last while another thread waits for the same processor:
 *      S = s + 2 m + U
 *    s is the policy's time slice. The monitor may see the slice one sleep m after it began, and finds it used up at the
 *    first look that is s later, hence 2 m. U is how long the running thread takes to give way after that:
 *      U = q                for threads that poll, or switch by themselves, every q
 *      U = m + h + l + w    for those that do neither: seen at the next look, after h (handOverAfter) their processor is
 *                           given to a spare carrier, which wakes within w; the monitor sleeps exactly until then, and l too
 *                           long. Needs a spare: at most maxSpares such threads at a time.
 *    m is the monitor's longest sleep: half a slice (or monitorSlow, if that is less), and l, by which the operating system
 *    wakes it too late.
 * K  how many slices of a processor can go by until it is the thread's turn, with at most N runnable threads and P
 *    processors:
 *      K = i * ceil(N / P) + 3 N + 2
 *    i (globalQueueInterval): one slice in i takes the head of the global queue, whatever else there is, so that in
 *    i * ceil(N / P) slices of each processor N threads are taken. Behind it the thread may get into a ring. There, each
 *    slice takes the ring's head, or honours a request with the global queue's head and puts one more thread into the ring;
 *    of those there are N, so 2 N + N slices and the slices that take from the global queue by count. 2 are under way: when
 *    the thread is queued, and when it gets into the ring.
 * R  how often the thread was put back into the global queue: because a full ring spilled, or because the processor of the
 *    carrier that had it queued was handed over. Each time the count starts anew.
 * I  until an idle processor has noticed: m + P w, since carriers wake each other one after the other.
 *
 * Where cores are fewer than platform threads that run (hogs that lost their processor go on running), everything takes
 * longer by that share: D times (P + hogs) / cores.
 */
/** The bound on waiting, as a formula. */
final class Promise {
    private final Scenario scenario;
    private final long late;
    private final long monitor;
    private final long wake;

    Promise(Scenario scenario) {
        this.scenario = scenario;
        Costs costs = scenario.costs();
        Policy policy = scenario.policy();
        late = late(costs.monitorSlack());
        long sleep = Math.min(policy.monitorSlow().toNanos(), policy.timeSlice().toNanos() / 2);
        monitor = Math.max(policy.monitorFast().toNanos(), sleep) + late;
        wake = late(Math.max(costs.wakeLatency(), costs.startLatency()));
    }

    private long late(long cost) {
        return cost + cost * scenario.jitter() / 100;
    }

    /** m: the monitor's longest sleep. */
    long monitor() {
        return monitor;
    }

    /** I: how long work and an idle processor can be side by side. */
    long idle() {
        return monitor
                + (scenario.parallelism() + 1) * (wake + overhead())
                + scenario.policy().spin().toNanos();
    }

    /** S, with U for threads of which not all poll. */
    long slice() {
        Policy policy = scenario.policy();
        return policy.timeSlice().toNanos()
                + 2 * monitor
                + monitor
                + policy.handOverAfter().toNanos()
                + late
                + wake
                + overhead();
    }

    /** K. */
    long slices(long runnable) {
        long interval = scenario.policy().globalQueueInterval();
        long turns = (runnable + scenario.parallelism() - 1) / scenario.parallelism();
        return interval * turns + 3 * runnable + 2;
    }

    /** D. */
    long bound(long runnable, long putBack) {
        return (1 + putBack) * slice() * slices(runnable) + idle();
    }

    /** Switches, looks and wake-ups by the way: small against everything else. */
    private long overhead() {
        Costs costs = scenario.costs();
        return 20 * (costs.mount() + costs.unmount() + costs.unpark() + costs.look())
                + 2 * costs.lookPerCarrier() * scenario.parallelism();
    }
}
