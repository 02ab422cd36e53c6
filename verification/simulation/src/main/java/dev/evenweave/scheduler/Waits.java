// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.util.Arrays;

/** Every wait from being queued until being mounted. */
final class Waits implements Watch {
    private long[] waits = new long[1 << 16];
    private int count;
    private long[] worstOf = new long[16];

    @Override
    public void queues(Simulation run, SimulatedThread thread) {
        thread.queuedAt = run.now();
    }

    @Override
    public void mounts(Simulation run, SimulatedCarrier carrier, SimulatedThread thread) {
        note(thread, run.now() - thread.queuedAt);
    }

    @Override
    public void end(Simulation run) {
        for (SimulatedThread thread : run.threads) {
            if (thread.state == SimulatedThread.State.QUEUED) {
                note(thread, run.now() - thread.queuedAt);
            }
        }
        Arrays.sort(waits, 0, count);
    }

    private void note(SimulatedThread thread, long wait) {
        if (count == waits.length) {
            waits = Arrays.copyOf(waits, 2 * count);
        }
        waits[count++] = wait;
        if (thread.id < worstOf.length) {
            worstOf[thread.id] = Math.max(worstOf[thread.id], wait);
        }
    }

    long worst() {
        return count == 0 ? 0 : waits[count - 1];
    }

    long worstOf(int thread) {
        return worstOf[thread];
    }

    long percentile(int percent) {
        return count == 0 ? 0 : waits[(int) ((long) count * percent / 100)];
    }
}
