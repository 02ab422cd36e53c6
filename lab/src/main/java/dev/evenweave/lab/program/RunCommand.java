// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.program;

import dev.evenweave.lab.UserError;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/**
 * Stands in the list of commands and in shell completion. The script {@code ./evenweave} answers it itself, since a JVM cannot
 * become another program.
 */
@Command(name = "run", description = "Start a Java program, unchanged, with all its virtual threads on Evenweave.")
public final class RunCommand implements Runnable {

    @Unmatched
    private List<String> words = new ArrayList<>();

    @Override
    public void run() {
        throw new UserError("run is answered by the script: ./evenweave run " + String.join(" ", words));
    }
}
