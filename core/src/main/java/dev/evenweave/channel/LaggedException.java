// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

/**
 * Thrown by a receiver of a {@link Broadcast} that overwrites, when elements that it had not received were overwritten.
 * The next receive returns the oldest element that is still there.
 */
public final class LaggedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long missed;

    LaggedException(long missed) {
        super("missed " + missed + (missed == 1 ? " element that was" : " elements that were") + " overwritten");
        this.missed = missed;
    }

    /** How many elements were missed, exactly. */
    public long missed() {
        return missed;
    }
}
