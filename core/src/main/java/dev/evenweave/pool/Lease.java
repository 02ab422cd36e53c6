// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import org.jspecify.annotations.Nullable;

/**
 * An object of a {@link Pool} for the length of a try-with-resources statement.
 *
 * <pre>{@code
 * try (Lease<byte[]> lease = BUFFERS.lease()) {
 *     in.read(lease.get());
 * }
 * }</pre>
 *
 * <p>A lease may be closed by another thread than the one that made it, but not by two at once.
 *
 * @param <T> the type of the object
 */
public final class Lease<T> implements AutoCloseable {
    private final @Nullable Pool<T> home;
    private @Nullable T object;

    /** With no home, the object is left to the garbage collector. */
    Lease(@Nullable Pool<T> home, T object) {
        this.home = home;
        this.object = object;
    }

    /**
     * Returns the leased object.
     *
     * @return the object, the same one at every call
     * @throws IllegalStateException if the lease is closed: the object may be another's by now
     */
    public T get() {
        T leased = object;
        if (leased == null) {
            throw new IllegalStateException("the lease is closed: its object is back in the pool");
        }
        return leased;
    }

    /** Gives the object back. Closing again does nothing. */
    @Override
    public void close() {
        T leased = object;
        if (leased != null) {
            object = null;
            if (home != null) {
                home.put(leased);
            }
        }
    }
}
