// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.threads;

import com.sun.management.ThreadMXBean;
import dev.evenweave.lab.engine.SampleLines;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One run of {@link SwitchExperiment}: as much warm-up as measurement. */
final class SwitchRun {
    private static final int BATCH = 20_000;

    enum Kind {
        /** Two threads wake each other in turn: there and back. */
        ROUND_TRIP,
        /** A thread starts another one and waits for its end. */
        START_AND_JOIN;

        String label() {
            return name().toLowerCase(Locale.ROOT).replace("_", "-");
        }

        static Kind of(String label) {
            return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
        }
    }

    private final ThreadFactory factory;
    private volatile boolean ballAtB;
    private volatile @Nullable Thread a;
    private volatile @Nullable Thread b;

    private SwitchRun(ThreadFactory factory) {
        this.factory = factory;
    }

    public static void main(String[] args) throws InterruptedException {
        int processors = Integer.parseInt(args[2]);
        SwitchRun run = new SwitchRun(Arm.of(args[0]).factory(processors));
        Kind kind = Kind.of(args[1]);
        long nanos = (long) (Double.parseDouble(args[3]) * 1e9);
        run.repeat(kind, nanos);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long bytes = threads.getTotalThreadAllocatedBytes();
        long start = System.nanoTime();
        long operations = run.repeat(kind, nanos);
        double took = System.nanoTime() - start;
        bytes = threads.getTotalThreadAllocatedBytes() - bytes;
        SampleLines.print("nsPerOp", took / operations, "ns");
        SampleLines.print("bytesPerOp", (double) bytes / operations, "B");
    }

    private long repeat(Kind kind, long nanos) throws InterruptedException {
        long operations = 0;
        long start = System.nanoTime();
        do {
            switch (kind) {
                case ROUND_TRIP -> roundTrips();
                case START_AND_JOIN -> startsAndJoins();
            }
            operations += BATCH;
        } while (System.nanoTime() - start < nanos);
        return operations;
    }

    private void roundTrips() throws InterruptedException {
        ballAtB = false;
        Thread second = factory.newThread(() -> {
            for (int i = 0; i < BATCH; i++) {
                while (!ballAtB) {
                    LockSupport.park();
                }
                ballAtB = false;
                LockSupport.unpark(a);
            }
        });
        Thread first = factory.newThread(() -> {
            second.start();
            for (int i = 0; i < BATCH; i++) {
                ballAtB = true;
                LockSupport.unpark(b);
                while (ballAtB) {
                    LockSupport.park();
                }
            }
        });
        a = first;
        b = second;
        first.start();
        first.join();
        second.join();
    }

    private void startsAndJoins() throws InterruptedException {
        Thread parent = factory.newThread(() -> {
            try {
                for (int i = 0; i < BATCH; i++) {
                    Thread child = factory.newThread(() -> {});
                    child.start();
                    child.join();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts this thread", e);
            }
        });
        parent.start();
        parent.join();
    }
}
