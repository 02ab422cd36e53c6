// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.command;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.engine.Settings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The discipline, as far as a user may loosen or tighten it. */
public final class ExperimentOptions {

    /** As few as allow a verdict. */
    private static final int QUICK_RUNS = 6;

    @Option(
            names = "--runs",
            paramLabel = "N",
            description = "Counted runs of each arm in each scenario (default: 8; with --quick 6).")
    private @Nullable Integer runs;

    @Option(names = "--quick", description = "Fewer and shorter runs: done in one to three minutes.")
    private boolean quick;

    @Option(
            names = "--foreign-limit",
            paramLabel = "PERCENT",
            description = "Repeat a run during which others used more of the machine (default: ${DEFAULT-VALUE}).")
    private double foreignLimit = Settings.DEFAULT.foreignLimit();

    @Option(
            names = "--repeats",
            paramLabel = "N",
            description = "Repeat such a run so often; then keep and mark it (default: 2; with --quick 0).")
    private @Nullable Integer repeats;

    @Option(
            names = "--no-control",
            negatable = false,
            description = "Do not run the base arm a second time; nothing then tells noise from a change.")
    private boolean noControl;

    public boolean quick() {
        return quick;
    }

    Settings settings(int warmups) {
        int count = runs != null ? runs : quick ? QUICK_RUNS : Settings.DEFAULT.runs();
        if (count < 1) {
            throw new UserError("--runs " + count + ": at least 1 is needed, and 6 for a verdict");
        }
        if (!(foreignLimit >= 0 && foreignLimit <= 100)) {
            throw new UserError("--foreign-limit " + foreignLimit + ": give a percentage from 0 to 100");
        }
        int again = repeats != null ? repeats : quick ? 0 : Settings.DEFAULT.repeats();
        if (again < 0) {
            throw new UserError("--repeats " + again + ": give 0 or more");
        }
        return new Settings(count, warmups, !noControl, foreignLimit, again);
    }
}
