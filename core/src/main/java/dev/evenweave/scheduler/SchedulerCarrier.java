// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import dev.evenweave.carrier.Carrier;
import java.util.concurrent.ForkJoinPool;

/** The platform thread of one {@link Worker}. */
final class SchedulerCarrier extends Carrier {
    final Scheduler scheduler;
    final Worker worker;
    private final CarrierLoop loop;

    private SchedulerCarrier(Scheduler scheduler, ForkJoinPool facade, Worker worker, CarrierLoop loop) {
        super(facade, scheduler.name() + "-carrier-" + worker.id);
        this.scheduler = scheduler;
        this.worker = worker;
        this.loop = loop;
    }

    /** Makes a carrier, not started, and returns what the scheduler knows of it. */
    static Worker create(Scheduler scheduler, ForkJoinPool facade, int id, CarrierLoop loop) {
        Worker worker =
                new Worker(id, Dispatcher.RING_CAPACITY, scheduler.policy().globalQueueInterval());
        worker.thread = new SchedulerCarrier(scheduler, facade, worker, loop);
        return worker;
    }

    @Override
    public void run() {
        worker.osThread = OsThread.current();
        loop.run(worker);
    }

    /**
     * A virtual thread is about to block this carrier, and the JDK says so. Most such calls are short (a line to standard
     * output), so the processor stays; the monitor takes it if the call lasts and others wait.
     */
    @Override
    public boolean beginBlocking() {
        if (worker.isBlocking()) {
            return false;
        }
        worker.setBlocking(true);
        scheduler.dispatcher().alertMonitor();
        return true;
    }

    @Override
    public void endBlocking() {
        if (worker.isBlocking()) {
            worker.setBlocking(false);
        }
    }
}
