// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

/** An option that does not exist, or a value that it does not take: the message names both and where they came from. */
final class BadOption extends Exception {
    private static final long serialVersionUID = 1L;

    BadOption(String message) {
        super(message);
    }
}
