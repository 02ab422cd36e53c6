// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

/** A run that gave no numbers. The message is for the user: what failed, and the last that it said. */
public final class RunFailedException extends Exception {

    private static final long serialVersionUID = 1L;

    public RunFailedException(String message) {
        super(message);
    }

    public RunFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
