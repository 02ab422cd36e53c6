// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.promise;

import dev.evenweave.lab.report.LabResult;
import dev.evenweave.lab.report.LabResult.Row;
import dev.evenweave.scheduler.Policy;
import java.util.List;
import java.util.Locale;

/**
 * The formula of docs/promise.md, which the simulation proves: a runnable thread starts or resumes within
 * D = S K + I. Here nothing is put back into the global queue while it waits, but for what a hand-over puts back: R.
 *
 * @param policy the scheduler's
 * @param parallelism P
 * @param runnable N: the most threads that are runnable at one time
 * @param pollNanos q: who runs polls or switches at least so often; negative if some do neither
 * @param hogs how many do neither: each may lose its processor once while somebody waits (R), and goes on running
 * @param cores the machine's
 */
public record WaitingBound(Policy policy, int parallelism, int runnable, long pollNanos, int hogs, int cores) {

    /** What the operating system may add on top of D, where a platform thread waits for a core. */
    static final double SLACK_MILLIS = 20;

    /** l: by how much the operating system wakes the monitor too late. */
    private static final double LATE_MILLIS = 0.1;

    /** w: the wake-up of a new platform thread. */
    private static final double WAKE_MILLIS = 0.2;

    private double monitorMillis() {
        return Math.max(
                        millis(policy.monitorFast().toNanos()),
                        Math.min(
                                millis(policy.monitorSlow().toNanos()),
                                millis(policy.timeSlice().toNanos()) / 2))
                + LATE_MILLIS;
    }

    /** S: the longest slice while somebody waits. */
    double sliceMillis() {
        double giveWay = pollNanos >= 0
                ? millis(pollNanos)
                : monitorMillis() + millis(policy.handOverAfter().toNanos()) + LATE_MILLIS + WAKE_MILLIS;
        return millis(policy.timeSlice().toNanos()) + 2 * monitorMillis() + giveWay;
    }

    /** K: the most slices before it is the thread's turn. */
    long slices() {
        return (long) policy.globalQueueInterval() * Math.ceilDiv(runnable, parallelism) + 3L * runnable + 2;
    }

    /** D. */
    double millis() {
        double idle = monitorMillis() + parallelism * WAKE_MILLIS;
        double share = Math.max(1, (double) (parallelism + hogs) / cores);
        return share * ((1 + hogs) * sliceMillis() * slices() + idle);
    }

    /** For each scenario of an arm, whether the largest value of a metric in milliseconds is within D and the slack. */
    public List<String> lines(LabResult result, String arm, String metric) {
        return result.rows().stream()
                .filter(row -> row.arm().equals(arm) && row.metric().equals(metric))
                .map(this::line)
                .toList();
    }

    /** The same for one scenario. */
    public List<String> lines(LabResult result, String arm, String metric, String scenario) {
        return result.rows().stream()
                .filter(row -> row.arm().equals(arm)
                        && row.metric().equals(metric)
                        && row.scenario().equals(scenario))
                .map(this::line)
                .toList();
    }

    private String line(Row row) {
        double bound = millis();
        return String.format(
                Locale.ROOT,
                "Promise, %s, %s: D = %.0f ms (S %.1f ms, K %d); worst %.1f ms; %s.",
                row.scenario(),
                row.arm(),
                bound,
                sliceMillis(),
                slices(),
                row.max(),
                row.max() <= bound + SLACK_MILLIS ? "kept" : "BROKEN");
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }
}
