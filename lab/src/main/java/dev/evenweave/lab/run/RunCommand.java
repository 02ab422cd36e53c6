// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.run;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.command.ExperimentCommand;
import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.engine.Experiment;
import dev.evenweave.lab.run.CommandExperiment.Arm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of an experiment with commands. */
@Command(
        name = "run",
        description = "Compare two commands, or one command with a switch off and on.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./evenweave lab run --a 'sort -S1M big.txt' --b 'sort -S64M big.txt'",
            "  ./evenweave lab run --toggle my.cache=off,on -- java -jar server-test.jar",
            "  ./evenweave lab run --toggle-env GODEBUG=asyncpreemptoff=1,asyncpreemptoff=0 -- ./prog",
            "",
            "Numbers are lines 'name value unit' of the standard output, lines of Go benchmarks, the file that",
            "--result names, and always the command's wall time, processor time and peak memory."
        })
public final class RunCommand extends ExperimentCommand {

    @Option(names = "--a", paramLabel = "COMMAND", description = "The base, a line for the shell.")
    private @Nullable String a;

    @Option(names = "--b", paramLabel = "COMMAND", description = "What it is compared with.")
    private @Nullable String b;

    @Option(
            names = "--toggle",
            paramLabel = "PROPERTY=OFF,ON",
            description = "Run the java command after -- with each of the values of this system property.")
    private @Nullable String toggle;

    @Option(
            names = "--toggle-env",
            paramLabel = "VARIABLE=OFF,ON",
            description = "Run the command after -- with each of the values of this environment variable.")
    private @Nullable String toggleEnv;

    @Option(
            names = "--result",
            paramLabel = "FILE",
            description = "Read this file after each run: JMH JSON, Go benchmark text, or a result file of the lab.")
    private @Nullable Path resultFile;

    @Option(
            names = "--metric",
            split = ",",
            paramLabel = "NAME",
            description = "Keep these metrics only (default: all).")
    private List<String> metrics = List.of();

    @Option(
            names = "--better",
            split = ",",
            paramLabel = "METRIC=lower|higher",
            description = "Which direction of a metric is the good one, where its unit does not tell.")
    private Map<String, String> better = Map.of();

    @Option(
            names = "--limit",
            paramLabel = "SECONDS",
            description = "A run that takes longer has failed (default: ${DEFAULT-VALUE}).")
    private double limit = 600;

    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "The command of --toggle or --toggle-env, after --.")
    private List<String> command = List.of();

    @Override
    protected Experiment experiment() {
        if (!(limit > 0 && limit <= 86_400)) {
            throw new UserError("--limit " + limit + ": give a number of seconds above 0, at most a day");
        }
        Map<String, Better> directions = new LinkedHashMap<>();
        better.forEach((metric, direction) -> directions.put(metric, direction(metric, direction)));
        return new CommandExperiment(
                arms(),
                resultFile,
                directions,
                new LinkedHashSet<>(metrics),
                Duration.ofMillis(Math.round(1_000 * limit)));
    }

    private static Better direction(String metric, String name) {
        try {
            return Better.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new UserError("--better " + metric + "=" + name + ": give lower, higher or neither", e);
        }
    }

    private Map<String, Arm> arms() {
        boolean twoCommands = a != null || b != null;
        int ways = (twoCommands ? 1 : 0) + (toggle != null ? 1 : 0) + (toggleEnv != null ? 1 : 0);
        if (ways != 1) {
            throw new UserError("give one of: --a and --b; --toggle and a java command after --; --toggle-env and a"
                    + " command after --");
        }
        Map<String, Arm> arms = new LinkedHashMap<>();
        if (twoCommands) {
            if (a == null || b == null) {
                throw new UserError("--a and --b belong together: give both");
            }
            if (!command.isEmpty()) {
                throw new UserError("'" + command.getFirst()
                        + "': --a and --b take no command after --; put a command of" + " several words in quotes");
            }
            if (a.isBlank() || b.isBlank()) {
                throw new UserError("--a and --b need a command each, but one is blank");
            }
            arms.put("A", new Arm(List.of("/bin/sh", "-c", a), Map.of()));
            arms.put("B", new Arm(List.of("/bin/sh", "-c", b), Map.of()));
            return arms;
        }
        String option = toggle != null ? "--toggle" : "--toggle-env";
        Toggle parsed = Toggle.parse(option, toggle != null ? toggle : String.valueOf(toggleEnv));
        if (command.isEmpty()) {
            throw new UserError(option + " needs the command that it switches, after --");
        }
        for (String value : parsed.values()) {
            Arm arm = toggle != null
                    ? new Arm(withProperty(parsed.name(), value), Map.of())
                    : new Arm(command, Map.of(parsed.name(), value));
            if (arms.put(parsed.name() + "=" + value, arm) != null) {
                throw new UserError(option + " has the value " + value + " twice: give different ones");
            }
        }
        return arms;
    }

    /** The option goes first after java, where the command's own could still overrule it, as anywhere. */
    private List<String> withProperty(String name, String value) {
        Path program = Path.of(command.getFirst()).getFileName();
        if (program == null || !program.toString().matches("java(\\.exe)?")) {
            throw new UserError("--toggle sets a system property and needs a java command after --, not "
                    + command.getFirst() + ": use --toggle-env for other programs");
        }
        List<String> changed = new ArrayList<>(command);
        changed.add(1, "-D" + name + "=" + value);
        return changed;
    }

    /** A name and its values, the base first. */
    private record Toggle(String name, List<String> values) {

        static Toggle parse(String option, String text) {
            int equals = text.indexOf('=');
            List<String> values =
                    equals < 0 ? List.of() : List.of(text.substring(equals + 1).split(",", -1));
            if (equals < 1 || values.size() < 2) {
                throw new UserError(option + " " + text + ": give a name and at least two values, as in name=off,on");
            }
            return new Toggle(text.substring(0, equals), values);
        }
    }
}
