// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.command;

import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

/** The command as it was typed, for the record. */
public final class Typed {

    private Typed() {}

    public static String command(CommandSpec spec) {
        return spec.root().commandLine().getParseResult().originalArgs().stream()
                .map(word -> word.matches("[\\w,./:=+@%-]+") ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" ", "./evenweave ", ""));
    }
}
