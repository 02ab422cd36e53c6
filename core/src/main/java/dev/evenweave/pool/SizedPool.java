// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Pools of buffers of many sizes: one {@link Pool} for each power of two.
 *
 * <pre>{@code
 * static final SizedPool<byte[]> BUFFERS = SizedPool.ofBytes(1 << 10, 1 << 20);
 *
 * try (Lease<byte[]> lease = BUFFERS.lease(contentLength)) {
 *     in.readNBytes(lease.get(), 0, contentLength);
 * }
 * }</pre>
 *
 * <p>A request for more than the largest size is served with a new buffer of exactly that size, which is not kept when it is
 * put: one huge request does not make the pool huge. Each size keeps, for each carrier, as many buffers as make up 1 MiB, at
 * least one and at most 128.
 *
 * <p>Nothing here waits, and any thread may call it; memory effects are those of {@link Pool}.
 *
 * @param <T> the type of the buffers
 */
public final class SizedPool<T> {
    private static final int BYTES_PER_CARRIER = 1 << 20;
    private static final int MOST_PER_CARRIER = 128;

    private final IntFunction<? extends T> factory;
    private final ToIntFunction<? super T> sizeOf;
    private final int smallest;
    private final int largest;
    private final Pool<T>[] pools;
    private final LongAdder oversized = new LongAdder();
    private final LongAdder refused = new LongAdder();

    @SuppressWarnings({"unchecked", "rawtypes"})
    private SizedPool(
            int smallest,
            int largest,
            IntFunction<? extends T> factory,
            ToIntFunction<? super T> sizeOf,
            UnaryOperator<PoolBuilder<T>> options) {
        this.factory = factory;
        this.sizeOf = sizeOf;
        this.smallest = Integer.numberOfTrailingZeros(smallest);
        this.largest = largest;
        List<Pool<T>> made = new ArrayList<>();
        for (long size = smallest; size <= largest; size *= 2) {
            int length = (int) size;
            int kept = Math.clamp(BYTES_PER_CARRIER / length, 1, MOST_PER_CARRIER);
            PoolBuilder<T> builder = Pool.builder((Supplier<T>) () -> factory.apply(length));
            builder.sizeOf(sizeOf::applyAsInt, length).maxRetainedPerCarrier(kept);
            builder.maxRetained(kept * 2 * Math.max(2, Runtime.getRuntime().availableProcessors()));
            made.add(options.apply(builder).build());
        }
        this.pools = made.toArray(new Pool[0]);
    }

    /**
     * Makes a pool of buffers of any kind.
     *
     * @param smallest the smallest size, a power of two
     * @param largest the largest size that is kept, a power of two
     * @param factory makes a buffer of the size it is given
     * @param sizeOf tells the size of a buffer
     * @param options sets options of the pool of each size, for instance what to do with a buffer that is put
     * @param <T> the type of the buffers
     * @return a new pool
     */
    public static <T> SizedPool<T> of(
            int smallest,
            int largest,
            IntFunction<? extends T> factory,
            ToIntFunction<? super T> sizeOf,
            UnaryOperator<PoolBuilder<T>> options) {
        if (Integer.bitCount(smallest) != 1 || Integer.bitCount(largest) != 1 || smallest < 1 || largest < smallest) {
            throw new IllegalArgumentException("sizes from " + smallest + " to " + largest
                    + ": both must be powers of two, and the first not greater than the second");
        }
        return new SizedPool<>(smallest, largest, factory, sizeOf, options);
    }

    /**
     * Makes a pool of byte arrays. The content of an array is what its last user left in it.
     *
     * @param smallest the smallest length, a power of two
     * @param largest the largest length that is kept, a power of two
     * @return a new pool
     */
    public static SizedPool<byte[]> ofBytes(int smallest, int largest) {
        return of(smallest, largest, byte[]::new, array -> array.length, UnaryOperator.identity());
    }

    /**
     * Makes a pool of char arrays. The content of an array is what its last user left in it.
     *
     * @param smallest the smallest length, a power of two
     * @param largest the largest length that is kept, a power of two
     * @return a new pool
     */
    public static SizedPool<char[]> ofChars(int smallest, int largest) {
        return of(smallest, largest, char[]::new, array -> array.length, UnaryOperator.identity());
    }

    /**
     * Makes a pool of byte buffers on the heap, handed out cleared, in big-endian order.
     *
     * @param smallest the smallest capacity, a power of two
     * @param largest the largest capacity that is kept, a power of two
     * @return a new pool
     */
    public static SizedPool<ByteBuffer> ofByteBuffers(int smallest, int largest) {
        return of(smallest, largest, ByteBuffer::allocate, ByteBuffer::capacity, SizedPool::clearing);
    }

    /**
     * Makes a pool of direct byte buffers, handed out cleared, in big-endian order.
     *
     * @param smallest the smallest capacity, a power of two
     * @param largest the largest capacity that is kept, a power of two
     * @return a new pool
     */
    public static SizedPool<ByteBuffer> ofDirectByteBuffers(int smallest, int largest) {
        return of(smallest, largest, ByteBuffer::allocateDirect, ByteBuffer::capacity, SizedPool::clearing);
    }

    private static PoolBuilder<ByteBuffer> clearing(PoolBuilder<ByteBuffer> builder) {
        return builder.reset(buffer -> buffer.clear().order(ByteOrder.BIG_ENDIAN));
    }

    /**
     * Returns a buffer of at least the given size.
     *
     * @param size the size
     * @return a buffer of the next power of two, or of exactly that size if it is larger than the pool keeps
     * @throws IllegalArgumentException if the size is negative
     */
    public T get(int size) {
        Pool<T> pool = poolFor(size);
        if (pool != null) {
            return pool.get();
        }
        oversized.increment();
        return factory.apply(size);
    }

    /**
     * Gives a buffer back. One whose size is not one of this pool's is not kept.
     *
     * @param buffer the buffer
     */
    public void put(T buffer) {
        int size = sizeOf.applyAsInt(buffer);
        if (Integer.bitCount(size) != 1 || size > largest || size < 1 << smallest) {
            refused.increment();
            return;
        }
        pools[Integer.numberOfTrailingZeros(size) - smallest].put(buffer);
    }

    /**
     * Returns a buffer for the length of a try-with-resources statement.
     *
     * @param size the least size
     * @return the lease
     * @throws IllegalArgumentException if the size is negative
     */
    public Lease<T> lease(int size) {
        return new Lease<>(poolFor(size), get(size));
    }

    /** The pool of a size, or null for one that is not kept. */
    @Nullable
    Pool<T> poolFor(int size) {
        if (size < 0) {
            throw new IllegalArgumentException("size " + size + ": must not be negative");
        }
        if (size > largest) {
            return null;
        }
        int exponent = size <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(size - 1);
        return pools[Math.max(0, exponent - smallest)];
    }

    /**
     * Returns what the pools of all sizes have done so far.
     *
     * @return the sums; a request for more than the largest size counts as a miss, a buffer that is not of a size of this pool
     *     as dropped
     */
    public PoolStats stats() {
        PoolStats sum = new PoolStats(0, oversized.sum(), 0, refused.sum(), 0, 0);
        for (Pool<T> pool : pools) {
            sum = sum.plus(pool.stats());
        }
        return sum;
    }

    /** Forgets all idle buffers. */
    public void clear() {
        for (Pool<T> pool : pools) {
            pool.clear();
        }
    }
}
