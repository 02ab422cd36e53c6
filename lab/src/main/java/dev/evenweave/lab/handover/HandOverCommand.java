// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.handover;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.command.ExperimentCommand;
import dev.evenweave.lab.engine.Experiment;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options of the experiment. */
@Command(
        name = "handover",
        description =
                "What does the hand-over of processors bring where threads do not make room, and cost where they do?",
        footerHeading = "%nScenarios and metrics:%n",
        footer = {
            "  spin=1, spin=4   a clock reader beside threads that spin without a checkpoint, one processor:",
            "                   worstGapMs is the longest that it was off the processor",
            "  native           a thread blocks in a system call, one processor: otherRunsMs is how long the next",
            "                   thread waited, releasedMs how long until it had released the first; the worst of ten",
            "  polls            2 N threads spin with checkpoints on N processors: leastSharePercent is what the one",
            "                   with the fewest steps got, of a fair share",
            "  pingpong, http   nothing spins: roundTripsPerSecond, and the hand-overs that there were all the same"
        })
public final class HandOverCommand extends ExperimentCommand {

    @Option(names = "--scenario", split = ",", paramLabel = "NAME", description = "Some of those below (default: all).")
    private List<String> names = List.of();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long a run measures (default: 3; with --quick 1).")
    private @Nullable Double seconds;

    @Override
    protected int warmups() {
        return 0; // each run warms itself up
    }

    @Override
    protected Experiment experiment() {
        double length = seconds != null ? seconds : quick() ? 1 : 3;
        if (!(length >= 0.1 && length <= 3_600)) {
            throw new UserError("--seconds " + length + ": give a number from 0.1 to 3600");
        }
        Set<Scenario> chosen = new LinkedHashSet<>();
        for (String name : names) {
            chosen.add(
                    Scenario.of(name).orElseThrow(() -> new UserError("--scenario " + name + ": there is " + all())));
        }
        return new HandOverExperiment(chosen.isEmpty() ? List.of(Scenario.values()) : List.copyOf(chosen), length);
    }

    private static String all() {
        return Arrays.stream(Scenario.values()).map(scenario -> scenario.label).collect(Collectors.joining(", "));
    }
}
