// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers as people read them. */
final class Numbers {

    private Numbers() {}

    /** Four digits that count, no exponent, thousands apart: 0.03142, 12.35, 2,345,000. */
    static String shown(double value) {
        if (value == 0) {
            return "0";
        }
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(4));
        DecimalFormat format = new DecimalFormat("#,##0.###", DecimalFormatSymbols.getInstance(Locale.ROOT));
        format.setMaximumFractionDigits(Math.max(0, rounded.scale()));
        return format.format(rounded);
    }

    static String interval(@Nullable Double low, @Nullable Double high) {
        return low == null || high == null ? "-" : shown(low) + " .. " + shown(high);
    }

    static String ratio(@Nullable Double ratio) {
        return ratio == null ? "-" : shown(ratio);
    }

    /** Three decimals; smaller ones as a bound, never as 0. */
    static String p(double p) {
        return p < 0.001 ? "< 0.001" : String.format(Locale.ROOT, "%.3f", p);
    }
}
