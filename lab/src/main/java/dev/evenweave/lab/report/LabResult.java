// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.report;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.statistics.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of an experiment: what a result file holds. Its JSON form has the schema {@value #SCHEMA}, described by the
 * file {@code evenweave-lab-1.schema.json} beside this class.
 *
 * @param experiment the name of the experiment
 * @param question what was asked
 * @param command how to run it again
 * @param started when, in ISO form
 * @param complete whether all runs were made
 * @param notes what a reader should know: why it is not complete, how many runs were disturbed
 */
@JsonPropertyOrder({"schema", "experiment", "question", "command", "started", "complete"})
public record LabResult(
        String schema,
        String experiment,
        String question,
        String command,
        String started,
        boolean complete,
        Machine machine,
        @Nullable Discipline discipline,
        List<ArmName> arms,
        List<Row> rows,
        List<Compared> comparisons,
        List<Mean> means,
        List<RunRow> runs,
        List<String> notes) {

    public static final String SCHEMA = "evenweave-lab/1";

    /** The same result with more notes. */
    public LabResult withNotes(List<String> more) {
        List<String> all = new ArrayList<>(notes);
        all.addAll(more);
        return new LabResult(
                schema,
                experiment,
                question,
                command,
                started,
                complete,
                machine,
                discipline,
                arms,
                rows,
                comparisons,
                means,
                runs,
                all);
    }

    /** The rules under which the runs were made; see the settings of the engine. */
    public record Discipline(int runs, int warmups, boolean control, double foreignLimit, int repeats) {}

    /**
     * An arm.
     *
     * @param control whether it is the base once more
     */
    @JsonInclude(JsonInclude.Include.NON_DEFAULT)
    public record ArmName(String name, boolean control) {}

    /** One scenario, arm and metric. The ends of the interval are null if there were too few runs. */
    public record Row(
            String scenario,
            String arm,
            String metric,
            String unit,
            Better better,
            List<Double> values,
            double median,
            @Nullable Double low,
            @Nullable Double high,
            double min,
            double max) {}

    /** An arm against the base. The ratio is null if the base is 0, {@code controlP} if there was no control. */
    public record Compared(
            String scenario,
            String metric,
            String base,
            String other,
            @Nullable Double ratio,
            double p,
            @Nullable Double controlP,
            Verdict verdict) {}

    /** The geometric mean of the ratios of a metric over the scenarios. */
    public record Mean(String metric, String base, String other, double ratio, int scenarios) {}

    /** A run that counts; {@code foreignPercent} is null where it is not known. */
    public record RunRow(
            String scenario,
            String arm,
            int round,
            double seconds,
            @Nullable Double foreignPercent,
            int attempts,
            boolean disturbed) {}
}
