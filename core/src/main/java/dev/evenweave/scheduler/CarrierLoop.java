// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. What a carrier does all day: decide, run, decide again; look on for a while when there is nothing; park.
 *
 * Why not simpler. The loop is apart from the thread (SchedulerCarrier) because that class extends a JDK-internal one, and
 * apart from the rules (Decision, Dispatcher) because those must run without threads and clocks.
 */
/** The main loop of a carrier. */
final class CarrierLoop {
    /** How many looks between two readings of the clock while spinning. */
    private static final int LOOKS_PER_CLOCK = 8;

    private static final long PAUSE_AFTER_FAULT_NANOS = 1_000_000;

    private final Scheduler scheduler;
    private final Dispatcher dispatcher;
    private final Decision decision;
    private final long spinNanos;
    private final long keepAliveNanos;

    CarrierLoop(Scheduler scheduler, Dispatcher dispatcher, Decision decision, Policy policy) {
        this.scheduler = scheduler;
        this.dispatcher = dispatcher;
        this.decision = decision;
        spinNanos = policy.spin().toNanos();
        keepAliveNanos = policy.keepAlive().toNanos();
    }

    /** Runs until the scheduler has stopped, or the carrier is a spare that nobody needs. */
    void run(Worker worker) {
        while (true) {
            try {
                if (!step(worker)) {
                    return;
                }
            } catch (Throwable e) {
                // OutOfMemoryError, most likely. Nothing was taken from a queue at that point, and a carrier that ended
                // would take its processor with it.
                scheduler.report(e);
                pauseAfterFault();
            }
        }
    }

    private void pauseAfterFault() {
        Thread.interrupted(); // set, it would keep park from parking
        LockSupport.parkNanos(this, PAUSE_AFTER_FAULT_NANOS);
    }

    /** Runs one task, or waits for one; false if the carrier has to end. */
    private boolean step(Worker worker) {
        while (worker.hasRescued()) {
            dispatcher.submitGlobal(worker.nextRescued());
            worker.dropRescued();
        }
        if (worker.processor == null) {
            dispatcher.retreat(worker);
            return awaitProcessor(worker);
        }
        Runnable task = find(worker);
        if (task != null) {
            run(worker, task);
            return true;
        }
        return !dispatcher.goIdle(worker) || awaitProcessor(worker);
    }

    private @Nullable Runnable find(Worker worker) {
        Runnable task = decision.next(worker);
        if (task == null) {
            task = spin(worker);
        }
        if (task != null && worker.spinning) {
            dispatcher.stopSpinning(worker);
        }
        return task;
    }

    private @Nullable Runnable spin(Worker worker) {
        if (!dispatcher.tryToSpin(worker)) {
            return null;
        }
        long start = System.nanoTime();
        long now = start;
        do {
            for (int look = 0; look < LOOKS_PER_CLOCK; look++) {
                Runnable task = decision.look(worker, now);
                if (task != null) {
                    return task;
                }
                if (worker.processor == null) {
                    return null;
                }
                Thread.onSpinWait();
            }
            now = System.nanoTime();
        } while (now - start < spinNanos);
        return null;
    }

    private void run(Worker worker, Runnable task) {
        if (VirtualThreads.isTerminated(task)) {
            return; // a second entry of a thread that has ended since: its end has been counted
        }
        worker.switchIn(task);
        try {
            task.run();
        } catch (Throwable e) {
            // A continuation reports what its thread throws by itself. What arrives here was thrown around it: the
            // carrier must survive it.
            scheduler.report(e);
            settle(task);
        }
        worker.switchOut();
        scheduler.afterRun(worker, task);
    }

    /**
     * The JDK sets the timeout of a thread that begins to wait after it has unmounted it. If there is no memory for that, the
     * thread is nowhere: not parked yet, and no more on a carrier. So this is done again until it succeeds.
     */
    private void settle(Runnable task) {
        boolean settled = false;
        while (!settled && VirtualThreads.isUnsettled(task)) {
            pauseAfterFault();
            try {
                VirtualThreads.settle(task);
                settled = true; // from here on it may run elsewhere: its state says nothing to us any more
            } catch (OutOfMemoryError e) {
                // as before
            }
        }
    }

    /** Parks until the carrier has a processor; false if it has to end instead. */
    private boolean awaitProcessor(Worker worker) {
        while (worker.processor == null) {
            if (scheduler.isStopped()) {
                if (dispatcher.retire(worker, true)) {
                    return false;
                }
                continue;
            }
            Thread.interrupted(); // whoever interrupted a carrier meant none of ours; set, it would keep park from
            // parking
            if (dispatcher.workers.length > dispatcher.parallelism()) {
                long start = System.nanoTime();
                LockSupport.parkNanos(this, keepAliveNanos);
                if (worker.processor == null
                        && System.nanoTime() - start >= keepAliveNanos
                        && dispatcher.retire(worker, false)) {
                    return false;
                }
            } else {
                LockSupport.park(this);
            }
        }
        return true;
    }
}
