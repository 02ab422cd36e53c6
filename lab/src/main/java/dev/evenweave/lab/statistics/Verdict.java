// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.statistics;

import com.fasterxml.jackson.annotation.JsonValue;

/** What a comparison allows to say. */
public enum Verdict {
    LOWER("lower"),
    HIGHER("higher"),
    /** The values do not tell the arms apart. */
    SAME("~"),
    /** The base differed from itself, so a difference to another arm means nothing. */
    UNSTABLE("unstable"),
    TOO_FEW("too few runs");

    /** Below this a difference counts as one. */
    public static final double SIGNIFICANCE = 0.05;

    /**
     * Below this the base counts as different from itself. Stricter than for a difference between arms: the control must
     * not take away good verdicts by chance in one row out of twenty.
     */
    public static final double CONTROL_SIGNIFICANCE = 0.01;

    /** With fewer runs on one side no result could be significant and have an interval. */
    public static final int FEWEST_RUNS = 6;

    private final String word;

    Verdict(String word) {
        this.word = word;
    }

    @JsonValue
    @Override
    public String toString() {
        return word;
    }
}
