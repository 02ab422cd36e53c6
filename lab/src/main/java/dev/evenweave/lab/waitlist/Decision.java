// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.waitlist;

import dev.evenweave.lab.report.LabResult;
import dev.evenweave.lab.report.LabResult.Compared;
import dev.evenweave.lab.report.LabResult.Row;
import dev.evenweave.lab.statistics.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which storage the product should have, out of the measured values alone.
 *
 * <p>The rule, fixed before the first run: another storage replaces the arena only if more deciding rows get faster with it
 * than slower, none gets slower by a twentieth or more, and their geometric mean is below 1. A queue that is waited in is
 * waited in again, so a storage that makes the first wait cheaper has to pay for every later one out of the same rows.
 */
final class Decision {
    private static final double WORST_ALLOWED = 1.05;

    private Decision() {}

    static List<String> of(LabResult result) {
        List<Compared> times = result.comparisons().stream()
                .filter(row -> row.other().equals(WaitListExperiment.INLINE_FIRST))
                .filter(row -> row.metric().endsWith(WaitListRun.NANOS))
                .filter(row -> Rows.DECIDING.contains(row.scenario()))
                .filter(row -> row.ratio() != null)
                .toList();
        List<String> lines = new ArrayList<>();
        if (times.isEmpty() || !result.complete()) {
            lines.add("Decision: none, since not all rows were compared.");
            return lines;
        }
        long better = count(times, Verdict.LOWER);
        long worse = count(times, Verdict.HIGHER);
        double mean = Math.exp(times.stream()
                .mapToDouble(row -> Math.log(ratio(row)))
                .average()
                .orElse(0));
        Compared worst =
                times.stream().max(Comparator.comparingDouble(Decision::ratio)).orElseThrow();
        Compared best =
                times.stream().min(Comparator.comparingDouble(Decision::ratio)).orElseThrow();
        Optional<Compared> worstKnown = times.stream()
                .filter(row -> row.verdict() == Verdict.HIGHER)
                .max(Comparator.comparingDouble(Decision::ratio));
        lines.add("inline-first against arena, " + times.size() + " deciding rows (" + String.join(", ", Rows.DECIDING)
                + "):");
        lines.add("  rows better (faster)        " + better);
        lines.add("  rows worse (slower)         " + worse);
        lines.add("  not distinguishable         " + (times.size() - better - worse));
        lines.add("  geometric mean of ratios    " + shown(mean));
        lines.add("  best row                    " + named(best));
        lines.add("  worst row                   " + named(worst));
        for (String primitive :
                List.of("Semaphore", "Mutex", "RwLock", "ManualResetEvent", "Latch", "Once", "OnceCell")) {
            lines.add("  bytes of a " + String.format(Locale.ROOT, "%-17s", primitive) + footprint(result, primitive));
        }
        if (times.stream().allMatch(row -> row.verdict() != Verdict.LOWER && row.verdict() != Verdict.HIGHER)) {
            lines.add("Decision: keep the arena. No row differs, so the second storage would be code without a use"
                    + " (with fewer than 6 runs no row can).");
            return lines;
        }
        boolean replaces =
                better > worse && mean < 1 && worstKnown.map(Decision::ratio).orElse(1.0) < WORST_ALLOWED;
        lines.add(
                replaces
                        ? "Decision: inline-first should replace the arena: more rows are faster than slower, none is slower"
                                + " by 5 % or more, and the mean is below 1."
                        : "Decision: keep the arena: " + why(better, worse, mean, worstKnown.orElse(null)) + ".");
        return lines;
    }

    private static String why(long better, long worse, double mean, @Nullable Compared worst) {
        List<String> reasons = new ArrayList<>();
        if (better <= worse) {
            reasons.add("inline-first makes no more rows faster (" + better + ") than slower (" + worse + ")");
        }
        if (mean >= 1) {
            reasons.add("the mean of its ratios is " + shown(mean));
        }
        if (worst != null && ratio(worst) >= WORST_ALLOWED) {
            reasons.add("it makes " + named(worst) + " slower than the 5 % that are allowed");
        }
        return String.join("; ", reasons);
    }

    private static long count(List<Compared> rows, Verdict verdict) {
        return rows.stream().filter(row -> row.verdict() == verdict).count();
    }

    private static double ratio(Compared row) {
        Double ratio = row.ratio();
        return ratio == null ? 1 : ratio;
    }

    private static String named(Compared row) {
        return row.scenario() + " " + row.metric().replace(WaitListRun.NANOS, "") + " " + shown(ratio(row)) + " ("
                + row.verdict() + ")";
    }

    private static String footprint(LabResult result, String primitive) {
        return " new " + pair(result, primitive + ".new") + ", after one waiter " + pair(result, primitive + ".after1")
                + ", after two " + pair(result, primitive + ".after2");
    }

    /** The arena's bytes and the other's, or one number if they are the same. */
    private static String pair(LabResult result, String metric) {
        String arena = bytes(result, metric, WaitListExperiment.ARENA);
        String inline = bytes(result, metric, WaitListExperiment.INLINE_FIRST);
        return arena.equals(inline) ? arena : arena + " / " + inline;
    }

    private static String bytes(LabResult result, String metric, String arm) {
        return result.rows().stream()
                .filter(row -> row.metric().equals(metric) && row.arm().equals(arm))
                .map(Row::median)
                .map(median -> String.format(Locale.ROOT, "%.0f", median))
                .findFirst()
                .orElse("?");
    }

    private static String shown(double ratio) {
        return String.format(Locale.ROOT, "%.3f", ratio);
    }
}
