// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/*
 * Purpose. How long the oldest task of a queue has waited at least, without a time stamp per task (reading the clock costs a
 * tenth of a switch): a queue out of which nothing was taken since some look holds a task that has waited since then.
 *
 * Who may touch what. The monitor writes; anyone reads the age.
 */
/** Since when a queue has not moved. */
final class QueueAge {
    private static final VarHandle SINCE;
    private static final long NOTHING = Long.MIN_VALUE;

    static {
        try {
            SINCE = MethodHandles.lookup().findVarHandle(QueueAge.class, "since", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long since = NOTHING;
    private long seenProgress;

    void note(boolean waiting, long progress, long now) {
        if (!waiting) {
            if (since != NOTHING) {
                SINCE.setOpaque(this, NOTHING);
            }
        } else if (since == NOTHING || seenProgress != progress) {
            seenProgress = progress;
            SINCE.setOpaque(this, now);
        }
    }

    /** In nanoseconds; 0 if nothing waited at the monitor's last look. */
    long age(long now) {
        long start = (long) SINCE.getOpaque(this);
        return start == NOTHING ? 0 : Math.max(0, now - start);
    }
}
