// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. The place of one platform thread (as a rule the carrier of virtual threads) in one pool: a private slot for one
 * object, used with plain reads and writes.
 *
 * States. The flag, not the reference, says whether the slot holds an object:
 *
 *                   put: slot = object, full = true
 *      lent/empty <------------------------------------> idle
 *                   get: full = false, returns slot
 *
 *   slot keeps its reference while the object is out. In the usual case the same object goes round, and then neither get nor
 *   put stores a reference: no barrier of the garbage collector runs. Nobody reads slot unless full is set.
 *
 * Invariants.
 *   I1  Only code that runs on the owner reads or writes full, and writes anything but null to slot.
 *   I2  Between the read of full in get and its write there is no call: a virtual thread leaves its carrier only in a call
 *       (that parks, yields or blocks), so no other virtual thread of the carrier comes in between.
 *   I3  The keeper may set slot to null at any time. It can cost an object, it cannot double one: get takes null for a miss.
 *
 * Memory order. None within the owner. The keeper and stats() read full, slot and hits opaquely, and a stale value makes
 * them keep an idle object for one rotation longer, or lose one that just came back.
 *
 * Why not simpler. An atomic exchange needs no owner and costs a locked instruction on every call (that is what Stripe
 * does, where the owner cannot be known). A keeper that moves the object out of the slot, as Go's does with the world
 * stopped, would race with I2.
 */
/** The cell of one platform thread. */
final class Local extends LocalFields {
    private static final VarHandle FULL;
    private static final VarHandle SLOT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            FULL = lookup.findVarHandle(LocalFields.class, "full", boolean.class);
            SLOT = lookup.findVarHandle(LocalFields.class, "slot", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // keeps what follows in memory off these lines
    long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

    /** The owner of no cell that is in use. */
    static final long NOBODY = -1;

    /** Stands where no cell is: it belongs to no thread and is never full. */
    static final Local VACANT = new Local();

    Local(Thread owner) {
        super(owner.threadId(), owner);
    }

    private Local() {
        super(NOBODY, null);
    }

    /** Whether the owner is gone; then whoever holds the pool's lock is the owner. */
    boolean isOrphan() {
        Thread thread = ownerThread.get();
        return thread == null || !thread.isAlive();
    }

    @Override
    boolean holds() {
        return (boolean) FULL.getOpaque(this) && SLOT.getOpaque(this) != null;
    }

    /** See I3. */
    @Override
    void forget() {
        SLOT.setOpaque(this, null);
    }
}

/** What the owner of a {@link Local} touches on every call. */
abstract class LocalFields extends Cell {
    /** The thread's id, which is never used again: enough to tell the owner, and holds nothing. */
    final long owner;

    final WeakReference<@Nullable Thread> ownerThread;

    boolean full;

    @Nullable
    Object slot;

    LocalFields(long owner, @Nullable Thread ownerThread) {
        this.owner = owner;
        this.ownerThread = new WeakReference<>(ownerThread);
    }
}
