// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ComparisonTest {

    private static final double[] NONE = {};
    private static final double[] BASE = {10, 11, 12, 13, 14, 15};

    @Test
    void aClearDifferenceGetsItsDirection() {
        double[] other = {1, 2, 3, 4, 5, 6};
        Comparison down = Comparison.of(BASE, other, NONE);
        assertThat(down.verdict()).isEqualTo(Verdict.LOWER);
        assertThat(down.ratio()).isEqualTo(3.5 / 12.5);
        assertThat(down.controlP()).isNull();
        assertThat(Comparison.of(other, BASE, NONE).verdict()).isEqualTo(Verdict.HIGHER);
    }

    @Test
    void noDifferenceIsSaidAsSuch() {
        assertThat(Comparison.of(BASE, new double[] {10.5, 11.5, 12.5, 13.5, 14.5, 9}, NONE)
                        .verdict())
                .isEqualTo(Verdict.SAME);
    }

    @Test
    void withoutVarianceEqualIsTheSameAndDifferentIsADifference() {
        double[] zero = new double[6];
        double[] five = {5, 5, 5, 5, 5, 5};
        Comparison equal = Comparison.of(zero, zero, zero);
        assertThat(equal.verdict()).isEqualTo(Verdict.SAME);
        assertThat(equal.ratio()).as("of nothing by nothing").isNull();
        assertThat(Comparison.of(zero, five, zero).verdict()).isEqualTo(Verdict.HIGHER);
    }

    @Test
    void fiveRunsAreTooFew() {
        assertThat(Comparison.of(BASE, new double[] {1, 2, 3, 4, 5}, NONE).verdict())
                .isEqualTo(Verdict.TOO_FEW);
        assertThat(Comparison.of(new double[] {1}, new double[] {9}, NONE).verdict())
                .isEqualTo(Verdict.TOO_FEW);
    }

    @Test
    void aBaseThatDiffersFromItselfTakesTheVerdictAway() {
        double[] control = {20, 21, 22, 23, 24, 25};
        Comparison comparison = Comparison.of(BASE, new double[] {1, 2, 3, 4, 5, 6}, control);
        assertThat(comparison.verdict()).isEqualTo(Verdict.UNSTABLE);
        assertThat(comparison.controlP()).isLessThan(Verdict.CONTROL_SIGNIFICANCE);
    }

    @Test
    void equalMediansAreToldApartByRanks() {
        double[] base = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
        double[] other = {0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7, 7};
        assertThat(Comparison.of(base, other, NONE).verdict()).isEqualTo(Verdict.HIGHER);
    }

    /** Honesty: of comparisons of the same noisy thing with itself at most 5 % + 3 points may find something. */
    @Test
    void comparingTheSameWithItselfSeldomFindsSomething() {
        Random random = new Random(42);
        for (int runs : new int[] {6, 8, 10, 20}) {
            int found = 0;
            for (int i = 0; i < 2_000; i++) {
                Comparison comparison =
                        Comparison.of(noisy(random, runs, 1), noisy(random, runs, 1), noisy(random, runs, 1));
                found += comparison.verdict() == Verdict.SAME ? 0 : 1;
            }
            assertThat(found).as("%d runs", runs).isLessThanOrEqualTo(160);
        }
    }

    /** Power: a change by 5 % is found in at least 18 of 20 tries with 10 runs each. */
    @Test
    void aPlantedChangeIsFound() {
        Random random = new Random(43);
        for (double change : new double[] {0.95, 1.05}) {
            Verdict expected = change < 1 ? Verdict.LOWER : Verdict.HIGHER;
            int found = 0;
            for (int i = 0; i < 20; i++) {
                Comparison comparison =
                        Comparison.of(noisy(random, 10, 1), noisy(random, 10, change), noisy(random, 10, 1));
                found += comparison.verdict() == expected ? 1 : 0;
            }
            assertThat(found).as("change by %s", change).isGreaterThanOrEqualTo(18);
        }
    }

    /** Run times: a floor, some noise, and now and then a run that took half as long again. */
    private static double[] noisy(Random random, int n, double factor) {
        double[] values = new double[n];
        Arrays.setAll(
                values, i -> factor * (100 + Math.abs(random.nextGaussian()) * 2 + (random.nextInt(20) == 0 ? 50 : 0)));
        return values;
    }
}
