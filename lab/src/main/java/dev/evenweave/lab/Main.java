// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab;

import dev.evenweave.lab.hogs.DemoCommand;
import dev.evenweave.lab.program.RunCommand;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;

/**
 * The command line.
 *
 * <p>Exit codes: 0 done, 1 failed (a regression that was asked to fail, or a fault of the program), 2 the input was bad
 * and a line on the error stream says how to put it right.
 */
@Command(
        name = "evenweave",
        description = "A fair scheduler for virtual threads, and a lab that measures it.",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        versionProvider = Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:failed", "2:bad input"},
        subcommands = {DemoCommand.class, RunCommand.class, GenerateCompletion.class, HelpCommand.class})
public final class Main {

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Main());
        CommandLine lab = new CommandLine(new LabCommand());
        Experiments.ALL.forEach(lab::addSubcommand);
        line.addSubcommand(lab);
        line.registerConverter(int.class, Main::wholeNumber);
        line.registerConverter(Integer.class, Main::wholeNumber);
        line.setExecutionExceptionHandler(Errors::report);
        line.setParameterExceptionHandler(Errors::report);
        return line;
    }

    /** As picocli does, but for the words. */
    private static Integer wholeNumber(String text) {
        try {
            return Integer.valueOf(text);
        } catch (NumberFormatException e) {
            throw new TypeConversionException("'" + text + "': give a whole number, at most " + Integer.MAX_VALUE);
        }
    }
}
