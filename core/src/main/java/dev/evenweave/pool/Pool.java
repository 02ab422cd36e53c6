// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pool of reusable objects, kept by carrier: what {@code sync.Pool} is to goroutines, for virtual threads.
 *
 * <pre>{@code
 * static final Pool<byte[]> BUFFERS = Pool.ofBytes(8192);
 *
 * int copied = BUFFERS.use(buffer -> copy(in, out, buffer));
 * }</pre>
 *
 * <p>{@link #get} returns an idle object if it finds one and makes one if not; {@link #put} gives an object back. Neither
 * ever waits. There is no relation between the two but this: an object that was put is handed out at most once before it is
 * put again. It may be handed to any thread. The pool is free to forget idle objects at any time, and does so
 *
 * <ul>
 *   <li>at once, when the bound on what it keeps is reached or the object is too large ({@link PoolBuilder});
 *   <li>when nobody takes the object over two rotations, see {@link PoolBuilder#rotateEvery};
 *   <li>before the JVM throws an {@link OutOfMemoryError}: all but at most one object for each carrier or platform thread is
 *       softly reachable, and the rest, where its size is known, is small.
 * </ul>
 *
 * <p>All methods may be called by any thread, virtual on any scheduler or not, and without any JVM flag. With
 * {@code --add-opens java.base/java.lang=ALL-UNNAMED} (or {@code =dev.evenweave} if it is on the module path) virtual threads
 * find their carrier; without it they share a small number of places by atomic exchange, which is somewhat slower.
 *
 * <p><b>Memory effects.</b> Actions in a thread before {@code put} happen before the actions that follow the {@code get} that
 * returns the object.
 *
 * <p><b>Interruption</b> has no effect on any method.
 *
 * <p>A pool of resources that must be closed, or whose number must be limited, is something else: this one never makes a
 * caller wait for an object and never closes one.
 *
 * <p>The structure (a private slot and a stealable chain of rings for each processor, and a victim generation) is that of Go
 * 1.13's {@code sync.Pool}.
 *
 * @param <T> the type of the objects
 */
public sealed interface Pool<T> permits CarrierPool, CheckedPool {

    /**
     * Starts to describe a pool.
     *
     * @param factory makes an object when there is no idle one; it is called by the thread that needs the object and may be
     *     called by several threads at once
     * @param <T> the type of the objects
     * @return a builder with the defaults
     */
    static <T> PoolBuilder<T> builder(Supplier<? extends T> factory) {
        return new PoolBuilder<>(factory);
    }

    /**
     * Makes a pool of byte arrays of one length: what a {@code ThreadLocal<byte[]>} is used for. The content of an array is
     * what its last user left in it.
     *
     * @param length the length of each array
     * @return a pool with the defaults
     */
    static Pool<byte[]> ofBytes(int length) {
        return builder(() -> new byte[length])
                .reset(array -> sameSize("byte", array.length, length))
                .sizeOf(array -> array.length, length)
                .build();
    }

    /**
     * Makes a pool of char arrays of one length. The content of an array is what its last user left in it.
     *
     * @param length the length of each array
     * @return a pool with the defaults
     */
    static Pool<char[]> ofChars(int length) {
        return builder(() -> new char[length])
                .reset(array -> sameSize("char", array.length, length))
                .sizeOf(array -> 2L * array.length, 2L * length)
                .build();
    }

    /**
     * Makes a pool of byte buffers on the heap, handed out cleared, in big-endian order.
     *
     * @param capacity the capacity of each buffer
     * @return a pool with the defaults
     */
    static Pool<ByteBuffer> ofByteBuffers(int capacity) {
        return buffers(() -> ByteBuffer.allocate(capacity), capacity);
    }

    /**
     * Makes a pool of direct byte buffers, handed out cleared, in big-endian order. A direct buffer that the pool forgets is
     * freed by the garbage collector; the JVM's limit on direct memory does not make a pool forget, so choose a bound.
     *
     * @param capacity the capacity of each buffer
     * @return a pool with the defaults
     */
    static Pool<ByteBuffer> ofDirectByteBuffers(int capacity) {
        return buffers(() -> ByteBuffer.allocateDirect(capacity), capacity);
    }

    /**
     * Makes a pool of string builders, handed out empty. A builder that has grown beyond the limit is not kept.
     *
     * @param capacity the capacity of a new builder
     * @param maxCapacity the largest capacity that is kept
     * @return a pool with the defaults
     */
    static Pool<StringBuilder> ofStringBuilders(int capacity, int maxCapacity) {
        if (maxCapacity < capacity) {
            throw new IllegalArgumentException(
                    "maxCapacity " + maxCapacity + " is less than capacity " + capacity + ": nothing would be kept");
        }
        return builder(() -> new StringBuilder(capacity))
                .reset(text -> text.setLength(0))
                .sizeOf(StringBuilder::capacity, maxCapacity)
                .build();
    }

    private static Pool<ByteBuffer> buffers(Supplier<ByteBuffer> factory, int capacity) {
        return builder(factory)
                .reset(buffer -> {
                    sameSize("ByteBuffer", buffer.capacity(), capacity);
                    buffer.clear().order(ByteOrder.BIG_ENDIAN);
                })
                .sizeOf(ByteBuffer::capacity, capacity)
                .build();
    }

    private static void sameSize(String what, int size, int expected) {
        if (size != expected) {
            throw new IllegalArgumentException(
                    what + "[" + size + "] was put into a pool of size " + expected + ": put back what get() returned");
        }
    }

    /**
     * Returns an idle object, or a new one if there is none.
     *
     * @return the object, which is the caller's until it is put
     * @throws NullPointerException if the factory returned null
     */
    T get();

    /**
     * Returns an idle object, or null if there is none.
     *
     * @return the object, which is the caller's until it is put, or null
     */
    @Nullable
    T tryGet();

    /**
     * Gives an object back. The caller must not use it any more. An object that did not come from this pool is welcome if
     * nobody else has it; to put an object twice is an error that the pool detects only if it is
     * {@linkplain PoolBuilder#checked checked}.
     *
     * @param object the object
     * @throws NullPointerException if the object is null
     * @throws RuntimeException what the {@code reset} hook throws; the object is then not kept
     */
    void put(T object);

    /**
     * Runs a function on an object of the pool and gives the object back, also when the function throws.
     *
     * @param function what to do; it must not keep the object
     * @param <R> what the function returns
     * @param <X> what the function throws
     * @return what the function returned
     * @throws X what the function threw
     */
    default <R extends @Nullable Object, X extends Exception> R use(Use<? super T, ? extends R, X> function) throws X {
        T object = get();
        try {
            return function.apply(object);
        } finally {
            put(object);
        }
    }

    /**
     * Returns an object of the pool for the length of a try-with-resources statement.
     *
     * @return the lease
     */
    default Lease<T> lease() {
        return new Lease<>(this, get());
    }

    /**
     * Returns what the pool has done so far. To be called now and then, not on every request: it waits for a lock.
     *
     * @return counters and the number of idle objects
     */
    PoolStats stats();

    /** Forgets all idle objects. Objects that are put or taken meanwhile may or may not be among them. */
    void clear();

    /**
     * A function on a pooled object.
     *
     * @param <T> the type of the object
     * @param <R> what it returns
     * @param <X> what it throws
     */
    @FunctionalInterface
    interface Use<T, R extends @Nullable Object, X extends Exception> {
        /**
         * Uses the object.
         *
         * @param object the object; it must not be kept
         * @return the result
         * @throws X if it fails
         */
        R apply(T object) throws X;
    }
}
