// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/** Which direction of a metric is the good one. */
public enum Better {
    @JsonProperty("lower")
    LOWER,
    @JsonProperty("higher")
    HIGHER,
    /** A counter that shows what happened and is neither good nor bad. */
    @JsonProperty("neither")
    NEITHER;

    /** Guesses from a unit: rates are better when higher, times and sizes when lower. */
    public static Better ofUnit(String unit) {
        String lower = unit.toLowerCase(Locale.ROOT);
        if (lower.endsWith("/s") || lower.endsWith("/sec") || lower.matches("ops/.*")) {
            return HIGHER;
        }
        if (lower.matches("(ns|us|µs|ms|s|sec|min|b|bytes|kb|kib|mb|mib|gb|gib)(/.*)?") || lower.endsWith("/op")) {
            return LOWER;
        }
        return NEITHER;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
