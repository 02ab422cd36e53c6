// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import dev.evenweave.wait.Parker;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

// Purpose. The table behind OnceMap and SingleFlight: a computation per key, with a count of those who take part in it.
//
// Invariants.
//   I1  An entry without an outcome is in the table only as long as somebody takes part in it: who leaves last removes
// it,
//       under the lock of the map's bin, and who joins counts itself under the same lock. So nothing is left behind by
//       failures, and nobody waits in an entry that is no longer in the table without having been let in before.
//   I2  No body runs under a lock of the map: joining and leaving are all that does. A body may ask for other keys.

/** Computations by key. */
final class Flights<K, V> {
    private final ConcurrentHashMap<K, Flight<K, V>> table = new ConcurrentHashMap<>();
    private final boolean keepsValues;
    private final Parker parker;

    /** @param keepsValues false if an entry leaves the table when it has an outcome, before anybody shares that */
    Flights(boolean keepsValues, Parker parker) {
        this.keepsValues = keepsValues;
        this.parker = parker;
    }

    /** One computation. */
    private static final class Flight<K, V> extends Initialization<V> {
        private final Flights<K, V> home;
        private final K key;

        /** How many take part; under the lock of the bin. */
        private int users;

        Flight(Flights<K, V> home, K key) {
            super(home.parker);
            this.home = home;
            this.key = key;
        }

        @Override
        void finishing() {
            if (!home.keepsValues) {
                home.table.remove(key, this);
            }
        }

        @SuppressWarnings("unchecked")
        @Nullable
        V valueOrNull() {
            return (V) outcome();
        }
    }

    /** The value of the key, if it has one. */
    @Nullable
    V get(K key) {
        Flight<K, V> flight = table.get(key);
        return flight == null ? null : flight.valueOrNull();
    }

    /** Puts a value in, in place of what is there. */
    void put(K key, V value) {
        Flight<K, V> flight = new Flight<>(this, key);
        flight.initial(Objects.requireNonNull(value, "value"));
        table.put(key, flight);
    }

    <E extends Throwable> V lead(K key, ScopedValue.CallableOp<?, E> body, boolean shares)
            throws E, InterruptedException {
        Results.checkInterrupt();
        Flight<K, V> flight = join(key);
        try {
            return flight.lead(body, shares);
        } finally {
            leave(flight);
        }
    }

    <E extends Throwable> V lead(K key, ScopedValue.CallableOp<?, E> body, boolean shares, Duration timeout)
            throws E, InterruptedException, TimeoutException {
        Results.checkInterrupt();
        Flight<K, V> flight = join(key);
        try {
            return flight.lead(body, shares, timeout);
        } finally {
            leave(flight);
        }
    }

    <E extends Throwable> V leadUninterruptibly(K key, ScopedValue.CallableOp<?, E> body, boolean shares) throws E {
        Flight<K, V> flight = join(key);
        try {
            return flight.leadUninterruptibly(body, shares);
        } finally {
            leave(flight);
        }
    }

    CompletableFuture<V> leadAsync(K key, Supplier<? extends CompletionStage<?>> body, boolean shares) {
        Objects.requireNonNull(body, "body");
        Flight<K, V> flight = join(key);
        CompletableFuture<V> future;
        try {
            future = flight.computeAsync(body, shares);
        } catch (Throwable t) {
            // Of a callback, after a body that was complete at once.
            leave(flight);
            throw t;
        }
        future.whenComplete((value, failure) -> leave(flight));
        return future;
    }

    private Flight<K, V> join(K key) {
        return Objects.requireNonNull(table.compute(key, (same, present) -> {
            Flight<K, V> flight = present == null ? new Flight<>(this, key) : present;
            flight.users++;
            return flight;
        }));
    }

    private void leave(Flight<K, V> flight) {
        table.computeIfPresent(flight.key, (same, present) -> {
            boolean last = present == flight && --flight.users == 0;
            return last && flight.outcome() == null ? null : present;
        });
    }

    /** Takes the key out of the table, so that the next to come begins another computation; whether it was there. */
    boolean detach(K key) {
        return table.remove(key) != null;
    }

    /** The same; the value, if it has one. */
    @Nullable
    V remove(K key) {
        Flight<K, V> flight = table.remove(key);
        return flight == null ? null : flight.valueOrNull();
    }

    /** Calls the action with each key that has a value. */
    void forEach(BiConsumer<? super K, ? super V> action) {
        table.forEach((key, flight) -> {
            V value = flight.valueOrNull();
            if (value != null) {
                action.accept(key, value);
            }
        });
    }

    /** How many keys have a value. */
    int complete() {
        return count(flight -> flight.outcome() != null ? 1 : 0);
    }

    /** How many keys have none yet. */
    int inFlight() {
        return count(flight -> flight.outcome() == null ? 1 : 0);
    }

    /** How many wait, at all keys. */
    int waiting() {
        return count(Initialization::waiting);
    }

    /** How many wait at this key. */
    int waiting(K key) {
        Flight<K, V> flight = table.get(key);
        return flight == null ? 0 : flight.waiting();
    }

    private int count(ToIntFunction<Flight<K, V>> what) {
        int sum = 0;
        for (Flight<K, V> flight : table.values()) {
            sum += what.applyAsInt(flight);
        }
        return sum;
    }
}
