// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** Runs the command line in this JVM and keeps what it says. */
public abstract class CommandLineTest {

    protected final StringWriter out = new StringWriter();
    protected final StringWriter err = new StringWriter();

    protected final int execute(String... args) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(args);
    }
}
