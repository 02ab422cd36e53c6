// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab;

/** Bad input: the message names the value and how to put it right, and is all that the user gets to see. */
public final class UserError extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public UserError(String message) {
        super(message);
    }

    public UserError(String message, Throwable cause) {
        super(message, cause);
    }
}
