// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. What the monitor does at each look, and how long it then sleeps. Plain data and a time in, actions on the
 * dispatcher out: no thread, no clock.
 *
 * What it looks after.
 *   1. A slice that is used up: the running thread gets a mark, the processor a flag.
 *   2. A thread that runs without a switch for a slice and a half, or that blocks its carrier, while others wait and no
 *      processor is idle: the processor goes to a spare carrier. That a thread blocks its carrier is known from the JDK, for
 *      some calls, or from the operating system, which is asked rarely: a hog costs as many questions as its time has
 *      doublings.
 *   3. Work that waits while a processor is idle: a run-next that its owner does not come to, and, as a backstop, anything.
 *   4. Spare carriers: one is made when none is parked and the limit allows.
 *
 * Why two counters. A slice ends by the slice count: a pair that wakes each other inherits its slice, and must be asked. A
 * hand-over goes by the switch count: that same pair switches all the time, and taking its processor away would help nobody.
 *
 * Invariants.
 * I1. A processor is asked at most once per slice length.
 * I2. A processor is handed over only if the same task has been running, as far as two looks can tell, another waits
 *     anywhere, and no processor is idle. What waits in the queue of a carrier that has lost its processor counts, too: its
 *     owner may be blocked for ever.
 * I3. A task is probed at most once per doubling of its time, and once more after a probe that found it blocked.
 *
 * Source: Go's sysmon and retake, with its periods; the hand-over of a running thread's processor is ours.
 */
/** The rules of the monitor. */
final class MonitorRules {
    /** Shorter sleeps than this are not worth being woken from. */
    private static final long LONG_SLEEP_NANOS = 200_000;

    /** Looks without a find before the sleeps grow. */
    private static final int QUIET_LOOKS = 50;

    private final Dispatcher dispatcher;
    private final long sliceNanos;
    private final long handOverNanos;
    private final long fastNanos;
    private final long slowNanos;
    private final long runNextAgeNanos;
    private final long stallNanos;
    private final boolean handOver;
    private final int maxCarriers;
    private final Consumer<String> warnings;

    final Counter handOvers = new Counter();

    /** Hand-overs that were due and could not be, for want of a spare carrier. */
    final Counter refused = new Counter();

    final Counter looks = new Counter();

    final QueueAge globalAge = new QueueAge();

    private int quietLooks;
    private long delay;

    /** The present sleep is one that others may end. */
    private boolean sleepsLong;

    private boolean warned;

    MonitorRules(Dispatcher dispatcher, Policy policy, Consumer<String> warnings) {
        this.dispatcher = dispatcher;
        this.warnings = warnings;
        sliceNanos = policy.timeSlice().toNanos();
        handOverNanos = policy.handOverAfter().toNanos();
        fastNanos = policy.monitorFast().toNanos();
        slowNanos = policy.monitorSlow().toNanos();
        runNextAgeNanos = policy.runNextAge().toNanos();
        stallNanos = policy.stallAfter().toNanos();
        handOver = policy.handOver();
        maxCarriers = Math.max(policy.maxCarriers(), dispatcher.parallelism());
        delay = fastNanos;
    }

    /**
     * Makes the last arrangements for a sleep.
     *
     * @param nanos what {@link #look} returned
     * @return how long to sleep at most; {@link Long#MAX_VALUE} for until woken
     */
    long beforeSleep(long nanos) {
        sleepsLong = nanos > LONG_SLEEP_NANOS;
        if (!sleepsLong || nanos == Long.MAX_VALUE) {
            return nanos; // in the second case look() has told the dispatcher already
        }
        dispatcher.monitorSleeps();
        // A task that was put into a run-next slot just before that alerted nobody.
        boolean overlooked = dispatcher.idleCount() != 0 && dispatcher.isAnyTaskQueued();
        return overlooked ? LONG_SLEEP_NANOS : nanos;
    }

    /** The sleep is over, by time or because someone ended it. */
    void afterSleep() {
        if (sleepsLong && dispatcher.monitorWakes()) {
            alerted();
        }
    }

    /** Starts again with short sleeps: someone wants to be looked after. */
    private void alerted() {
        quietLooks = 0;
        delay = fastNanos;
    }

