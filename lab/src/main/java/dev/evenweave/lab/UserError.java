// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab;

import org.jspecify.annotations.Nullable;

/** Bad input: the message names the value and how to put it right, and is all that the user gets to see. */
public final class UserError extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean helpHelps;

    public UserError(String message) {
        this(message, null, true);
    }

    public UserError(String message, Throwable cause) {
        this(message, cause, true);
    }

    private UserError(String message, @Nullable Throwable cause, boolean helpHelps) {
        super(message, cause);
        this.helpHelps = helpHelps;
    }

    /** For what went wrong though the command line was right: a run that failed, a file that could not be written. */
    public static UserError later(String message) {
        return new UserError(message, null, false);
    }

    /** Whether the help of the command may tell how to put it right. */
    boolean helpHelps() {
        return helpHelps;
    }
}
