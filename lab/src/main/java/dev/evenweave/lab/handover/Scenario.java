// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.handover;

import java.util.Arrays;
import java.util.Optional;

/** What runs. The first four need a hand-over, or time slices; the last two must not lead to any. */
enum Scenario {
    /** A thread reads the clock beside one that spins without a checkpoint; one processor. */
    SPIN_1("spin=1", 1),
    /** The same beside four; one processor. */
    SPIN_4("spin=4", 1),
    /** A thread blocks in a system call that another has to end; one processor. */
    NATIVE("native", 1),
    /** Twice as many threads as processors spin with checkpoints. */
    POLLS("polls", Runtime.getRuntime().availableProcessors()),
    /** Two threads wake each other; one processor. */
    PINGPONG("pingpong", 1),
    /** Sixteen connections ask an HTTP server, one request after the other. */
    HTTP("http", Runtime.getRuntime().availableProcessors());

    final String label;
    final int processors;

    Scenario(String label, int processors) {
        this.label = label;
        this.processors = processors;
    }

    static Optional<Scenario> of(String label) {
        return Arrays.stream(values())
                .filter(scenario -> scenario.label.equals(label))
                .findFirst();
    }
}
