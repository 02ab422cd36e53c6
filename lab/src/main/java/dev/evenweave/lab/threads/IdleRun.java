// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.threads;

import com.sun.management.OperatingSystemMXBean;
import dev.evenweave.lab.engine.SampleLines;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ThreadFactory;

/** One run of {@link IdleExperiment}: some work, so that everything is in place, then nothing. */
final class IdleRun {
    static final int SETTLING_SECONDS = 3;
    private static final int THREADS = 1000;

    private IdleRun() {}

    public static void main(String[] args) throws InterruptedException {
        ThreadFactory factory = Arm.of(args[0]).factory(Runtime.getRuntime().availableProcessors());
        for (int i = 0; i < THREADS; i++) {
            Thread thread = factory.newThread(() -> {});
            thread.start();
            thread.join();
        }
        // The JIT compiler is still at work on what just ran.
        Thread.sleep(SETTLING_SECONDS * 1000L);
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long used = system.getProcessCpuTime();
        long start = System.nanoTime();
        Thread.sleep((long) (Double.parseDouble(args[1]) * 1000));
        double share = (double) (system.getProcessCpuTime() - used) / (System.nanoTime() - start);
        SampleLines.print("cpuPercentOfACore", 100 * share, "%");
    }
}
