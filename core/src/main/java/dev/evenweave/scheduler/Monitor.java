// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.util.concurrent.locks.LockSupport;

/** The thread that applies {@link MonitorRules}: it looks, sleeps, and can be woken from a long sleep. */
final class Monitor {
    /** Shorter sleeps than this are not worth being woken from. */
    private static final long LONG_SLEEP_NANOS = 200_000;

    private final Scheduler scheduler;
    private final Dispatcher dispatcher;
    private final MonitorRules rules;
    private final Thread thread;

    Monitor(Scheduler scheduler, Dispatcher dispatcher, MonitorRules rules) {
        this.scheduler = scheduler;
        this.dispatcher = dispatcher;
        this.rules = rules;
        thread = Thread.ofPlatform()
                .name(scheduler.name() + "-monitor")
                .daemon()
                .inheritInheritableThreadLocals(false)
                .unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** From any thread, also from one that runs with a virtual thread pinned. */
    void wake() {
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!scheduler.isStopped()) {
            try {
                sleep(rules.look(System.nanoTime()));
            } catch (Throwable e) {
                // OutOfMemoryError while making a spare carrier, most likely: the next look tries again.
                scheduler.report(e);
                LockSupport.parkNanos(this, LONG_SLEEP_NANOS);
            }
        }
    }

    private void sleep(long nanos) {
        Thread.interrupted(); // set, it would keep park from parking
        if (nanos == Long.MAX_VALUE) {
            LockSupport.park(this); // look() has told the dispatcher that the monitor wants to be woken
        } else if (nanos > LONG_SLEEP_NANOS) {
            dispatcher.monitorSleeps();
            // A task that was put into a run-next slot just before that alerted nobody.
            boolean overlooked = dispatcher.idleCount() != 0 && dispatcher.isAnyTaskQueued();
            LockSupport.parkNanos(this, overlooked ? LONG_SLEEP_NANOS : nanos);
        } else {
            LockSupport.parkNanos(this, nanos);
            return;
        }
        if (dispatcher.monitorWakes()) {
            rules.alerted();
        }
    }
}
