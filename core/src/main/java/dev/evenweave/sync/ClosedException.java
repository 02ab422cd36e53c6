// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import org.jspecify.annotations.Nullable;

/** Thrown by waiting at something that is closed; the cause is the reason that was given to {@code close}, if any. */
public final class ClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final transient boolean traced;

    private ClosedException(String message, @Nullable Throwable reason, boolean traced) {
        // First, since the constructor above asks for the trace.
        this.traced = traced;
        super(message, reason);
    }

    static ClosedException thrown(@Nullable Throwable reason) {
        return new ClosedException(message(reason), reason, true);
    }

    /**
     * For a callback, which nobody throws it at: the trace would be that of the thread that closes, which is no news to that
     * and costs most of what closing costs when thousands wait.
     */
    static ClosedException told(@Nullable Throwable reason) {
        return new ClosedException(message(reason), reason, false);
    }

    private static String message(@Nullable Throwable reason) {
        return reason == null ? "closed" : "closed: " + reason;
    }

    @Override
    public Throwable fillInStackTrace() {
        return traced ? super.fillInStackTrace() : this;
    }
}
