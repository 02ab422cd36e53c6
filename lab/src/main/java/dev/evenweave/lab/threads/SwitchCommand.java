// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.threads;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.command.ExperimentCommand;
import dev.evenweave.lab.engine.Experiment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "switch",
        description = "What a switch between virtual threads costs, and what of it is the JDK's own share (arm floor).")
public final class SwitchCommand extends ExperimentCommand {

    @Option(
            names = "--processors",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,2",
            description = "How many threads can run at a time (default: ${DEFAULT-VALUE}).")
    private List<Integer> processors = List.of();

    @Option(names = "--seconds", description = "How long a run measures (default: 2; with --quick 0.3).")
    private @Nullable Double seconds;

    @Option(names = "--jvm", paramLabel = "FLAG", description = "A flag for the JVM of every run; may be repeated.")
    private List<String> flags = List.of();

    @Override
    protected Experiment experiment() {
        for (int count : processors) {
            if (count < 1 || count > Runtime.getRuntime().availableProcessors()) {
                throw new UserError("--processors " + count + ": from 1 to the machine's "
                        + Runtime.getRuntime().availableProcessors());
            }
        }
        double length = seconds != null ? seconds : quick() ? 0.3 : 2;
        if (!(length > 0 && length <= 600)) {
            throw new UserError("--seconds " + length + ": must be above 0, and 600 at most");
        }
        return new SwitchExperiment(processors, length, flags);
    }
}
