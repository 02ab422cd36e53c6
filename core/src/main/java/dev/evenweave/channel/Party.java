// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import org.jspecify.annotations.Nullable;

/** Somebody who waits and is not a thread that stands in this one queue: a case of a select, or a future. */
abstract class Party {
    /** Where it waits; null if it does not. Under the lock of the channel. */
    @Nullable
    Waiter waiter;

    /**
     * Ends the wait; by the granter, under the lock, after the place in the queue was given up.
     *
     * @param outcome as in {@link Waiter#finish}
     * @return whom to wake after unlock; null if the wait was over already
     */
    @Nullable
    abstract Object finish(@Nullable Object outcome);
}
