// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.threads;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.command.ExperimentCommand;
import dev.evenweave.lab.engine.Experiment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "parked", description = "What very many parked threads cost, and how fast all of them are woken.")
public final class ParkedCommand extends ExperimentCommand {

    @Option(names = "--threads", description = "How many (default: 1000000; with --quick 100000).")
    private @Nullable Integer threads;

    @Option(names = "--jvm", paramLabel = "FLAG", description = "A flag for the JVM of every run; may be repeated.")
    private List<String> flags = List.of("-Xms4g", "-Xmx4g");

    @Override
    protected Experiment experiment() {
        int count = threads != null ? threads : quick() ? 100_000 : 1_000_000;
        if (count < 1 || count > 100_000_000) {
            throw new UserError("--threads " + count + ": from 1 to 100000000");
        }
        return new ParkedExperiment(count, flags);
    }
}
