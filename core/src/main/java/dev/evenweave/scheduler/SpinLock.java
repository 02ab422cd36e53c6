// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import dev.evenweave.carrier.CurrentCarrier;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/*
 * Purpose. Guards the little that all carriers share: the global queue, the idle processors, the parked carriers.
 *
 * Why not a ReentrantLock. execute() runs while a virtual thread is mounted and pinned. Parking there would consume that
 * thread's park permit, and a wake-up that was meant for its own code would be lost. So a waiter spins, and after a while
 * offers its processor to the operating system, since the holder (a platform thread) may have been descheduled.
 *
 * Invariants. I1: what runs under the lock is short, allocates at most a longer array, and calls nothing that can park,
 * yield or wake a thread.
 * I2: a StackOverflowError comes before the lock is taken or not at all: a virtual thread may call execute() with its stack
 *     nearly used up, and a lock that it left held would stop everyone. So whoever may run on such a stack first calls
 *     ensureStack(), before it changes anything; carriers between two tasks need not.
 */
/** A lock that never parks. Not reentrant. */
final class SpinLock {
    private static final VarHandle HELD;
    private static final int SPINS_BEFORE_YIELD = 64;

    /** A compiled frame of the probe is 32 bytes, an interpreted one four times that: 2 kB at least. */
    private static final int STACK_PROBE_DEPTH = 64;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(SpinLock.class, "held", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through HELD
    private volatile boolean held;

    void lock() {
        if (!HELD.compareAndSet(this, false, true)) {
            lockContended();
        }
    }

    /** Goes as deep as anything that holds a lock or wakes a carrier: throws StackOverflowError here or not at all. */
    static void ensureStack() {
        touchStack(STACK_PROBE_DEPTH, 0, 0, 0);
    }

    /** As {@link #ensureStack}, where no carrier will be woken: a third of the time. */
    static void ensureStackToQueue() {
        touchStack(STACK_PROBE_DEPTH / 3, 0, 0, 0);
    }

    /** Some kilobytes of frames, interpreted or compiled, so that what follows finds them. */
    private static long touchStack(int depth, long a, long b, long c) {
        return depth == 0 ? a + b + c : touchStack(depth - 1, b + depth, c, a) + 1;
    }

    private void lockContended() {
        for (int spins = 0; ; spins++) {
            if (!(boolean) HELD.getOpaque(this) && HELD.compareAndSet(this, false, true)) {
                return;
            }
            if (spins < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                CurrentCarrier.yieldPlatformThread();
            }
        }
    }

    void unlock() {
        assert held : "unlock of a free lock";
        HELD.setRelease(this, false);
    }

    boolean isHeld() {
        return held;
    }
}
