// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Access to a guarded value, or to a part of it, for as long as the lock is held.
 *
 * <p>To be closed, once; any thread may do so. Every other method throws {@link IllegalStateException} after that, and
 * after the guard was turned into another one by {@link #map} or {@link #filterMap}.
 *
 * @param <T> the type of the value or part
 */
public class Guard<T extends @Nullable Object> implements AutoCloseable {
    final Hold hold;
    private final T part;

    Guard(Hold hold, T part) {
        this.hold = hold;
        this.part = part;
    }

    /** The value or part. Do not use it after the guard was closed. */
    public T get() {
        hold.checkHeld();
        return part;
    }

    /**
     * Turns this into a guard of a part of the value, under the same lock, which stays held throughout. This guard has
     * ended then. If the function throws, nothing has changed.
     */
    @CheckReturnValue
    public final <U extends @Nullable Object> Guard<U> map(Function<? super T, ? extends U> function) {
        U inner = function.apply(get());
        return new Guard<>(moved(), inner);
    }

    /**
     * Turns this into a guard of a part of the value if the function finds one. If it does not, or throws, nothing has
     * changed and this guard still holds the lock.
     *
     * @return empty if the function returns empty
     */
    @CheckReturnValue
    public final <U> Optional<Guard<U>> filterMap(Function<? super T, Optional<U>> function) {
        return Objects.requireNonNull(function.apply(get()), "the function returned null")
                .map(inner -> new Guard<>(moved(), inner));
    }

    /** Gives the lock back. Does nothing if this guard has ended. */
    @Override
    public final void close() {
        hold.close();
    }

    /** Ends this guard in favour of a new one. */
    final Hold moved() {
        hold.handOver();
        return new Hold(hold.lock);
    }

    @Override
    public String toString() {
        return hold.isHeld() ? "Guard[" + get() + "]" : "Guard[ended]";
    }
}
