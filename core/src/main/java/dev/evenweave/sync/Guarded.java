// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

// Purpose. A Mutex that owns what it guards: the value is reached only through a guard.

/**
 * A value that is reached only with its lock held: a {@link Mutex} with the value inside.
 *
 * {@snippet :
 * Guarded<Map<String, Integer>> stock = new Guarded<>(new HashMap<>());
 * stock.with(map -> map.merge("tea", 1, Integer::sum));
 * try (WriteGuard<Map<String, Integer>> guard = stock.lock()) { guard.get().clear(); }
 * }
 *
 * <p>Waiting, order and memory effects are those of {@link Mutex}. There is no poisoning: after a body threw, the next one
 * finds the value as it was left.
 *
 * @param <T> the type of the value
 */
public final class Guarded<T extends @Nullable Object> {
    private final Mutex mutex = new Mutex();
    private final WriteGuard.Cell<T> cell;

    /** Makes a guarded value. */
    public Guarded(T value) {
        this.cell = new WriteGuard.Cell<>(value);
    }

    /** The lock that guards the value, for its conditions and observers. */
    public Mutex mutex() {
        return mutex;
    }

    /** Takes the lock, as {@link Mutex#lock()}. */
    @CheckReturnValue
    public WriteGuard<T> lock() {
        return guard(mutex.hold());
    }

    /**
     * Takes the lock, as {@link Mutex#lockInterruptibly()}.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; the lock is not held
     */
    @CheckReturnValue
    public WriteGuard<T> lockInterruptibly() throws InterruptedException {
        return guard(mutex.holdInterruptibly());
    }

    /** Takes the lock if it is free and nobody waits for it. */
    @CheckReturnValue
    public Optional<WriteGuard<T>> tryLock() {
        return mutex.tryHold().map(this::guard);
    }

    /**
     * Takes the lock, waiting for at most this time.
     *
     * @return empty if the time was over first
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; the lock is not held
     */
    @CheckReturnValue
    public Optional<WriteGuard<T>> tryLock(Duration timeout) throws InterruptedException {
        return mutex.tryHold(timeout).map(this::guard);
    }

    /** Takes the lock without blocking the thread, as {@link Mutex#lockAsync()}. */
    @CheckReturnValue
    public CompletableFuture<WriteGuard<T>> lockAsync() {
        return Guards.map(mutex.lockAsync(), this::guard);
    }

    /**
     * Applies the function to the value with the lock held.
     *
     * @return what the function returns
     */
    public <R extends @Nullable Object> R with(Function<? super T, ? extends R> function) {
        try (WriteGuard<T> guard = lock()) {
            return function.apply(guard.get());
        }
    }

    /** Replaces the value by what the function makes of it, with the lock held. If it throws, the value stays. */
    public void update(UnaryOperator<T> function) {
        try (WriteGuard<T> guard = lock()) {
            guard.set(function.apply(guard.get()));
        }
    }

    private WriteGuard<T> guard(Hold hold) {
        return new WriteGuard<>(hold, cell);
    }

    /** The value, or that it is locked; never waits. */
    @Override
    public String toString() {
        Optional<WriteGuard<T>> now = tryLock();
        if (now.isEmpty()) {
            return "Guarded[<locked>]";
        }
        try (WriteGuard<T> guard = now.get()) {
            return "Guarded[" + guard.get() + "]";
        }
    }
}
