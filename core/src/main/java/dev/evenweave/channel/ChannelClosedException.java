// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a channel operation that cannot succeed any more because the channel was closed. Its cause is the reason
 * that the channel was closed with, if any.
 */
public final class ChannelClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    ChannelClosedException(String message, @Nullable Throwable reason) {
        super(message, reason);
    }
}
