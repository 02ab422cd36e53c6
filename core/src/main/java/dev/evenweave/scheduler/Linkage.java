// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import dev.evenweave.carrier.CurrentCarrier;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. Walks once through all that a submission may do, on a stack with room. The JVM links a call through a VarHandle
 * or MethodHandle when it is first made, and runs Java code of many frames for that. A virtual thread that has nearly used
 * up its stack may be the first to spill a ring or to wake a carrier: if the linking overflowed there, tasks half moved
 * would be lost, and what the JVM was initializing would stay broken.
 */
/** Links the code that runs on the stacks of others. */
final class Linkage {
    private Linkage() {}

    static void run() {
        Policy policy = Policy.defaults();
        Dispatcher dispatcher = new Dispatcher(2, policy.honour(), policy.preemption(), new NoHost());
        Worker first = new Worker(0, Dispatcher.RING_CAPACITY, policy.globalQueueInterval());
        Worker second = new Worker(1, Dispatcher.RING_CAPACITY, policy.globalQueueInterval());
        dispatcher.addParked(first);
        dispatcher.addParked(second);
        Runnable task = () -> {};
        dispatcher.submitGlobal(task);
        for (Worker worker : new Worker[] {first, second}) {
            if (worker.processor != null) {
                worker.started.increment();
                worker.switchIn(task);
                if (worker.current() == task) {
                    dispatcher.monitorSleeps();
                    dispatcher.submitNext(worker, task);
                    dispatcher.stopSpinning(worker);
                    for (int i = 0; i < 2 * Dispatcher.RING_CAPACITY; i++) {
                        dispatcher.submitNext(worker, task);
                    }
                    dispatcher.submitYielded(worker, task);
                }
                break;
            }
        }
        CurrentCarrier.yieldPlatformThread();
    }

    private static final class NoHost implements Host {
        @Override
        public void wake(Worker worker) {}

        @Override
        public void wakeMonitor() {}

        @Override
        public @Nullable Worker newSpare() {
            return null;
        }
    }
}
