// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.waitlist;

import com.sun.management.ThreadMXBean;
import dev.evenweave.lab.engine.SampleLines;
import dev.evenweave.lab.waitlist.Rows.Row;
import dev.evenweave.lab.waitlist.Rows.Work;
import dev.evenweave.wait.WaitList;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Objects;

/** The program of one run: the rows of one group with one storage. */
final class WaitListRun {
    static final String NANOS = ".nsPerOp";
    static final String BYTES = ".bytesPerOp";

    private static final int WARM_UP_PASSES = 2;
    private static final long WARM_UP_NANOS = 20_000_000;
    private static final int SLICES = 5;
    private static final long SLICE_NANOS = 5_000_000;
    private static final int BATCH = 64;

    /** Where results go, so that no work is left out. */
    private static volatile long sink;

    private WaitListRun() {}

    /** Arguments: the arm, the group, and a factor for the times. */
    public static void main(String[] args) throws Exception {
        boolean inline = args[0].equals(WaitListExperiment.INLINE_FIRST);
        if (inline) {
            WaitList.replaceStorage(InlineFirst::new);
        }
        if (args[1].equals(WaitListExperiment.FOOTPRINT)) {
            Footprint.print();
        } else {
            measure(Objects.requireNonNull(Rows.groups().get(args[1]), args[1]).get(), Double.parseDouble(args[2]));
        }
        if (inline && InlineFirst.everInline == 0) {
            throw new IllegalStateException("no waiter was ever inline: the arm is not what its name says");
        }
    }

    private static void measure(List<Row> rows, double factor) throws Exception {
        for (int pass = 0; pass < WARM_UP_PASSES; pass++) {
            for (Row row : rows) {
                nanosPerOperation(row, (long) (factor * WARM_UP_NANOS));
            }
        }
        for (Row row : rows) {
            double best = Double.MAX_VALUE;
            for (int slice = 0; slice < SLICES; slice++) {
                best = Math.min(best, nanosPerOperation(row, (long) (factor * SLICE_NANOS)));
            }
            SampleLines.print(row.name() + NANOS, best, "ns");
            SampleLines.print(row.name() + BYTES, bytesPerOperation(row), "B");
        }
    }

    private static double nanosPerOperation(Row row, long nanos) throws Exception {
        long spent = 0;
        long done = 0;
        long result = 0;
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            if (row.before() != null) {
                Work work = row.before().get();
                long start = System.nanoTime();
                result += work.run();
                spent += System.nanoTime() - start;
                done += row.operations();
            } else if (row.work() != null) {
                Work work = row.work();
                long start = System.nanoTime();
                for (int i = 0; i < BATCH; i++) {
                    result += work.run();
                }
                spent += System.nanoTime() - start;
                done += (long) BATCH * row.operations();
            }
        }
        sink = result;
        return (double) spent / Math.max(1, done);
    }

    /** The bytes that this thread allocates, over so many repetitions that what is allocated once does not show. */
    private static double bytesPerOperation(Row row) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int times = 20_000 / Math.max(1, row.operations());
        long result = 0;
        long allocated = 0;
        for (int i = 0; i < times; i++) {
            Work work = row.before() != null ? row.before().get() : row.work();
            if (work == null) {
                throw new IllegalStateException(row.name() + " has no work");
            }
            long before = row.before() != null || i == 0 ? threads.getCurrentThreadAllocatedBytes() : 0;
            result += work.run();
            if (row.before() != null) {
                allocated += threads.getCurrentThreadAllocatedBytes() - before;
            } else if (i == 0) {
                allocated -= before;
            }
        }
        if (row.before() == null) {
            allocated += threads.getCurrentThreadAllocatedBytes();
        }
        sink = result;
        return (double) Math.round(100.0 * allocated / ((double) times * row.operations())) / 100;
    }
}
