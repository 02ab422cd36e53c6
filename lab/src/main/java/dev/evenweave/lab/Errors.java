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
        if (error instanceof UserError mistake) {
            out.println("evenweave: " + error.getMessage());
            if (mistake.helpHelps()) {
                offerHelp(line, out);
            }
            return CommandLine.ExitCode.USAGE;
        }
        out.println("evenweave: this is a fault of the program; please report it with the lines below");
        error.printStackTrace(out);
        return CommandLine.ExitCode.SOFTWARE;
    }

    static int report(ParameterException error, String[] arguments) {
        CommandLine line = error.getCommandLine();
        PrintWriter out = line.getErr();
        out.println("evenweave: " + message(error));
        UnmatchedArgumentException.printSuggestions(error, out);
        offerHelp(line, out);
        return CommandLine.ExitCode.USAGE;
    }

    private static String message(ParameterException error) {
        CommandLine line = error.getCommandLine();
        if (error instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            String word = "'" + unmatched.getUnmatched().getFirst() + "'";
            if (line.getSubcommands().isEmpty()) {
                return line.getCommandSpec().qualifiedName() + " takes no " + word + ": leave it out";
            }
            return line.getCommandName().equals("lab")
                    ? "there is no experiment " + word + "; ./evenweave lab list shows them"
                    : "there is no command " + word + "; ./evenweave --help shows them";
        }
        return String.valueOf(error.getMessage()).replaceAll("\\R+", " ");
    }

    private static void offerHelp(CommandLine line, PrintWriter out) {
        out.println("Try: ./" + line.getCommandSpec().qualifiedName() + " --help");
    }
}
