// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.statistics;

import java.util.Arrays;
import org.apache.commons.statistics.distribution.BinomialDistribution;
import org.jspecify.annotations.Nullable;

/**
 * What a list of values comes to.
 *
 * @param n how many
 * @param low lower end of the confidence interval of the median; null if there are too few values for one
 * @param high upper end of the confidence interval of the median; null if there are too few values for one
 */
public record Summary(
        int n,
        double median,
        @Nullable Double low,
        @Nullable Double high,
        double min,
        double max) {

    /** The confidence of the interval. */
    public static final double CONFIDENCE = 0.95;

    /**
     * Sums up the values, of which there must be at least one.
     *
     * <p>The interval runs between two order statistics: the median of the population lies outside of the r smallest and
     * the r largest of n values with probability 2 P(B &lt; r), B binomial with n tries of one half. The largest r that
     * keeps this at or below 5 % is taken, so the real confidence is at least 95 %. This needs no assumption about the
     * distribution, and 6 values.
     */
    public static Summary of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no values");
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int n = sorted.length;
        double median = n % 2 == 1 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
        int r = rank(n);
        return new Summary(
                n, median, r == 0 ? null : sorted[r - 1], r == 0 ? null : sorted[n - r], sorted[0], sorted[n - 1]);
    }

    /** The rank, from 1, at which the interval starts; 0 if there is none. */
    static int rank(int n) {
        BinomialDistribution binomial = BinomialDistribution.of(n, 0.5);
        int r = 0;
        while (r < n / 2 && 2 * binomial.cumulativeProbability(r) <= 1 - CONFIDENCE) {
            r++;
        }
        return r;
    }
}
