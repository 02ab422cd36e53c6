// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.statistics;

import java.util.Arrays;
import org.apache.commons.statistics.inference.MannWhitneyUTest;
import org.apache.commons.statistics.inference.PValueMethod;
import org.apache.commons.statistics.ranking.NaturalRanking;

/**
 * The two-sided Mann-Whitney U test: how likely it is that two samples of one population differ in their ranks at least
 * as much as these two do.
 *
 * <p>Samples of up to 50 values get the exact probability. The library has that for values that are all different; where
 * some are equal, which counters often are, the ways to divide the ranks are counted. Larger samples get the normal
 * approximation, corrected for ties and continuity.
 *
 * <p>H. B. Mann, D. R. Whitney: On a test of whether one of two random variables is stochastically larger than the other.
 * Annals of Mathematical Statistics 18 (1947).
 */
public final class MannWhitney {

    /** Up to so many values in one sample the exact distribution is cheap: 50 ms at most. */
    private static final int MOST_EXACT = 50;

    private MannWhitney() {}

    /** The two-sided p-value, between 0 and 1; both samples need at least one value. */
    public static double p(double[] a, double[] b) {
        double[] pooled = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, pooled, a.length, b.length);
        double[] ranks = new NaturalRanking().apply(pooled);
        if (Arrays.stream(pooled).allMatch(value -> value == pooled[0])) {
            return 1;
        }
        if (Math.max(a.length, b.length) > MOST_EXACT) {
            return test(a, b, PValueMethod.ASYMPTOTIC);
        }
        boolean ties = Arrays.stream(pooled).distinct().count() < pooled.length;
        return ties ? byDivision(ranks, a.length) : test(a, b, PValueMethod.EXACT);
    }

    /** Whether the values of {@code b} tend to be larger (positive), smaller (negative), or neither (0). */
    public static int direction(double[] a, double[] b) {
        double u = MannWhitneyUTest.withDefaults().statistic(b, a);
        return Double.compare(u, a.length * (double) b.length / 2);
    }

    private static double test(double[] a, double[] b, PValueMethod method) {
        return MannWhitneyUTest.withDefaults().with(method).test(a, b).getPValue();
    }

    /** Twice the smaller tail of the rank sum of the first {@code n} ranks, over all ways to choose n of them. */
    private static double byDivision(double[] ranks, int n) {
        // Ranks of ties are halves at the finest: doubled they are whole, and sums are exact.
        long[] doubled =
                Arrays.stream(ranks).mapToLong(rank -> Math.round(2 * rank)).toArray();
        long seen = Arrays.stream(doubled, 0, n).sum();
        int most = Math.toIntExact(Arrays.stream(doubled).sum());
        // ways[k][sum]: in how many ways k of the ranks so far have that sum. Counts above 2^53 lose what no p shows.
        double[][] ways = new double[n + 1][most + 1];
        ways[0][0] = 1;
        for (long rank : doubled) {
            for (int k = n; k > 0; k--) {
                for (int sum = most; sum >= rank; sum--) {
                    ways[k][sum] += ways[k - 1][sum - (int) rank];
                }
            }
        }
        double all = 0;
        double atMost = 0;
        double atLeast = 0;
        for (int sum = 0; sum <= most; sum++) {
            all += ways[n][sum];
            atMost += sum <= seen ? ways[n][sum] : 0;
            atLeast += sum >= seen ? ways[n][sum] : 0;
        }
        return Math.min(1, 2 * Math.min(atMost, atLeast) / all);
    }
}
