// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries out an experiment so that its result can be believed.
 *
 * <p>One run at a time. Within a scenario the arms alternate, forwards and backwards in turn (A B B A A B ...), so that a
 * drift of the machine touches all of them alike. The base arm runs twice in each round when a control is asked for; what
 * differs between these two is the machine. A run during which others used more of the machine than the limit is made
 * again, so often and no more; then it is kept and marked. No value is ever thrown away for being far off.
 */
public final class Laboratory {

    /** What the name of the base arm gets when it runs as the control. */
    public static final String CONTROL = " (again)";

    private final Settings settings;
    private final Progress progress;
    private final Supplier<@Nullable CpuUse> cpu;

    public Laboratory(Settings settings, Progress progress) {
        this(settings, progress, CpuUse::now);
    }

    Laboratory(Settings settings, Progress progress, Supplier<@Nullable CpuUse> cpu) {
        this.settings = settings;
        this.progress = progress;
        this.cpu = cpu;
    }

    /** How many runs the experiment takes when none is repeated. */
    public static int plannedRuns(Experiment experiment, Settings settings) {
        int arms = experiment.arms().size();
        int perRound = arms + (settings.control() ? 1 : 0);
        return arms * settings.warmups() + experiment.scenarios().size() * settings.runs() * perRound;
    }

    /**
     * Carries the experiment out. When the calling thread is interrupted or a run fails, what was measured until then is
     * returned, and the outcome says why it is not all.
     */
    public Outcome carryOut(Experiment experiment) {
        Recorder recorder = new Recorder(experiment, settings);
        try {
            warmUp(experiment);
            for (String scenario : experiment.scenarios()) {
                for (int round = 0; round < settings.runs(); round++) {
                    for (String arm : order(experiment.arms(), round, settings.control())) {
                        recorder.add(runOnce(experiment, scenario, arm, round));
                    }
                }
            }
            return recorder.outcome(Outcome.End.COMPLETE, "");
        } catch (InterruptedException e) {
            return recorder.outcome(Outcome.End.STOPPED, "stopped before the end");
        } catch (RunFailedException e) {
            return recorder.outcome(Outcome.End.FAILED, String.valueOf(e.getMessage()));
        }
    }

    /** The arms of a round in the order in which they run. */
    static List<String> order(List<String> arms, int round, boolean control) {
        List<String> order = new ArrayList<>(arms);
        if (control) {
            order.add(arms.getFirst() + CONTROL);
        }
        return round % 2 == 0 ? order : order.reversed();
    }

    private void warmUp(Experiment experiment) throws RunFailedException, InterruptedException {
        String scenario = experiment.scenarios().getFirst();
        for (int i = 0; i < settings.warmups(); i++) {
            for (String arm : experiment.arms()) {
                run(experiment, scenario, arm);
                progress.ran("warm-up " + arm);
            }
        }
    }

    private Run runOnce(Experiment experiment, String scenario, String arm, int round)
            throws RunFailedException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            CpuUse before = cpu.get();
            long start = System.nanoTime();
            List<Sample> samples = run(experiment, scenario, arm);
            double seconds = (System.nanoTime() - start) / 1e9;
            OptionalDouble foreign = CpuUse.foreignPercent(before, cpu.get());
            boolean disturbed = foreign.isPresent() && foreign.getAsDouble() > settings.foreignLimit();
            String line = String.format(
                    Locale.ROOT,
                    "%s, %s: %.1f s, others used %s",
                    scenario,
                    arm,
                    seconds,
                    foreign.isPresent() ? String.format(Locale.ROOT, "%.0f %%", foreign.getAsDouble()) : "unknown");
            if (!disturbed || attempt > settings.repeats()) {
                progress.ran(line + (disturbed ? ", kept and marked" : ""));
                Double percent = foreign.isPresent() ? foreign.getAsDouble() : null;
                return new Run(scenario, arm, round, seconds, percent, attempt, disturbed, samples);
            }
            progress.note(line + ", repeated");
        }
    }

    private static List<Sample> run(Experiment experiment, String scenario, String arm)
            throws RunFailedException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        String name = arm.endsWith(CONTROL) ? arm.substring(0, arm.length() - CONTROL.length()) : arm;
        List<Sample> samples = experiment.run(scenario, name);
        if (samples.isEmpty()) {
            throw new RunFailedException("a run of " + name + " in " + scenario + " printed no numbers");
        }
        for (Sample sample : samples) {
            if (!Double.isFinite(sample.value())) {
                throw new RunFailedException("a run of " + name + " in " + scenario + " gave " + sample.value()
                        + " for " + sample.metric() + ", which is no number to compare");
            }
        }
        return samples;
    }

    /** A run that counts. */
    record Run(
            String scenario,
            String arm,
            int round,
            double seconds,
            @Nullable Double foreignPercent,
            int attempts,
            boolean disturbed,
            List<Sample> samples) {}

    /** Gathers the values of the runs by scenario, metric and arm, and insists on one unit for each metric. */
    private static final class Recorder {

        private final Experiment experiment;
        private final Settings settings;
        private final List<Outcome.RunRecord> runs = new ArrayList<>();
        private final Map<String, String> units = new LinkedHashMap<>();
        private final Map<List<String>, Outcome.Series> series = new LinkedHashMap<>();

        Recorder(Experiment experiment, Settings settings) {
            this.experiment = experiment;
            this.settings = settings;
        }

        void add(Run run) throws RunFailedException {
            for (Sample sample : run.samples) {
                String unit = units.putIfAbsent(sample.metric(), sample.unit());
                if (unit != null && !unit.equals(sample.unit())) {
                    throw new RunFailedException(
                            sample.metric() + " was measured in " + unit + ", and in a run of " + run.arm + " in "
                                    + run.scenario + " in " + sample.unit() + ": print one unit for a metric");
                }
            }
            for (Sample sample : run.samples) {
                series.computeIfAbsent(
                                List.of(run.scenario, sample.metric(), run.arm),
                                key -> new Outcome.Series(
                                        run.scenario,
                                        run.arm,
                                        sample.metric(),
                                        sample.unit(),
                                        sample.better(),
                                        new ArrayList<>()))
                        .values()
                        .add(sample.value());
            }
            runs.add(new Outcome.RunRecord(
                    run.scenario, run.arm, run.round, run.seconds, run.foreignPercent, run.attempts, run.disturbed));
        }

        Outcome outcome(Outcome.End end, String reason) {
            return new Outcome(experiment, settings, end, reason, List.copyOf(series.values()), List.copyOf(runs));
        }
    }
}
