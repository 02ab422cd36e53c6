// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import dev.evenweave.wait.Parker;
import dev.evenweave.wait.Permits;

// Purpose. One permit, as a Lock. Everything is in PermitLock and Permits.

/**
 * A lock that one at a time holds, in the order of asking, handed over directly.
 *
 * {@snippet :
 * mutex.withLock(() -> balance += amount);
 * try (Hold hold = mutex.hold()) { balance += amount; }
 * }
 *
 * <p>Not re-entrant: a thread that asks for a mutex it has taken gets an {@link IllegalStateException}. A hold that was
 * taken by a thread counts as that thread's until it is closed, even if another thread closes it.
 *
 * <p>To guard a value rather than a piece of code, use {@link Guarded}.
 *
 * <p><b>Memory.</b> What was done before an unlock happens-before what is done after the next lock.
 */
public final class Mutex extends ExclusiveLock<Hold> {
    /** Makes a mutex that nobody holds. */
    public Mutex() {
        this(Parker.THREADS);
    }

    Mutex(Parker parker) {
        super(new Permits(1, 1, parker));
    }

    @Override
    Hold newHold() {
        return new Hold(this);
    }

    @Override
    public String toString() {
        long thread = owner();
        return "Mutex[" + (isLocked() ? "locked" : "free") + (thread == 0 ? "" : " by thread #" + thread) + ", queued="
                + queueLength() + "]";
    }
}
