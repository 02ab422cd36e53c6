// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.util.concurrent.locks.LockSupport;

/** The thread that applies {@link MonitorRules}: it looks, sleeps, and can be woken from a long sleep. */
final class Monitor {
    /** After a fault: long enough not to fill the log, short against a slice. */
    private static final long FAULT_SLEEP_NANOS = 200_000;

    private final Scheduler scheduler;
    private final MonitorRules rules;
    private final Thread thread;

    Monitor(Scheduler scheduler, MonitorRules rules) {
        this.scheduler = scheduler;
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
                LockSupport.parkNanos(this, FAULT_SLEEP_NANOS);
            }
        }
    }

    private void sleep(long nanos) {
        Thread.interrupted(); // set, it would keep park from parking
        long limit = rules.beforeSleep(nanos);
        if (limit == Long.MAX_VALUE) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, limit);
        }
        rules.afterSleep();
    }
}
