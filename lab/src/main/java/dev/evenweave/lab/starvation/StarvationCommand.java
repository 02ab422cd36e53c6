// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.starvation;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.command.ExperimentCommand;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.promise.WaitingBound;
import dev.evenweave.lab.report.LabResult;
import dev.evenweave.scheduler.Policy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options of the experiment. */
@Command(
        name = "starvation",
        description = "How long do threads that wake each other keep a third one waiting?",
        footerHeading = "%nMetrics:%n",
        footer = {
            "  worstGapMs              the longest time that the clock reader was off the processor",
            "  offCpuPercent           its time off the processor in all; a fair share of one processor is about 50",
            "  roundTripsPerSecond     of the pair, by the clock",
            "  roundTripsPerCpuSecond  of the pair, per second in which the reader was off the processor",
            "  requests                times the scheduler asked a thread to give way",
            "  caught                  requests that the thread met at a checkpoint",
            "  honoured                requests that ended the slice of a pair: the change at work"
        })
public final class StarvationCommand extends ExperimentCommand {

    /** Reader and pair poll or switch far more often, but for the longest {@code --work} that makes sense. */
    private static final long POLL_NANOS = 1_000_000;

    @Option(
            names = "--arms",
            split = ",",
            paramLabel = "ARM",
            description = "honour=off, honour=on, honour=local-only, jdk; the first is the base"
                    + " (default: all; with --quick not local-only).")
    private List<String> arms = List.of();

    @Option(
            names = "--scenario",
            split = ",",
            paramLabel = "NAME",
            description = "pingpong: a pair over channels; sleepers: two threads in sleeps of 30 ns"
                    + " (default: pingpong).")
    private List<String> loads = List.of("pingpong");

    @Option(
            names = "--work",
            split = ",",
            paramLabel = "N",
            description = "Iterations of busy work of each of the pair in each round, a scenario for each"
                    + " (default: ${DEFAULT-VALUE}).")
    private List<Integer> work = List.of(0);

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long a run is measured (default: 4; with --quick 1).")
    private @Nullable Double seconds;

    @Option(names = "--processors", paramLabel = "N", description = "Parallelism (default: ${DEFAULT-VALUE}).")
    private int processors = 1;

    @Option(
            names = "--preempt",
            paramLabel = "on|off",
            description = "Off: a request that no checkpoint meets has no effect, nor has honour then"
                    + " (default: ${DEFAULT-VALUE}).")
    private String preempt = "on";

    @Option(names = "--gc", description = "With some ten garbage collections a second.")
    private boolean gc;

    @Option(names = "--pinned", description = "With one of the pair pinned to its carrier.")
    private boolean pinned;

    @Override
    protected int warmups() {
        // Each run warms itself up, so one for the file cache is enough, and quick does without.
        return 0;
    }

    @Override
    protected Experiment experiment() {
        double length = seconds != null ? seconds : quick() ? 1 : 4;
        if (!(length >= 0.1 && length <= 3_600)) {
            throw new UserError("--seconds " + length + ": give a number from 0.1 to 3600");
        }
        if (processors < 1 || processors > 1_024) {
            throw new UserError("--processors " + processors + ": give a number from 1 to 1024");
        }
        boolean preemption = switch (preempt) {
            case "on" -> true;
            case "off" -> false;
            default -> throw new UserError("--preempt " + preempt + ": give on or off");
        };
        Map<String, Setup> scenarios = new LinkedHashMap<>();
        for (String name : loads) {
            Setup.Load load = named("--scenario", Setup.Load.values(), name);
            for (int iterations : load == Setup.Load.PINGPONG ? work : List.of(0)) {
                if (iterations < 0) {
                    throw new UserError("--work " + iterations + ": give 0 or more");
                }
                scenarios.put(
                        label(load, iterations),
                        new Setup(
                                Setup.Arm.OFF,
                                preemption,
                                processors,
                                load,
                                iterations,
                                length,
                                quick() ? 0.4 : 1,
                                gc,
                                pinned));
            }
        }
        if (scenarios.isEmpty()) {
            throw new UserError("--scenario and --work: name at least one");
        }
        return new StarvationExperiment(List.copyOf(arms()), scenarios);
    }

    /** With requests honoured, the pair and the reader are three threads of which each polls or switches all the time. */
    @Override
    protected List<String> conclusions(LabResult result) {
        if (preempt.equals("off") || pinned) {
            return List.of(); // what the promise needs is switched off, or the pinned thread's carrier is one of two
        }
        int cores = Runtime.getRuntime().availableProcessors();
        return new WaitingBound(Policy.defaults(), processors, 3, POLL_NANOS, 0, cores)
                .lines(result, Setup.Arm.ON.toString(), "worstGapMs");
    }

    private Set<Setup.Arm> arms() {
        Set<Setup.Arm> chosen = new LinkedHashSet<>();
        for (String name : arms) {
            if (!chosen.add(named("--arms", Setup.Arm.values(), name))) {
                throw new UserError("--arms " + name + ": named twice");
            }
        }
        if (chosen.isEmpty()) {
            chosen.addAll(Arrays.asList(Setup.Arm.values()));
            if (quick()) {
                chosen.remove(Setup.Arm.LOCAL_ONLY);
            }
        }
        return chosen;
    }

    private String label(Setup.Load load, int iterations) {
        List<String> parts = new ArrayList<>();
        parts.add(load == Setup.Load.PINGPONG ? "work=" + iterations : load.toString());
        if (processors != 1) {
            parts.add("processors=" + processors);
        }
        if (preempt.equals("off")) {
            parts.add("preempt=off");
        }
        if (gc) {
            parts.add("gc");
        }
        if (pinned && load == Setup.Load.PINGPONG) {
            parts.add("pinned");
        }
        return String.join(", ", parts);
    }

    private static <E extends Enum<E>> E named(String option, E[] values, String name) {
        for (E value : values) {
            if (value.toString().equals(name.toLowerCase(Locale.ROOT))) {
                return value;
            }
        }
        throw new UserError(option + " " + name + ": there is "
                + Arrays.stream(values).map(Object::toString).collect(Collectors.joining(", ")));
    }
}
