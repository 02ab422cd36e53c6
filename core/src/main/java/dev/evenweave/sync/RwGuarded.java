// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

// Purpose. An RwLock that owns what it guards: the value is reached only through a guard.

/**
 * A value that many may read or one may change, and that is reached only with its lock held: an {@link RwLock} with the
 * value inside.
 *
 * {@snippet :
 * RwGuarded<Settings> settings = new RwGuarded<>(Settings.defaults());
 * int port = settings.read(Settings::port);
 * settings.update(old -> old.withPort(8080));
 * }
 *
 * <p>Waiting, order and memory effects are those of {@link RwLock}. There is no poisoning: after a body threw, the next one
 * finds the value as it was left.
 *
 * @param <T> the type of the value
 */
public final class RwGuarded<T extends @Nullable Object> {
    private final RwLock rwLock;
    private final WriteGuard.Cell<T> cell;

    /** Access that may replace the value and can become access that only reads. */
    public static final class Writing<T extends @Nullable Object> extends WriteGuard<T> {
        private final WriteHold writeHold;

        private Writing(WriteHold hold, Cell<T> cell) {
            super(hold, cell);
            this.writeHold = hold;
        }

        /**
         * Turns this into a guard that only reads, with no moment in between in which another could write. This guard has
         * ended then.
         *
         * @throws IllegalStateException if this guard has ended
         */
        @CheckReturnValue
        public Guard<T> downgrade() {
            T value = get();
            return new Guard<>(writeHold.downgrade(), value);
        }
    }

    /** Makes a guarded value that any number may read at once. */
    public RwGuarded(T value) {
        this(value, new RwLock());
    }

    /**
     * Makes a guarded value that so many may read at once.
     *
     * @throws IllegalArgumentException if the number is not from 1 to {@code Long.MAX_VALUE / 2}
     */
    public RwGuarded(T value, long maxReaders) {
        this(value, new RwLock(maxReaders));
    }

    private RwGuarded(T value, RwLock rwLock) {
        this.cell = new WriteGuard.Cell<>(value);
        this.rwLock = rwLock;
    }

    /** The lock that guards the value, for its conditions and observers. */
    public RwLock rwLock() {
        return rwLock;
    }

    /** Takes the read side, as {@code readLock().lock()}. */
    @CheckReturnValue
    public Guard<T> read() {
        return reading(rwLock.readLock().hold());
    }

    /** Takes the write side, as {@code writeLock().lock()}. */
    @CheckReturnValue
    public Writing<T> write() {
        return writing(rwLock.writeLock().hold());
    }

    /**
     * Takes the read side, as {@code readLock().lockInterruptibly()}.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; nothing is held
     */
    @CheckReturnValue
    public Guard<T> readInterruptibly() throws InterruptedException {
        return reading(rwLock.readLock().holdInterruptibly());
    }

    /**
     * Takes the write side, as {@code writeLock().lockInterruptibly()}.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; nothing is held
     */
    @CheckReturnValue
    public Writing<T> writeInterruptibly() throws InterruptedException {
        return writing(rwLock.writeLock().holdInterruptibly());
    }

    /** Takes the read side if it is free for another reader and nobody waits. */
    @CheckReturnValue
    public Optional<Guard<T>> tryRead() {
        return rwLock.readLock().tryHold().map(this::reading);
    }

    /** Takes the write side if the lock is free and nobody waits. */
    @CheckReturnValue
    public Optional<Writing<T>> tryWrite() {
        return rwLock.writeLock().tryHold().map(this::writing);
    }

    /**
     * Takes the read side, waiting for at most this time.
     *
     * @return empty if the time was over first
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; nothing is held
     */
    @CheckReturnValue
    public Optional<Guard<T>> tryRead(Duration timeout) throws InterruptedException {
        return rwLock.readLock().tryHold(timeout).map(this::reading);
    }

    /**
     * Takes the write side, waiting for at most this time.
     *
     * @return empty if the time was over first
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; nothing is held
     */
    @CheckReturnValue
    public Optional<Writing<T>> tryWrite(Duration timeout) throws InterruptedException {
        return rwLock.writeLock().tryHold(timeout).map(this::writing);
    }

    /** Takes the read side without blocking the thread, as {@code readLock().lockAsync()}. */
    @CheckReturnValue
    public CompletableFuture<Guard<T>> readAsync() {
        return Guards.map(rwLock.readLock().lockAsync(), this::reading);
    }

    /** Takes the write side without blocking the thread, as {@code writeLock().lockAsync()}. */
    @CheckReturnValue
    public CompletableFuture<Writing<T>> writeAsync() {
        return Guards.map(rwLock.writeLock().lockAsync(), this::writing);
    }

    /**
     * Applies the function to the value with the read side held.
     *
     * @return what the function returns
     */
    public <R extends @Nullable Object> R read(Function<? super T, ? extends R> function) {
        try (Guard<T> guard = read()) {
            return function.apply(guard.get());
        }
    }

    /** Replaces the value by what the function makes of it, with the write side held. If it throws, the value stays. */
    public void update(UnaryOperator<T> function) {
        try (Writing<T> guard = write()) {
            guard.set(function.apply(guard.get()));
        }
    }

    private Guard<T> reading(Hold hold) {
        return new Guard<>(hold, cell.value);
    }

    private Writing<T> writing(WriteHold hold) {
        return new Writing<>(hold, cell);
    }

    /** The value, or that it is locked; never waits. */
    @Override
    public String toString() {
        Optional<Guard<T>> now = tryRead();
        if (now.isEmpty()) {
            return "RwGuarded[<locked>]";
        }
        try (Guard<T> guard = now.get()) {
            return "RwGuarded[" + guard.get() + "]";
        }
    }
}
