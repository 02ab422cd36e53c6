// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import org.jspecify.annotations.Nullable;

/** Something to be called when the lock has been given back. */
public abstract class Callback {
    /** The next one to be called; owned by whoever has taken this one out of its queue. */
    @Nullable
    Callback link;

    protected Callback() {}

    /** What to do; called once for each {@link #dispatch}, outside every lock. */
    protected abstract void call();

    /** Calls it and gives what was thrown, the earlier failure first. */
    final @Nullable Throwable callInto(@Nullable Throwable earlier) {
        try {
            call();
            return earlier;
        } catch (Throwable t) {
            return Trampoline.also(earlier, t);
        }
    }

    /**
     * Calls it: now, or, if this thread is inside another callback, when that one has returned. Throws what it threw, or
     * one of those that came up while it ran.
     */
    public final void dispatch() {
        Trampoline.rethrow(Trampoline.run(this, this));
    }
}
