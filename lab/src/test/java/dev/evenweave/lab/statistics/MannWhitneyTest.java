// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MannWhitneyTest {

    @Test
    void fullySeparatedSamplesHaveTheSmallestProbability() {
        // Two of the 12,870 ways to divide 16 ranks are as extreme.
        double[] low = IntStream.range(0, 8).asDoubleStream().toArray();
        double[] high = IntStream.range(10, 18).asDoubleStream().toArray();
        assertThat(MannWhitney.p(low, high)).isCloseTo(2 / 12_870.0, within(1e-12));
        assertThat(MannWhitney.direction(low, high)).isPositive();
        assertThat(MannWhitney.direction(high, low)).isNegative();
    }

    @Test
    void equalValuesOnBothSidesTellNothing() {
        assertThat(MannWhitney.p(new double[] {0, 0, 0}, new double[] {0, 0, 0, 0}))
                .isEqualTo(1);
        assertThat(MannWhitney.direction(new double[] {5, 5}, new double[] {5, 5}))
                .isZero();
    }

    @Test
    void withoutTiesItAgreesWithCountingAllDivisions() {
        Random random = new Random(1);
        for (int i = 0; i < 60; i++) {
            double[] a = random.doubles(1 + random.nextInt(7)).toArray();
            double[] b = random.doubles(1 + random.nextInt(7)).toArray();
            assertThat(MannWhitney.p(a, b)).isCloseTo(counted(a, b), within(1e-9));
        }
    }

    @Test
    void withTiesItAgreesWithCountingAllDivisions() {
        Random random = new Random(2);
        for (int i = 0; i < 60; i++) {
            double[] a =
                    random.ints(1 + random.nextInt(7), 0, 4).asDoubleStream().toArray();
            double[] b =
                    random.ints(1 + random.nextInt(7), 0, 5).asDoubleStream().toArray();
            assertThat(MannWhitney.p(a, b)).isCloseTo(counted(a, b), within(1e-9));
        }
    }

    @Test
    void largeSamplesAreApproximated() {
        Random random = new Random(3);
        double[] a = random.doubles(200).toArray();
        double[] b = random.doubles(200).map(value -> value + 0.3).toArray();
        double[] rounded = random.ints(200, 0, 5).asDoubleStream().toArray();
        assertThat(MannWhitney.p(a, b)).isLessThan(0.001);
        assertThat(MannWhitney.p(rounded, rounded)).isGreaterThan(0.9);
    }

    /**
     * From first principles, with nothing of the code under test: for every way to choose which of the pooled values are
     * the first sample, U is the number of pairs in which it is larger, ties counting half.
     */
    private static double counted(double[] a, double[] b) {
        double[] pooled = IntStream.range(0, a.length + b.length)
                .mapToDouble(i -> i < a.length ? a[i] : b[i - a.length])
                .toArray();
        double seen = u(pooled, (1 << a.length) - 1);
        int all = 0;
        int atMost = 0;
        int atLeast = 0;
        for (int chosen = 0; chosen < 1 << pooled.length; chosen++) {
            if (Integer.bitCount(chosen) == a.length) {
                double u = u(pooled, chosen);
                all++;
                atMost += u <= seen ? 1 : 0;
                atLeast += u >= seen ? 1 : 0;
            }
        }
        return Math.min(1, 2.0 * Math.min(atMost, atLeast) / all);
    }

    private static double u(double[] pooled, int chosen) {
        double u = 0;
        for (int i = 0; i < pooled.length; i++) {
            for (int j = 0; j < pooled.length; j++) {
                if ((chosen >> i & 1) == 1 && (chosen >> j & 1) == 0) {
                    u += pooled[i] > pooled[j] ? 1 : pooled[i] == pooled[j] ? 0.5 : 0;
                }
            }
        }
        return u;
    }
}
