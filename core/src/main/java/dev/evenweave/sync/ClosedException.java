// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import org.jspecify.annotations.Nullable;

/** Thrown by waiting at something that is closed; the cause is the reason that was given to {@code close}, if any. */
public final class ClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    ClosedException(String message, @Nullable Throwable reason) {
        super(message, reason);
    }
}
