// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import java.util.Optional;

/** What is wrong with the virtual threads of some JDKs, on any scheduler. */
final class KnownFaults {
    private KnownFaults() {}

    /**
     * Returns a warning for a JDK in which a virtual thread can stay parked for ever, which is fixed in 25.0.3, 26.0.1 and 27.
     */
    static Optional<String> of(Runtime.Version version) {
        int[] fixed = version.feature() == 25 ? new int[] {25, 0, 3} : new int[] {26, 0, 1};
        boolean affected = version.feature() >= 25
                && version.feature() <= 26
                && (version.interim() == 0 && version.update() < fixed[2]);
        return affected
                ? Optional.of("this JDK, " + version
                        + ", has the fault JDK-8369227: a virtual thread can stay parked for ever"
                        + " after a timed wait; use " + fixed[0] + ".0." + fixed[2] + " or newer")
                : Optional.empty();
    }
}