    /**
     * Looks at everything once.
     *
     * @param now the time, in nanoseconds of any origin
     * @return how long to sleep, in nanoseconds; {@link Long#MAX_VALUE} for until there is something to look after
     */
    long look(long now) {
        looks.increment();
        boolean found = dispatcher.relieveDemoted();
        noteAges(now);
        boolean idle = dispatcher.idleCount() != 0;
        boolean waits = dispatcher.isWorkVisible();
        long soonest = Math.max(sliceNanos / 2, fastNanos);
        for (Processor processor : dispatcher.processors) {
            Worker worker = processor.worker;
            if (worker == null) {
                processor.seenWorker = null;
                continue;
            }
            // A carrier between two tasks is looked at like any other: a pair is there a good part of its time, and its
            // slice must not seem new each time.
            boolean moved = observe(processor, worker, now);
            if (now - processor.sliceSince >= sliceNanos) {
                processor.sliceSince = now;
                request(worker);
            }
            long ran = now - processor.runningSince;
            if (!moved && worker.current() == null && ran >= stallNanos) {
                // Given a processor and never heard of since: its wake-up was lost, for want of stack. One too many is
                // free.
                dispatcher.host.wake(worker);
                continue;
            }
            if (moved || !(waits || !worker.queue.isEmpty())) {
                continue;
            }
            if (idle) {
                found |= ran
                        >= runNextAgeNanos; // wakeOne() below, and no hand-over: there is a carrier to take the work
                continue;
            }
            if (!handOver) {
                continue;
            }
            boolean due = ran >= handOverNanos || processor.seenBlocking && ran > 0;
            if (due || isStalled(processor, worker, now, ran)) {
                found |= handOver(processor, worker);
            } else {
                soonest = Math.min(soonest, untilNextCheck(processor, now, ran));
            }
        }
        if (dispatcher.idleCount() != 0 && dispatcher.spinningCount() == 0) {
            if (dispatcher.areAllIdle()) {
                dispatcher.monitorSleeps();
                if (dispatcher.areAllIdle() && !dispatcher.isAnyTaskQueued()) {
                    return Long.MAX_VALUE;
                }
                dispatcher.monitorWakes();
            }
            if (found || dispatcher.isWorkVisible()) {
                dispatcher.wakeOne();
            }
        }
        return nextDelay(found, soonest);
    }

    /**
     * Whether the carrier's thread is blocked in the eyes of the operating system, at two probes in a row. Asked rarely, since
     * asking costs: first when the task has run for some time, then each time when it has run for twice as long.
     */
    private boolean isStalled(Processor processor, Worker worker, long now, long ran) {
        if (now < processor.probeAt) {
            return false;
        }
        boolean stalled = dispatcher.host.isStalled(worker);
        boolean again = stalled && processor.seenStalled;
        processor.seenStalled = stalled;
        processor.probeAt = now + (stalled ? stallNanos / 2 : Math.max(stallNanos, ran));
        return again;
    }

    private long untilNextCheck(Processor processor, long now, long ran) {
        return Math.max(1, Math.min(processor.probeAt - now, handOverNanos - ran));
    }

    /** Notes what has changed since the last look; false if the very same task is still running. */
    private boolean observe(Processor processor, Worker worker, long now) {
        long slices = worker.slices();
        long switches = worker.switches();
        boolean blocking = worker.isBlocking();
        boolean same = processor.seenWorker == worker;
        if (!same || processor.seenSlices != slices) {
            processor.seenSlices = slices;
            processor.sliceSince = now;
        }
        boolean moved = !same || processor.seenSwitches != switches;
        if (moved) {
            processor.seenSwitches = switches;
            processor.runningSince = now;
            processor.probeAt = now + stallNanos;
            processor.seenStalled = false;
        }
        // Blocking at two looks during one task: taken for one call that lasts.
        processor.seenBlocking = !moved && blocking && worker.isBlocking();
        processor.seenWorker = worker;
        return moved;
    }

    /** Since when something waits in each queue, by what has been taken from it between two looks. */
    private void noteAges(long now) {
        GlobalQueue global = dispatcher.global;
        globalAge.note(!global.isEmpty(), global.takenCount(), now);
        for (Worker worker : dispatcher.workers) {
            RunQueue queue = worker.queue;
            // A lone run-next waits no longer than its owner's present task; behind it, the ring may wait for ever.
            long progress = queue.isRingEmpty() ? worker.switches() : queue.takenCount();
            worker.age.note(!queue.isEmpty(), progress, now);
        }
    }

    private void request(Worker worker) {
        worker.mark();
        if (dispatcher.preemption == Preemption.ON) {
            worker.ask();
        }
    }

    private boolean handOver(Processor processor, Worker worker) {
        Dispatcher.HandOver outcome = dispatcher.handOver(processor, worker, processor.seenSwitches);
        if (outcome == Dispatcher.HandOver.NO_SPARE) {
            if (dispatcher.workers.length < maxCarriers && newSpare() != null) {
                outcome = dispatcher.handOver(processor, worker, processor.seenSwitches);
            }
        }
        if (outcome == Dispatcher.HandOver.DONE) {
            handOvers.increment();
            return true;
        }
        if (outcome == Dispatcher.HandOver.NO_SPARE) {
            refused.increment();
            if (!warned) {
                warned = true;
                warnings.accept("all " + dispatcher.workers.length + " carriers are in use (limit " + maxCarriers
                        + "): threads wait behind others that run without a pause or are blocked in native code; raise"
                        + " maxCarriers, or let those threads poll");
            }
        }
        return false;
    }

    private @Nullable Worker newSpare() {
        return dispatcher.host.newSpare();
    }

    /**
     * Sleeps grow while there is nothing to do, up to half a slice or the next check that is due: then a hog loses its
     * processor between one and a half and two slices after it got it.
     */
    private long nextDelay(boolean found, long soonest) {
        if (found) {
            alerted();
            return delay;
        }
        if (++quietLooks > QUIET_LOOKS) {
            delay = Math.min(2 * delay, slowNanos);
        }
        return Math.max(fastNanos, Math.min(delay, soonest));
    }
}
