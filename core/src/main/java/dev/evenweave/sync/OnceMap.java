// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.Parker;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Purpose. A OnceCell for each key: the public face of Flights in which values stay.

/**
 * A map whose values are computed once for each key, by one of those who ask.
 *
 * {@snippet :
 * Schema schema = schemas.compute(name, () -> registry.fetch(name));
 * }
 *
 * <p>Each key is like a {@link OnceCell}: the first to come runs its body, the others wait and share its value; when it
 * throws, the exception is its caller's alone and the next in the queue runs its own body. A key whose bodies have all
 * failed leaves nothing behind. Different keys do not wait for each other, and a body may ask for other keys; one that asks
 * for its own gets an {@link IllegalStateException}. Neither keys nor values are null.
 *
 * <p>{@link #remove} and {@link #discard} take a key out even while it is computed: those who wait for it still get the
 * value, those who come later begin again.
 *
 * <p><b>Memory.</b> What was done in the body happens-before what is done by whoever got the value. For a value that is
 * there, the interrupt flag is not looked at.
 *
 * <p>See {@link OnceCell} for cancellation and the {@linkplain dev.evenweave.sync package description} for interruption and
 * time limits. To share computations without keeping their values use {@link SingleFlight}.
 */
public final class OnceMap<K, V> {
    private final Flights<K, V> flights;

    /** Makes an empty map. */
    public OnceMap() {
        this(Parker.THREADS);
    }

    OnceMap(Parker parker) {
        this.flights = new Flights<>(true, parker);
    }

    /** Makes a map with these values; of several for one key the last one stays. */
    public OnceMap(Iterable<? extends Map.Entry<? extends K, ? extends V>> entries) {
        this();
        for (Map.Entry<? extends K, ? extends V> entry : entries) {
            flights.put(entry.getKey(), entry.getValue());
        }
    }

    /**
     * The value of the key, or null if it has none or it is being computed. Does not wait.
     */
    public @Nullable V get(K key) {
        return flights.get(key);
    }

    /**
     * Gives the value of the key, computing it or waiting for whoever does.
     *
     * @throws E what the body throws
     * @throws InterruptedException if there is no value and the thread is interrupted on entry, or while it waits to run its
     *     body
     * @throws NullPointerException if the body gives null
     * @throws IllegalStateException if the thread runs a body for this key
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> V compute(K key, ScopedValue.CallableOp<? extends V, E> body)
            throws E, InterruptedException {
        V now = get(key);
        return now != null ? now : flights.lead(key, body, false);
    }

    /**
     * The same, waiting for at most this time to run its body; the body itself is not limited.
     *
     * @throws E what the body throws
     * @throws TimeoutException if the time was over first
     * @throws InterruptedException as {@link #compute(Object, ScopedValue.CallableOp)}
     * @throws NullPointerException if the body gives null
     * @throws IllegalStateException if the thread runs a body for this key
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> V compute(K key, ScopedValue.CallableOp<? extends V, E> body, Duration timeout)
            throws E, InterruptedException, TimeoutException {
        V now = get(key);
        return now != null ? now : flights.lead(key, body, false, timeout);
    }

    /**
     * The same, whether interrupted or not.
     *
     * @throws E what the body throws
     * @throws NullPointerException if the body gives null
     * @throws IllegalStateException if the thread runs a body for this key
     */
    @CanIgnoreReturnValue
    public <E extends Throwable> V computeUninterruptibly(K key, ScopedValue.CallableOp<? extends V, E> body) throws E {
        V now = get(key);
        return now != null ? now : flights.leadUninterruptibly(key, body, false);
    }

    /**
     * The same, without blocking the thread; see {@link OnceCell#getOrInitAsync}.
     *
     * @return the future of the value; failed with what the body throws or its stage fails with
     */
    @CheckReturnValue
    public CompletableFuture<V> computeAsync(K key, Supplier<? extends CompletionStage<? extends V>> body) {
        V now = get(key);
        return now != null ? CompletableFuture.completedFuture(now) : flights.leadAsync(key, body, false);
    }

    /**
     * Takes the key out. If it is being computed, those who wait still get the value; the map will not have it.
     *
     * @return the value, or null if there was none yet
     */
    @CanIgnoreReturnValue
    public @Nullable V remove(K key) {
        return flights.remove(key);
    }

    /**
     * Takes the key out, as {@link #remove} does.
     *
     * @return whether it had a value or was being computed
     */
    @CanIgnoreReturnValue
    public boolean discard(K key) {
        return flights.detach(key);
    }

    /** Calls the action with each key that has a value; as weakly consistent as the iteration of a concurrent map. */
    public void forEach(BiConsumer<? super K, ? super V> action) {
        flights.forEach(action);
    }

    /** How many keys have a value. A snapshot, by counting them. */
    public int size() {
        return flights.complete();
    }

    /** How many keys are being computed. A snapshot, by counting them. */
    public int computing() {
        return flights.inFlight();
    }

    /** How many wait for the value of the key. A snapshot. */
    public int queueLength(K key) {
        return flights.waiting(key);
    }

    @Override
    public String toString() {
        return "OnceMap[size=" + size() + ", computing=" + computing() + ", queued=" + flights.waiting() + "]";
    }
}
