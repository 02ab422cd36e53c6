// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.statistics;

import org.jspecify.annotations.Nullable;

/**
 * One arm against the base.
 *
 * @param ratio median of the other by median of the base; null if the base has a median of 0
 * @param p two-sided, Mann-Whitney
 * @param controlP the same for the base against itself; null without a control
 */
public record Comparison(
        @Nullable Double ratio, double p, @Nullable Double controlP, Verdict verdict) {

    /** Compares; {@code control} has the values of the base when it ran as the control, or is empty. */
    public static Comparison of(double[] base, double[] other, double[] control) {
        double baseMedian = Summary.of(base).median();
        double otherMedian = Summary.of(other).median();
        Double ratio = baseMedian == 0 ? null : otherMedian / baseMedian;
        double p = MannWhitney.p(base, other);
        Double controlP = control.length == 0 ? null : MannWhitney.p(base, control);
        return new Comparison(ratio, p, controlP, verdict(base, other, baseMedian, otherMedian, p, controlP));
    }

    private static Verdict verdict(
            double[] base, double[] other, double baseMedian, double otherMedian, double p, @Nullable Double controlP) {
        if (Math.min(base.length, other.length) < Verdict.FEWEST_RUNS) {
            return Verdict.TOO_FEW;
        }
        if (controlP != null && controlP < Verdict.CONTROL_SIGNIFICANCE) {
            return Verdict.UNSTABLE;
        }
        if (p >= Verdict.SIGNIFICANCE) {
            return Verdict.SAME;
        }
        int direction = Double.compare(otherMedian, baseMedian);
        if (direction == 0) {
            direction = MannWhitney.direction(base, other);
        }
        return direction < 0 ? Verdict.LOWER : Verdict.HIGHER;
    }
}
