// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SummaryTest {

    @Test
    void oneValueIsItsOwnMedianWithoutAnInterval() {
        assertThat(Summary.of(3)).isEqualTo(new Summary(1, 3, null, null, 3, 3));
    }

    @Test
    void theMedianOfAnEvenNumberLiesBetweenTheTwoInTheMiddle() {
        assertThat(Summary.of(4, 1, 2, 10).median()).isEqualTo(3);
        assertThat(Summary.of(Double.MAX_VALUE, Double.MAX_VALUE).median()).isEqualTo(Double.MAX_VALUE);
    }

    @Test
    void sixValuesAreTheFewestThatHaveAnInterval() {
        assertThat(Summary.of(1, 2, 3, 4, 5).low()).isNull();
        Summary six = Summary.of(6, 5, 4, 3, 2, 1);
        assertThat(six.low()).isEqualTo(1);
        assertThat(six.high()).isEqualTo(6);
    }

    @Test
    void theInputStaysAsItIs() {
        double[] values = {3, 1, 2};
        Summary.of(values);
        assertThat(values).containsExactly(3, 1, 2);
    }

    @Test
    void theIntervalIsTheNarrowestOfItsKindThatCoversEnough() {
        for (int n = 1; n <= 60; n++) {
            int rank = Summary.rank(n);
            if (rank > 0) {
                assertThat(outside(n, rank)).as("n %d, rank %d", n, rank).isLessThanOrEqualTo(0.05);
            }
            if (rank < n / 2) {
                assertThat(outside(n, rank + 1))
                        .as("n %d, rank %d", n, rank + 1)
                        .isGreaterThan(0.05);
            }
        }
    }

    @Test
    void noValuesAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(Summary::of);
    }

    /** Twice the probability of fewer than r heads in n throws, by counting with whole numbers. */
    private static double outside(int n, int r) {
        BigInteger ways = IntStream.range(0, r).mapToObj(k -> choose(n, k)).reduce(BigInteger.ZERO, BigInteger::add);
        return 2 * ways.doubleValue() / Math.pow(2, n);
    }

    private static BigInteger choose(int n, int k) {
        BigInteger ways = BigInteger.ONE;
        for (int i = 1; i <= k; i++) {
            ways = ways.multiply(BigInteger.valueOf(n - k + i)).divide(BigInteger.valueOf(i));
        }
        return ways;
    }
}
