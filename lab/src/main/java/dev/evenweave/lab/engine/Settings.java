// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

/**
 * How an experiment is carried out.
 *
 * @param runs counted runs of each arm in each scenario
 * @param warmups runs of each arm, before the first that counts, that are made and thrown away
 * @param control whether the base arm is run a second time, to be compared with itself
 * @param foreignLimit the share of the machine, in percent, that others may use during a run before it is repeated
 * @param repeats how often a run above the limit is repeated before it is kept as it is, and marked
 */
public record Settings(int runs, int warmups, boolean control, double foreignLimit, int repeats) {

    public static final Settings DEFAULT = new Settings(8, 1, true, 5, 2);

    public Settings {
        if (runs < 1) {
            throw new IllegalArgumentException("runs must be at least 1, but is " + runs);
        }
        if (warmups < 0) {
            throw new IllegalArgumentException("warmups must not be negative, but is " + warmups);
        }
        if (!(foreignLimit >= 0)) {
            throw new IllegalArgumentException("foreignLimit must be a percentage from 0 up, but is " + foreignLimit);
        }
        if (repeats < 0) {
            throw new IllegalArgumentException("repeats must not be negative, but is " + repeats);
        }
    }
}
