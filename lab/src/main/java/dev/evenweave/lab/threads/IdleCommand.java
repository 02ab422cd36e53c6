// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.threads;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.command.ExperimentCommand;
import dev.evenweave.lab.engine.Experiment;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "idle", description = "What a scheduler costs that has nothing to do.")
public final class IdleCommand extends ExperimentCommand {

    @Option(names = "--seconds", description = "How long a run measures (default: 30; with --quick 1).")
    private @Nullable Double seconds;

    @Override
    protected Experiment experiment() {
        double length = seconds != null ? seconds : quick() ? 1 : 30;
        if (!(length > 0 && length <= 3600)) {
            throw new UserError("--seconds " + length + ": must be above 0, and 3600 at most");
        }
        return new IdleExperiment(length);
    }
}
