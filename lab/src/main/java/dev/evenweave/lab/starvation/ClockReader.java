// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.starvation;

import dev.evenweave.scheduler.Scheduler;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads the clock without a pause, and takes every gap between two readings that is longer than {@value #GAP_NANOS} ns for
 * time off the processor. It gives way at checkpoints, as a well-behaved computation does.
 *
 * <p>Gaps are counted from {@code begin} to {@code end}; what reaches over is cut there. So a reader that does not run at
 * all in that time has one gap of the whole length.
 */
public final class ClockReader implements Runnable {

    /** Longer than an interrupt of the operating system, shorter than any time slice. */
    static final long GAP_NANOS = 50_000;

    private final long begin;
    private final long end;
    /** The last reading that counts. Written by the reader, read by who evaluates. */
    private final AtomicLong last;
    /** Written by the reader only; read after it ended, or with the loss of the newest gap. */
    private final AtomicLong worst = new AtomicLong();

    private final AtomicLong off = new AtomicLong();

    /** Times as of {@link System#nanoTime()}. */
    public ClockReader(long begin, long end) {
        this.begin = begin;
        this.end = end;
        last = new AtomicLong(begin);
    }

    @Override
    public void run() {
        while (read(System.nanoTime())) {
            Scheduler.checkpoint();
        }
    }

    /** Takes a reading; false if it was the last. */
    boolean read(long now) {
        if (now - begin <= 0) {
            return true;
        }
        boolean over = now - end >= 0;
        long time = over ? end : now;
        long gap = time - last.getPlain();
        if (gap > GAP_NANOS) {
            off.setOpaque(off.getPlain() + gap);
            if (gap > worst.getPlain()) {
                worst.setOpaque(gap);
            }
        }
        last.setOpaque(time);
        return !over;
    }

    /** The last reading that counts; the begin if there was none. */
    long last() {
        return last.getOpaque();
    }

    /** The longest gap, in nanoseconds, the one that has not ended included. */
    public long worstNanos() {
        return Math.max(worst.getOpaque(), openGap());
    }

    /** The sum of all gaps, in nanoseconds, the one that has not ended included. */
    long offNanos() {
        return off.getOpaque() + openGap();
    }

    /** Only if the reader never came back: otherwise its last reading is at the end. */
    private long openGap() {
        return end - last.getOpaque();
    }
}
