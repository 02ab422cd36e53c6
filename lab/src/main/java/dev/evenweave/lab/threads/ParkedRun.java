// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.threads;

import dev.evenweave.lab.engine.SampleLines;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/** One run of {@link ParkedExperiment}. */
final class ParkedRun {
    private static final int WARM_UP = 20_000;

    private ParkedRun() {}

    public static void main(String[] args) throws InterruptedException {
        ThreadFactory factory = Arm.of(args[0]).factory(Runtime.getRuntime().availableProcessors());
        int count = Integer.parseInt(args[1]);
        wake(park(factory, WARM_UP));
        long heap = heapInUse();
        long start = System.nanoTime();
        Thread[] threads = park(factory, count);
        double starting = System.nanoTime() - start;
        heap = heapInUse() - heap;
        start = System.nanoTime();
        wake(threads);
        double waking = System.nanoTime() - start;
        SampleLines.print("startNsPerThread", starting / count, "ns");
        SampleLines.print("heapBytesPerThread", (double) heap / count, "B");
        SampleLines.print("wakeAndJoinNsPerThread", waking / count, "ns");
    }

    private static Thread[] park(ThreadFactory factory, int count) throws InterruptedException {
        CountDownLatch parked = new CountDownLatch(count);
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            threads[i] = factory.newThread(() -> {
                parked.countDown();
                LockSupport.park();
            });
            threads[i].start();
        }
        parked.await();
        return threads;
    }

    private static void wake(Thread[] threads) throws InterruptedException {
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static long heapInUse() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        // Stack chunks survive the first collection in a larger form.
        memory.gc();
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }
}
