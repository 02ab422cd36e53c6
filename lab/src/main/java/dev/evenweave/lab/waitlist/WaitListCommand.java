// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.waitlist;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.command.ExperimentCommand;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.report.LabResult;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "waitlist",
        description = "Whether a queue's first waiter should live outside the arena: arena against inline-first.")
public final class WaitListCommand extends ExperimentCommand {

    @Option(
            names = "--factor",
            description = "How many times as long as usual each row is measured (default: 1; with --quick 0.2).")
    private @Nullable Double factor;

    @Override
    protected Experiment experiment() {
        double length = factor != null ? factor : quick() ? 0.2 : 1;
        if (!(length > 0 && length <= 1000)) {
            throw new UserError("--factor " + length + ": must be above 0, and 1000 at most");
        }
        return new WaitListExperiment(length);
    }

    @Override
    protected List<String> conclusions(LabResult result) {
        return Decision.of(result);
    }
}
