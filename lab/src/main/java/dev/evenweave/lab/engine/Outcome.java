// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that was measured.
 *
 * @param end how it ended
 * @param reason why it is not complete; empty if it is
 * @param series the values, one list for each scenario, metric and arm, the control too
 * @param runs the runs that count, in the order in which they were made
 */
public record Outcome(
        Experiment experiment, Settings settings, End end, String reason, List<Series> series, List<RunRecord> runs) {

    /** How an experiment ended. */
    public enum End {
        COMPLETE,
        /** The user had enough. */
        STOPPED,
        /** A run failed. */
        FAILED
    }

    /** The values of one metric, one for each run. */
    public record Series(String scenario, String arm, String metric, String unit, Better better, List<Double> values) {}

    /**
     * A run that counts.
     *
     * @param round from 0
     * @param foreignPercent the share of the machine that others used; null if unknown
     * @param attempts how often it was made
     * @param disturbed whether it was kept although others used more than the limit
     */
    public record RunRecord(
            String scenario,
            String arm,
            int round,
            double seconds,
            @Nullable Double foreignPercent,
            int attempts,
            boolean disturbed) {}
}
