// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import dev.evenweave.wait.Parker;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A queue between threads in the manner of Go: {@link #send} and {@link #receive} wait for each other, across a buffer of
 * a given size or hand to hand without one, and {@link #close} says that nothing more will come.
 *
 * <p>Any number of threads, virtual or platform, may send and receive. Elements are never null. Each element is received
 * once, in the order in which the sends took effect. Those who wait are served in the order of their arrival. Waiting
 * allocates nothing once the channel has seen its usual number of waiters.
 *
 * <p>A sender that finds a waiting receiver gives it the element directly; on Evenweave's scheduler the receiver is then
 * the next to run on the same carrier.
 *
 * <p>{@link Selector} and {@link Select} wait for several channels at once.
 *
 * @param <T> the type of the elements
 */
public final class Channel<T> extends Exchange implements SendChannel<T>, ReceiveChannel<T> {
    /** Big enough that a burst of usual size stays on the fast path; beyond it the overflow takes over. */
    private static final int RING_OF_UNLIMITED = 128;

    private static final int MAX_CAPACITY = 1 << 30;

    private Channel(@Nullable Ring ring, @Nullable Overflow overflow, Parker parker) {
        super(ring, overflow, parker);
    }

    /** For tests that step through the code. */
    static <T> Channel<T> buffered(int capacity, Parker parker) {
        return new Channel<>(capacity == 0 ? null : new Ring(capacity), null, parker);
    }

    /**
     * Makes a channel without a buffer: {@link #send} returns when a receiver has the element.
     *
     * @param <T> the type of the elements
     */
    public static <T> Channel<T> unbuffered() {
        return new Channel<>(null, null, Parker.THREADS);
    }

    /**
     * Makes a channel with a buffer: {@link #send} waits while the buffer is full.
     *
     * @param capacity how many elements the buffer takes, at most 2^30; 0 makes a channel without a buffer
     * @param <T> the type of the elements
     * @throws IllegalArgumentException if the capacity is negative or above 2^30
     */
    public static <T> Channel<T> buffered(int capacity) {
        if (capacity < 0 || capacity > MAX_CAPACITY) {
            throw new IllegalArgumentException("capacity " + capacity + " is not in 0.." + MAX_CAPACITY
                    + "; Channel.unlimited() makes a channel whose senders never wait");
        }
        return buffered(capacity, Parker.THREADS);
    }

    /**
     * Makes a channel whose buffer grows: {@link #send} never waits. Memory is the only limit, so use it where something
     * else bounds the number of elements.
     *
     * @param <T> the type of the elements
     */
    public static <T> Channel<T> unlimited() {
        return new Channel<>(new Ring(RING_OF_UNLIMITED), new Overflow(), Parker.THREADS);
    }

    @Override
    public void send(T element) throws InterruptedException {
        checkElement(element);
        checkInterrupt();
        boolean sent = send(element, FOREVER);
        assert sent : "a wait without a limit has timed out";
    }

    @Override
    public boolean trySend(T element) {
        checkElement(element);
        return trySendObject(element);
    }

    @Override
    public boolean trySend(T element, Duration timeout) throws InterruptedException {
        checkElement(element);
        long nanos = nanos(timeout);
        checkInterrupt();
        return send(element, nanos);
    }

    @Override
    public CompletableFuture<@Nullable Void> sendAsync(T element) {
        checkElement(element);
        ChannelFuture<@Nullable Void> future = new ChannelFuture<>(this, true);
        try {
            if (trySendObject(element) || sendSlowly(element, FOREVER, future.party)) {
                future.settle(null);
            }
        } catch (ChannelClosedException e) {
            future.settle(CLOSED);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted without waiting", e);
        }
        return future;
    }

    @Override
    public T receive() throws InterruptedException {
        checkInterrupt();
        Object element = receive(FOREVER);
        if (element == CLOSED) {
            throw closedException();
        }
        return cast(element);
    }

    @Override
    public @Nullable T receiveOrNull() throws InterruptedException {
        checkInterrupt();
        Object element = receive(FOREVER);
        if (element == CLOSED) {
            return endOrThrow();
        }
        return cast(element);
    }

    @Override
    public @Nullable T tryReceive() {
        return castOrThrow(tryReceiveObject());
    }

    @Override
    public @Nullable T tryReceive(Duration timeout) throws InterruptedException {
        long nanos = nanos(timeout);
        checkInterrupt();
        return castOrThrow(receive(nanos));
    }

    @Override
    public CompletableFuture<T> receiveAsync() {
        ChannelFuture<T> future = new ChannelFuture<>(this, false);
        try {
            Object element = tryReceiveObject();
            if (element == null) {
                element = receiveSlowly(FOREVER, future.party);
            }
            if (element != null) {
                future.settle(element);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted without waiting", e);
        }
        return future;
    }

    @Override
    public boolean close() {
        return closeWith(null);
    }

    @Override
    public boolean close(@Nullable Throwable reason) {
        return closeWith(reason);
    }

    @Override
    public boolean isDrained() {
        return isClosed() && elements() == 0;
    }

    /** How many elements are in the buffer; a snapshot. */
    public int size() {
        return elements();
    }

    /** How many elements the buffer takes; {@link Integer#MAX_VALUE} if it is unlimited. */
    public int capacity() {
        if (ring == null) {
            return 0;
        }
        return isUnlimited() ? Integer.MAX_VALUE : ring.capacity();
    }

    @Override
    public Iterator<T> iterator() {
        return new Elements();
    }

    @Override
    public Stream<T> stream() {
        return StreamSupport.stream(
                Spliterators.spliteratorUnknownSize(iterator(), Spliterator.ORDERED | Spliterator.NONNULL), false);
    }

    /** The channel as one that can only be sent to. */
    public SendChannel<T> asSendChannel() {
        return this;
    }

    /** The channel as one that can only be received from. */
    public ReceiveChannel<T> asReceiveChannel() {
        return this;
    }

    @Override
    public String toString() {
        String kind = ring == null ? "unbuffered" : isUnlimited() ? "unlimited" : "buffered " + ring.capacity();
        return "Channel[" + kind + ", size " + size() + (isClosed() ? ", closed]" : "]");
    }

    private @Nullable T endOrThrow() {
        if (reason() != null) {
            throw closedException();
        }
        return null;
    }

    private @Nullable T castOrThrow(@Nullable Object element) {
        if (element == null) {
            return null;
        }
        if (element == CLOSED) {
            throw closedException();
        }
        return cast(element);
    }

    @SuppressWarnings("unchecked")
    static <E> E cast(@Nullable Object element) {
        return (E) Objects.requireNonNull(element);
    }

    static <E> @Nullable E castOrNull(@Nullable Object element) {
        return element == null ? null : cast(element);
    }

    static void checkElement(@Nullable Object element) {
        if (element == null) {
            throw new NullPointerException(
                    "a channel carries no null: send a value that stands for nothing, or close the channel");
        }
    }

    static void checkInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    static long nanos(Duration timeout) {
        // Half the range of nanoTime: a deadline beyond it would look like one that has passed.
        return timeout.isNegative() ? 0 : Math.min(saturatedNanos(timeout), FOREVER >> 1);
    }

    private static long saturatedNanos(Duration timeout) {
        try {
            return timeout.toNanos();
        } catch (ArithmeticException e) {
            return FOREVER;
        }
    }

    /** The elements one after the other. */
    private final class Elements implements Iterator<T> {
        private @Nullable T element;

        @Override
        public boolean hasNext() {
            if (element == null) {
                try {
                    element = receiveOrNull();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    CancellationException thrown =
                            new CancellationException("interrupted while waiting for the next element");
                    thrown.initCause(e);
                    throw thrown;
                }
            }
            return element != null;
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException("the channel is closed");
            }
            T next = cast(element);
            element = null;
            return next;
        }
    }
}
