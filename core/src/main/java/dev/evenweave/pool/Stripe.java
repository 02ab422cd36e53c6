// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. A place in a pool for callers that cannot know whose place is theirs: virtual threads in a JVM that does not show
 * its carriers, and any thread for which there is no Local. Callers are spread over the stripes by thread id.
 *
 * Invariants.
 *   I1  Taking from the slot is one atomic exchange.
 *   I2  Putting is a check and a store, not an exchange: of two puts that race one object is lost, which a pool may do; none
 *       can be doubled, since each store is of an object in hand.
 *   I3  Only the holder of busy is the producer of the shelf. It is held over straight-line code that cannot park, and nobody
 *       waits for it.
 *
 * Who may touch what. slot, busy: any thread. shelf: the holder of busy; its tail: any thread. The counters are counted
 * without an atomic operation and may lose a count when two threads meet.
 */
/** A cell that any thread may use. */
final class Stripe extends StripeFields {
    private static final VarHandle SLOT;
    private static final VarHandle BUSY;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SLOT = lookup.findVarHandle(StripeFields.class, "slot", Object.class);
            BUSY = lookup.findVarHandle(StripeFields.class, "busy", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // keeps what follows in memory off these lines
    long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

    /** Takes what is in the slot, or null. */
    @Nullable
    Object take() {
        return SLOT.getOpaque(this) == null ? null : SLOT.getAndSet(this, null);
    }

    /** Puts an object into the slot; false if there is one already. */
    boolean offer(Object object) {
        if (SLOT.getOpaque(this) != null) {
            return false;
        }
        SLOT.setRelease(this, object);
        return true;
    }

    /** Becomes the producer of the shelf, unless another is. */
    boolean tryAcquire() {
        return !(boolean) BUSY.getOpaque(this) && (boolean) BUSY.compareAndSet(this, false, true);
    }

    void release() {
        BUSY.setRelease(this, false);
    }

    @Override
    boolean holds() {
        return SLOT.getOpaque(this) != null;
    }

    @Override
    void forget() {
        SLOT.setOpaque(this, null);
    }
}

/** What every caller on a {@link Stripe} touches. */
abstract class StripeFields extends Cell {
    @Nullable
    Object slot;

    boolean busy;
}
