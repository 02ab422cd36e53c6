// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * Permits taken from a {@link Semaphore}, to be given back by {@link #close}, once, whatever else happens.
 *
 * <p>The first {@code close}, {@link #forget} or {@link #merge} into another empties the permit; after that all of them
 * do nothing. So a permit cannot give back more than was taken. Any thread may close it.
 */
public final class Permit implements AutoCloseable {
    private static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(Permit.class, "held", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Semaphore semaphore;
    private volatile long held;

    Permit(Semaphore semaphore, long held) {
        this.semaphore = semaphore;
        this.held = held;
    }

    /** How many permits this holds; 0 after it was closed, forgotten or merged. */
    public long permits() {
        return held;
    }

    /** Gives the permits back, first of all to those who wait. */
    @Override
    public void close() {
        long all = (long) HELD.getAndSet(this, 0L);
        if (all > 0) {
            semaphore.release(all);
        }
    }

    /** Empties this permit without giving anything back: the semaphore has so many permits less for good. */
    public void forget() {
        held = 0;
    }

    /**
     * Takes n of these permits into a permit of their own; n = 0 gives an empty one.
     *
     * @return empty, with nothing changed, if this holds fewer than n
     * @throws IllegalArgumentException if n is negative
     */
    @CheckReturnValue
    public Optional<Permit> split(long n) {
        Results.checkCount("permits to split", n);
        while (true) {
            long all = held;
            if (n > all) {
                return Optional.empty();
            }
            if (HELD.compareAndSet(this, all, all - n)) {
                return Optional.of(new Permit(semaphore, n));
            }
        }
    }

    /**
     * Takes over all permits of the other, which is empty then.
     *
     * @throws IllegalArgumentException if the other is of another semaphore or is this permit itself; nothing changed
     * @throws IllegalStateException if the sum is more than a long can hold; nothing changed
     */
    public void merge(Permit other) {
        if (other.semaphore != semaphore) {
            throw new IllegalArgumentException("The other permit is of another semaphore, " + other.semaphore
                    + ", and cannot be merged into one of " + semaphore);
        }
        if (other == this) {
            throw new IllegalArgumentException("A permit cannot be merged into itself");
        }
        long more = (long) HELD.getAndSet(other, 0L);
        while (true) {
            long all = held;
            if (all + more < 0) {
                HELD.getAndAdd(other, more);
                throw new IllegalStateException(all + " and " + more + " permits are more than one permit can hold");
            }
            if (HELD.compareAndSet(this, all, all + more)) {
                return;
            }
        }
    }

    @Override
    public String toString() {
        return "Permit[" + held + " of " + semaphore + "]";
    }
}
