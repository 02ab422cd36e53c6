// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab;

import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Shows the experiments. */
@Command(name = "list", description = "List the experiments.")
final class ListCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        for (Class<?> experiment : Experiments.ALL) {
            CommandSpec command = CommandSpec.forAnnotatedObject(experiment, CommandLine.defaultFactory());
            out.printf(
                    Locale.ROOT,
                    "%-12s %s%n",
                    command.name(),
                    String.join(" ", command.usageMessage().description()));
        }
        out.println();
        out.println("Run one with: ./evenweave lab NAME [--quick]; its options: ./evenweave lab NAME --help");
    }
}
