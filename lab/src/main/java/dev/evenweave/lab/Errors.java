// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** What the command line says when it cannot do what was asked: one line for the user's mistakes, all of it for ours. */
final class Errors {

    private Errors() {}

    static int report(Exception error, CommandLine line, ParseResult parsed) {
        PrintWriter out = line.getErr();
        if (error instanceof UserError) {
            out.println("evenweave: " + error.getMessage());
            return CommandLine.ExitCode.USAGE;
        }
        out.println("evenweave: this is a fault of the program; please report it with the lines below");
        error.printStackTrace(out);
        return CommandLine.ExitCode.SOFTWARE;
    }

    static int report(ParameterException error, String[] arguments) {
        CommandLine line = error.getCommandLine();
        PrintWriter out = line.getErr();
        out.println("evenweave: " + String.valueOf(error.getMessage()).replaceAll("\\R+", " "));
        UnmatchedArgumentException.printSuggestions(error, out);
        out.println("Try: ./" + line.getCommandSpec().qualifiedName() + " --help");
        return CommandLine.ExitCode.USAGE;
    }
}
