// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

/** Something that must never happen has happened in a simulated run. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String what) {
        super(what);
    }
}
