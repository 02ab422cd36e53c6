// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab;

import dev.evenweave.lab.compare.CompareCommand;
import dev.evenweave.lab.run.RunCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Groups the experiments. */
@Command(
        name = "lab",
        description = "Measure a change so that the result can be believed.",
        subcommands = {ListCommand.class, RunCommand.class, CompareCommand.class})
final class LabCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        CommandLine line = spec.commandLine();
        throw new ParameterException(line, "lab needs the name of an experiment; ./evenweave lab list shows them");
    }
}
