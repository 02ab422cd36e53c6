// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Describes a {@link Pool}.
 *
 * @param <T> the type of the objects
 */
public final class PoolBuilder<T> {
    /** At 8 KiB an object, 1 MiB for each carrier. */
    private static final int DEFAULT_PER_CARRIER = 128;

    final Supplier<? extends T> factory;

    @Nullable
    Consumer<? super T> reset;

    @Nullable
    ToLongFunction<? super T> sizeOf;

    long maxSize = Long.MAX_VALUE;
    int maxRetainedPerCarrier = DEFAULT_PER_CARRIER;
    int maxRetained = DEFAULT_PER_CARRIER * 2 * Math.max(2, Runtime.getRuntime().availableProcessors());
    Duration shortest = Duration.ofSeconds(1);
    Duration longest = Duration.ofSeconds(30);
    boolean checked = Boolean.getBoolean("evenweave.pool.checked");

    @Nullable
    Consumer<? super PoolMisuseException> onMisuse;

    @Nullable
    ToLongFunction<? super T> fingerprint;

    PoolBuilder(Supplier<? extends T> factory) {
        if (factory == null) {
            throw new NullPointerException("a pool needs a factory for its objects");
        }
        this.factory = factory;
    }

    /**
     * Sets what is done with an object when it is put, in the thread that puts it: make it fit for its next user, or throw
     * to refuse it.
     *
     * @param reset the hook
     * @return this
     */
    public PoolBuilder<T> reset(Consumer<? super T> reset) {
        this.reset = reset;
        return this;
    }

    /**
     * Tells how large an object is, and from which size on it is not kept. Objects that grow with their use (string
     * builders, output streams, maps) otherwise stay as large as the largest use has made them.
     *
     * @param sizeOf the size in bytes, or in whatever unit {@code max} is in
     * @param max the largest size that is kept
     * @return this
     */
    public PoolBuilder<T> sizeOf(ToLongFunction<? super T> sizeOf, long max) {
        if (max < 0) {
            throw new IllegalArgumentException("max size " + max + ": must not be negative");
        }
        this.sizeOf = sizeOf;
        this.maxSize = max;
        return this;
    }

    /**
     * Sets how many idle objects the pool keeps for one carrier (or platform thread). Default: 128.
     *
     * @param max the bound, at least 1
     * @return this
     */
    public PoolBuilder<T> maxRetainedPerCarrier(int max) {
        this.maxRetainedPerCarrier = positive(max, "maxRetainedPerCarrier");
        return this;
    }

    /**
     * Sets how many idle objects the pool keeps in all. Default: 256 for each processor of the machine.
     *
     * @param max the bound, at least 1
     * @return this
     */
    public PoolBuilder<T> maxRetained(int max) {
        this.maxRetained = positive(max, "maxRetained");
        return this;
    }

    /**
     * Sets when idle objects age. At a rotation those that were idle at the one before, and were not taken since, are
     * released; so an idle object survives one rotation and goes at the second. A rotation takes place after a garbage
     * collection, but not sooner than {@code shortest} after the last one, and in any case after {@code longest}.
     *
     * <p>The default is 1 s and 30 s: a collection is the sign that memory is wanted; young collections may come ten times a
     * second, and a pool that is emptied between two bursts of the same second is of no use; and in a program that does
     * not allocate, nothing is kept for more than a minute of idleness.
     *
     * @param shortest the least time between two rotations; zero for a rotation after every collection
     * @param longest the greatest time between two rotations
     * @return this
     */
    public PoolBuilder<T> rotateEvery(Duration shortest, Duration longest) {
        if (shortest.isNegative() || longest.compareTo(shortest) < 0 || !longest.isPositive()) {
            throw new IllegalArgumentException(
                    "rotateEvery(" + shortest + ", " + longest + "): needs 0 <= shortest <= longest, and longest > 0");
        }
        this.shortest = shortest;
        this.longest = longest;
        return this;
    }

    /**
     * Makes a slow pool that checks its users: an object put twice, or put without having come from this pool, or used after
     * it was put, or never put. The first two are thrown by {@code put}; the others are found later and go to the log as
     * warnings. Each {@link PoolMisuseException} carries the stacks of the calls that led to it. For tests, and for hunting
     * in production: {@code -Devenweave.pool.checked=true} makes every pool of the program a checked one.
     *
     * @return this
     */
    public PoolBuilder<T> checked() {
        this.checked = true;
        return this;
    }

    /**
     * As {@link #checked()}; misuse that no call can throw goes to a handler.
     *
     * @param onMisuse receives it, in some thread that calls the pool
     * @return this
     */
    public PoolBuilder<T> checked(Consumer<? super PoolMisuseException> onMisuse) {
        this.onMisuse = onMisuse;
        return checked();
    }

    /**
     * Tells a checked pool how to see that an object was changed after it was put. Arrays of bytes and chars, byte buffers and
     * string builders need none.
     *
     * @param fingerprint a number that is likely to change when the object does
     * @return this
     */
    public PoolBuilder<T> fingerprint(ToLongFunction<? super T> fingerprint) {
        this.fingerprint = fingerprint;
        return this;
    }

    /**
     * Makes the pool.
     *
     * @return a new pool
     */
    public Pool<T> build() {
        if (checked) {
            return new CheckedPool<>(this);
        }
        CarrierPool<T> pool = CarrierPool.create(this);
        Keeper.keep(pool.store(), shortest, longest);
        return pool;
    }

    private static int positive(int value, String name) {
        if (value < 1) {
            throw new IllegalArgumentException(name + "(" + value + "): must be at least 1");
        }
        return value;
    }
}
