// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock that is held, to be given back by {@link #close}, once.
 *
 * <p>Any thread may close it. After the first {@code close}, or after it was turned into another kind of hold, it does
 * nothing more.
 */
public class Hold implements AutoCloseable {
    private static final VarHandle OPEN;

    static {
        try {
            OPEN = MethodHandles.lookup().findVarHandle(Hold.class, "open", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What a hold gives back. */
    interface Held {
        /** Unlocks, whichever thread locked. */
        void giveBack();
    }

    final Held lock;
    private volatile boolean open = true;

    Hold(Held lock) {
        this.lock = lock;
    }

    /** Whether this was not closed and not turned into another hold. */
    public final boolean isHeld() {
        return open;
    }

    /** Gives the lock back. */
    @Override
    public final void close() {
        if (OPEN.compareAndSet(this, true, false)) {
            lock.giveBack();
        }
    }

    /** Makes this hold end without giving the lock back, because something else holds it now. */
    final void handOver() {
        if (!OPEN.compareAndSet(this, true, false)) {
            throw ended();
        }
    }

    final void checkHeld() {
        if (!open) {
            throw ended();
        }
    }

    private IllegalStateException ended() {
        return new IllegalStateException("This hold of " + lock
                + " has ended: it was closed, or turned into another one that is to be used instead");
    }

    @Override
    public String toString() {
        return (open ? "Hold[" : "Hold[ended, ") + lock + "]";
    }
}
