// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.run;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.compare.GoBenchmarks;
import dev.evenweave.lab.compare.Measured;
import dev.evenweave.lab.compare.ResultFiles;
import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.engine.Child;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.engine.ProcessMeter;
import dev.evenweave.lab.engine.RunFailedException;
import dev.evenweave.lab.engine.Sample;
import dev.evenweave.lab.engine.SampleLines;
import dev.evenweave.lab.statistics.Summary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs commands. The numbers of a run are those that it prints ({@code name value unit} lines, or lines of Go benchmarks),
 * those in a file that it writes, and its wall time, processor time and peak memory.
 */
final class CommandExperiment implements Experiment {

    /**
     * What is run.
     *
     * @param environment more variables for it
     */
    record Arm(List<String> command, Map<String, String> environment) {}

    private static final String SCENARIO = "command";

    private final Map<String, Arm> arms;
    private final @Nullable Path resultFile;
    private final Map<String, Better> better;
    private final Set<String> metrics;
    private final Duration limit;

    /**
     * Makes the experiment.
     *
     * @param arms by name; the first is the base
     * @param resultFile what each run writes; null if it prints its numbers
     * @param better the directions that the user knows
     * @param metrics the metrics that count; empty for all
     * @param limit for one run
     */
    CommandExperiment(
            Map<String, Arm> arms,
            @Nullable Path resultFile,
            Map<String, Better> better,
            Set<String> metrics,
            Duration limit) {
        this.arms = new LinkedHashMap<>(arms);
        this.resultFile = resultFile;
        this.better = Map.copyOf(better);
        this.metrics = new LinkedHashSet<>(metrics);
        this.limit = limit;
    }

    @Override
    public String name() {
        return "run";
    }

    @Override
    public String question() {
        return "do the commands differ?";
    }

    @Override
    public List<String> arms() {
        return List.copyOf(arms.keySet());
    }

    @Override
    public List<String> scenarios() {
        return List.of(SCENARIO);
    }

    @Override
    public List<Sample> run(String scenario, String name) throws RunFailedException, InterruptedException {
        Arm arm = arms.get(name);
        if (arm == null) {
            throw new IllegalArgumentException("no arm " + name);
        }
        if (resultFile != null) {
            deleteOld(resultFile);
        }
        ProcessMeter meter = new ProcessMeter();
        Child.Output output = Child.run(arm.command(), arm.environment(), limit, meter);
        List<Sample> samples = new ArrayList<>(own(name, output));
        samples.add(new Sample("wallTime", "s", Better.LOWER, output.seconds()));
        meter.cpuSeconds().ifPresent(value -> samples.add(new Sample("cpuTime", "s", Better.LOWER, value)));
        meter.peakMegabytes().ifPresent(value -> samples.add(new Sample("peakMemory", "MB", Better.LOWER, value)));
        return chosen(name, samples);
    }

    /** The numbers that the command tells. */
    private List<Sample> own(String name, Child.Output output) throws RunFailedException {
        if (resultFile != null) {
            if (!Files.exists(resultFile)) {
                throw new RunFailedException("a run of " + name + " wrote no file " + resultFile
                        + ", which --result names: let the command write it, or leave --result out");
            }
            try {
                return samples(ResultFiles.read(resultFile.toString(), resultFile));
            } catch (UserError e) {
                throw new RunFailedException("a run of " + name + ": " + e.getMessage(), e);
            }
        }
        if (GoBenchmarks.looksLike(output.out())) {
            Measured measured = new Measured("the output of " + name);
            try {
                GoBenchmarks.read(output.out(), measured);
            } catch (UserError e) {
                throw new RunFailedException(String.valueOf(e.getMessage()), e);
            }
            return samples(measured);
        }
        return SampleLines.parse(output.out(), metric -> Better.NEITHER).stream()
                .map(sample -> new Sample(
                        sample.metric(), sample.unit(), better(sample.metric(), sample.unit()), sample.value()))
                .toList();
    }

    /** Several values of one run count as one: their median. */
    private List<Sample> samples(Measured measured) {
        List<Sample> samples = new ArrayList<>();
        for (Measured.Entry entry : measured.entries()) {
            String metric = entry.scenario() + (entry.metric().equals(entry.unit()) ? "" : " " + entry.metric());
            String unique = samples.stream().anyMatch(sample -> sample.metric().equals(metric))
                    ? metric + " " + entry.unit()
                    : metric;
            double value = Summary.of(entry.values().stream()
                            .mapToDouble(Double::doubleValue)
                            .toArray())
                    .median();
            samples.add(new Sample(unique, entry.unit(), better.getOrDefault(unique, entry.better()), value));
        }
        return samples;
    }

    private Better better(String metric, String unit) {
        return better.getOrDefault(metric, Better.ofUnit(unit));
    }

    private List<Sample> chosen(String name, List<Sample> samples) throws RunFailedException {
        if (metrics.isEmpty()) {
            return samples;
        }
        List<String> there = samples.stream().map(Sample::metric).toList();
        for (String metric : metrics) {
            if (!there.contains(metric)) {
                throw new RunFailedException("a run of " + name + " gave no " + metric
                        + ", which --metric names: there is " + String.join(", ", there));
            }
        }
        return samples.stream()
                .filter(sample -> metrics.contains(sample.metric()))
                .toList();
    }

    /** A run that writes nothing must not be taken for the one before. */
    private static void deleteOld(Path file) throws RunFailedException {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new RunFailedException("cannot remove " + file + " of the run before: " + e.getMessage(), e);
        }
    }
}
