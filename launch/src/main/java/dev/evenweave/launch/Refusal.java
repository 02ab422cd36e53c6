// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

/** Why this JVM's virtual threads cannot be taken over, in one line that the user can act on. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    Refusal(String message) {
        super(message);
    }

    Refusal(String message, Throwable cause) {
        super(message, cause);
    }
}
