// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import dev.evenweave.wait.Gate;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.ShortLock;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Purpose. The latest value, and who has seen it. A value has a version; a receiver remembers the version that it has
// seen, and waits at a gate whose period is the version.
//
// Invariants.
//   I1  `current` changes under the lock, to the next version; the period of the gate follows it, never ahead.
//   I2  A receiver's `seen` is a version that it was given.
//
// Memory order. `current` is volatile and immutable: a look takes no lock.

/**
 * Holds a value that changes, and lets receivers wait for a change. Receivers see the latest value, not every value: for
 * configuration, state, progress.
 *
 * <p>What a thread did before it set a value happens-before what another does after it got that value.
 *
 * @param <T> the type of the value
 */
public final class Watch<T> extends ShortLock {
    private record Versioned(Object value, long version) {}

    private final Gate changes = new Gate(Parker.THREADS);
    private volatile Versioned current;
    private int receivers;
    private volatile boolean closed;
    private @Nullable Throwable reason;

    /**
     * Makes one with a first value, which new receivers have seen.
     *
     * @param value not null
     */
    public Watch(T value) {
        Channel.checkElement(value);
        current = new Versioned(value, 0);
    }

    /** The latest value. */
    public T get() {
        return Channel.cast(current.value());
    }

    /**
     * Sets the value if somebody is subscribed.
     *
     * @param value not null
     * @return false if there is no receiver; the value is not set
     * @throws ChannelClosedException if the watch is closed
     */
    public boolean send(T value) {
        return set(value, false) != null;
    }

    /**
     * Sets the value, whether somebody is subscribed or not.
     *
     * @param value not null
     * @return the value before
     * @throws ChannelClosedException if the watch is closed
     */
    public T replace(T value) {
        return Channel.cast(Objects.requireNonNull(set(value, true)).value());
    }

    private @Nullable Versioned set(T value, boolean always) {
        Channel.checkElement(value);
        lock();
        if (closed || receivers == 0 && !always) {
            boolean end = closed;
            unlock();
            if (end) {
                throw closedException();
            }
            return null;
        }
        Versioned before = current;
        Versioned after = new Versioned(value, before.version() + 1);
        current = after;
        unlock();
        announce(after.version());
        return before;
    }

    /** Lets the gate's period catch up with the version. */
    private void announce(long version) {
        long period = changes.period();
        while (version - period > 0 && !changes.advance(period, version)) {
            long now = changes.period();
            if (now == period) {
                return; // closed
            }
            period = now;
        }
    }

    /** Subscribes: the receiver has seen the value that is there now. Should be closed. */
    public Receiver<T> subscribe() {
        lock();
        receivers++;
        Receiver<T> receiver = new Receiver<>(this, current.version());
        unlock();
        return receiver;
    }

    /** How many receivers are subscribed; a snapshot. */
    public int receivers() {
        lock();
        int now = receivers;
        unlock();
        return now;
    }

    /** Closes it without a reason; as {@link #close(Throwable)} with null. */
    public boolean close() {
        return close(null);
    }

    /**
     * Closes it: no value can be set any more. A receiver that has not seen the last value still gets it, and a
     * {@link ChannelClosedException} after that.
     *
     * @param why the cause of what they get, or null
     * @return false if it was closed already
     */
    public boolean close(@Nullable Throwable why) {
        lock();
        if (closed) {
            unlock();
            return false;
        }
        reason = why;
        closed = true;
        long last = current.version();
        unlock();
        announce(last);
        changes.close(why);
        return true;
    }

    /** Whether no value can be set any more. */
    public boolean isClosed() {
        return closed;
    }

    private ChannelClosedException closedException() {
        Throwable why = reason;
        return new ChannelClosedException(
                why == null ? "the watch is closed" : "the watch was closed because of: " + why, why);
    }

    /**
     * Somebody who sees changes. For one thread at a time.
     *
     * @param <T> the type of the value
     */
    public static final class Receiver<T> implements AutoCloseable {
        private final Watch<T> watch;
        private volatile long seen;
        private boolean left;

        private Receiver(Watch<T> watch, long seen) {
            this.watch = watch;
            this.seen = seen;
        }

        /** Whether there is a value that this receiver has not seen. */
        public boolean hasChanged() {
            return watch.current.version() != seen;
        }

        /** The latest value, which counts as seen. */
        public T get() {
            Versioned now = watch.current;
            seen = now.version();
            return Channel.cast(now.value());
        }

        /**
         * Waits until there is a value that this receiver has not seen, and takes it.
         *
         * @return the latest value; it counts as seen
         * @throws InterruptedException if the thread is interrupted on entry or while it waits: nothing counts as seen
         * @throws ChannelClosedException if the watch is closed and the last value was seen, or this becomes so
         */
        public T receive() throws InterruptedException {
            return Channel.cast(receive(Exchange.FOREVER));
        }

        /**
         * Waits until there is a value that this receiver has not seen, and takes it, but waits no longer than the
         * timeout.
         *
         * @param timeout the longest time to wait; zero or less: do not wait
         * @return the latest value; or null if the time is over
         * @throws InterruptedException as {@link #receive}
         * @throws ChannelClosedException as {@link #receive}
         */
        public @Nullable T tryReceive(Duration timeout) throws InterruptedException {
            return Channel.castOrNull(receive(Channel.nanos(timeout)));
        }

        private @Nullable Object receive(long nanos) throws InterruptedException {
            Channel.checkInterrupt();
            long deadline = nanos == Exchange.FOREVER ? 0 : System.nanoTime() + nanos;
            while (true) {
                boolean end = watch.closed;
                if (hasChanged()) {
                    return get();
                }
                if (end) {
                    throw watch.closedException();
                }
                long left = nanos == Exchange.FOREVER ? nanos : deadline - System.nanoTime();
                if (left <= 0) {
                    return null;
                }
                if (watch.changes.await(seen, Mode.INTERRUPTIBLE, left) == WaitQueue.INTERRUPTED) {
                    Thread.interrupted();
                    throw new InterruptedException();
                }
            }
        }

        /** Leaves; the watch does not count this receiver any more. Closing again does nothing. */
        @Override
        public void close() {
            watch.lock();
            if (!left) {
                left = true;
                watch.receivers--;
            }
            watch.unlock();
        }
    }
}
