// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

// Purpose. The lock of everything that waits. A section under it is some tens of instructions, calls no foreign code
// and never parks or yields, so a virtual thread cannot be unmounted in it: only the operating system can stop it, with
// its carrier. Hence those who meet it spin shortly and then yield, but never while they hold another one (tryLock).
//
// Memory order. Compare-and-set to take it, release to give it back.
//
// Why not simpler. A monitor or a j.u.c. lock would park the loser, on an unbounded queue of its own, to save tens of
// nanoseconds.

/** A lock for sections that are shorter than a context switch. */
public abstract class ShortLock {
    private static final int SPINS_BEFORE_YIELD = 64;
    private static final VarHandle LOCKED;

    static {
        try {
            LOCKED = MethodHandles.lookup().findVarHandle(ShortLock.class, "locked", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** 1 while somebody holds it. */
    @SuppressWarnings("unused")
    private int locked;

    protected ShortLock() {}

    protected final void lock() {
        if (!LOCKED.compareAndSet(this, 0, 1)) {
            lockContended();
        }
    }

    private void lockContended() {
        while (!tryLock()) {
            Thread.yield();
        }
    }

    /** Spins for the lock, without yielding; false if it stayed taken. For those who hold another one. */
    protected final boolean tryLock() {
        for (int spins = 0; spins < SPINS_BEFORE_YIELD; spins++) {
            if ((int) LOCKED.getOpaque(this) == 0 && LOCKED.compareAndSet(this, 0, 1)) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    protected final void unlock() {
        LOCKED.setRelease(this, 0);
    }

    /** For assertions and for tests that step through the code. */
    public final boolean isLocked() {
        return (int) LOCKED.getVolatile(this) != 0;
    }
}
