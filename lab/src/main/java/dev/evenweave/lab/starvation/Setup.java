// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.starvation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What one run of the program does.
 *
 * @param arm which scheduler, and what it does with lost requests
 * @param preemption whether a request that no checkpoint met may end a slice at all
 * @param processors how many threads run at a time
 * @param load who runs beside the clock reader
 * @param work iterations of busy work of each of the pair in each round
 * @param seconds how long it is measured
 * @param warmup how long it runs before, in seconds
 * @param gc whether garbage is made all the time
 * @param pinned whether one of the pair cannot leave its carrier when it waits
 */
record Setup(
        Arm arm,
        boolean preemption,
        int processors,
        Load load,
        int work,
        double seconds,
        double warmup,
        boolean gc,
        boolean pinned) {

    /** What is compared. */
    enum Arm {
        OFF("honour=off"),
        ON("honour=on"),
        LOCAL_ONLY("honour=local-only"),
        /** The same program on the JDK's own scheduler. */
        JDK("jdk");

        private final String label;

        Arm(String label) {
            this.label = label;
        }

        @Override
        public String toString() {
            return label;
        }
    }

    /** Who keeps the clock reader waiting. */
    enum Load {
        /** Two threads that hand a value to and fro over channels. */
        PINGPONG,
        /** Two threads that sleep for 30 ns again and again. */
        SLEEPERS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The arguments of the program that does this. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        for (Object value :
                new Object[] {arm.name(), preemption, processors, load.name(), work, seconds, warmup, gc, pinned}) {
            arguments.add(value.toString());
        }
        return arguments;
    }

    static Setup parse(String... arguments) {
        return new Setup(
                Arm.valueOf(arguments[0]),
                Boolean.parseBoolean(arguments[1]),
                Integer.parseInt(arguments[2]),
                Load.valueOf(arguments[3]),
                Integer.parseInt(arguments[4]),
                Double.parseDouble(arguments[5]),
                Double.parseDouble(arguments[6]),
                Boolean.parseBoolean(arguments[7]),
                Boolean.parseBoolean(arguments[8]));
    }
}
