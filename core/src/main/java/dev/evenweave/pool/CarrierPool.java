// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import dev.evenweave.carrier.CurrentCarrier;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. The pool as its users call it: the usual get and put, which find the private slot of the caller's carrier and use
 * it with a few plain loads and stores. Everything else is in Store.
 *
 * How the slot is found.
 *   carriers are visible      the carrier is the owner of a Local, for a virtual thread as for a platform thread
 *   they are not              a platform thread owns a Local as before; a virtual thread shares a Stripe
 *
 * Invariants.
 *   I1  No object is handed to two holders, whatever the schedule: Local I1-I3, Stripe I1-I3, Ring I1, Shelf I2.
 *   I2  From the look-up of the owner until its cell is no longer touched, no call is made that can park or yield. The
 *       calls in home() are over when the region begins at the read of full.
 *   I3  Neither get nor put waits.
 *
 * Memory order. None is needed within an owner: the virtual threads of a carrier follow each other on one platform thread.
 * locals is read without order: a cell is of use to its owner alone, who wrote it there.
 *
 * Why a record. The compiler treats the fields of a record as constants where the record is one. For a pool in a static
 * final field (which is where pools are) the table, its length and its mask are then part of the code, which takes a third
 * of the instructions away. That is also why the table never grows, and why its empty places hold a cell of no one: there is
 * no length to load and no null to test.
 *
 * Why not simpler. A thread-local is per virtual thread and so never reused; a queue that all share costs 100 ns and more as
 * soon as two carriers use it.
 */
/** The product: see {@link Pool}. */
record CarrierPool<T>(Local[] locals, Stripe[] stripes, boolean plain, Store<T> store) implements Pool<T> {
    private static final boolean VISIBLE = CurrentCarrier.isVisible();

    static <T> CarrierPool<T> create(PoolBuilder<T> options) {
        Store<T> store = new Store<>(options, VISIBLE ? 0 : Store.STRIPES);
        return new CarrierPool<>(store.locals, store.stripes, store.plain, store);
    }

    @Override
    public T get() {
        T object = tryGet();
        return object != null ? object : store.create();
    }

    @Override
    @SuppressWarnings("unchecked")
    public @Nullable T tryGet() {
        if (isHidden()) {
            return (T) store.takeStriped(stripe());
        }
        Local local = home();
        if (local.full) { // I2 from here
            local.full = false; // to here
            Object object = local.slot;
            if (object != null) {
                local.hits++;
                return (T) object;
            }
        }
        return (T) store.take();
    }

    @Override
    public void put(T object) {
        if (object == null) {
            throw new NullPointerException("put(null): give back the object that get() returned");
        }
        if (!plain && !store.accept(object)) {
            return;
        }
        if (isHidden()) {
            Stripe stripe = stripe();
            if (!stripe.offer(object)) {
                store.putStriped(stripe, object);
            }
            return;
        }
        Local local = home();
        if (local == Local.VACANT || local.full) {
            store.put(object);
            return;
        }
        if (local.slot != object) {
            local.slot = object;
        }
        local.full = true;
    }

    /** Whether the caller's carrier cannot be known. */
    private static boolean isHidden() {
        return !VISIBLE && Thread.currentThread().isVirtual();
    }

    /** The caller's cell if it is where the hash says, else the cell of nobody, which is never full. */
    private Local home() {
        long id = CurrentCarrier.thread().threadId();
        Local local = locals[(int) id & (locals.length - 1)];
        return local.owner == id ? local : Local.VACANT;
    }

    private Stripe stripe() {
        return stripes[(int) Thread.currentThread().threadId() & (stripes.length - 1)];
    }

    @Override
    public PoolStats stats() {
        return store.stats();
    }

    @Override
    public void clear() {
        store.clear();
    }

    // A pool is itself, whatever it is made of.

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public String toString() {
        return "Pool@" + Integer.toHexString(hashCode());
    }
}
