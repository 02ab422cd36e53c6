// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

// Purpose. A channel that ends by itself: it counts its senders, and the last one to leave closes it. The channel does
// the rest.
//
// State. `open` is the number of senders and reservations that are open, or ENDED. It goes up only while it is not
// ENDED
// and from 1 it goes down to ENDED: so the channel is closed once, by whoever was last.

/**
 * A channel of many senders and one receiver that ends when the last sender has left: each sender is opened with
 * {@link #sender} or {@link Sender#another}, and closed. A sender may {@linkplain Sender#reserve reserve} its place in
 * the buffer before it has the element.
 *
 * {@snippet :
 * Mpsc<Line> lines = Mpsc.bounded(64);
 * for (Path file : files) {
 *     Mpsc.Sender<Line> sender = lines.sender();
 *     Thread.startVirtualThread(() -> {
 *         try (sender) {
 *             read(file, sender);
 *         }
 *     });
 * }
 * for (Line line : lines.receiver()) { // ends when all files are read
 *     print(line);
 * }
 * }
 *
 * <p>Elements of one sender arrive in the order in which it sent them. Waiting senders and reservations are served in the
 * order of their arrival.
 *
 * @param <T> the type of the elements
 */
public final class Mpsc<T> {
    private static final int ENDED = -1;
    private static final VarHandle OPEN;

    static {
        try {
            OPEN = MethodHandles.lookup().findVarHandle(Mpsc.class, "open", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Channel<T> channel;
    private volatile int open;

    private Mpsc(Channel<T> channel) {
        this.channel = channel;
    }

    /**
     * Makes one with a buffer, whose senders wait while it is full.
     *
     * @param capacity how many elements and reservations the buffer takes: 1 to 2^30
     * @param <T> the type of the elements
     * @throws IllegalArgumentException if the capacity is not in this range
     */
    public static <T> Mpsc<T> bounded(int capacity) {
        if (capacity == 0) {
            throw new IllegalArgumentException(
                    "capacity 0: a bounded Mpsc has at least one place; Channel.unbuffered() has none");
        }
        return new Mpsc<>(Channel.buffered(capacity));
    }

    /**
     * Makes one with a buffer that grows, whose senders never wait.
     *
     * @param <T> the type of the elements
     */
    public static <T> Mpsc<T> unbounded() {
        return new Mpsc<>(Channel.unlimited());
    }

    /**
     * Opens a sender, which must be closed.
     *
     * @throws ChannelClosedException if the last sender has left, or the receiver has
     */
    public Sender<T> sender() {
        enter();
        return new Sender<>(this);
    }

    /** The side of the receiver. It ends, without a reason, when the last sender has left and all was received. */
    public ReceiveChannel<T> receiver() {
        return channel;
    }

    /** The receiver leaves without a reason; as {@link #cancel(Throwable)} with null. */
    public boolean cancel() {
        return cancel(null);
    }

    /**
     * The receiver leaves: what is in the buffer is dropped, and senders, those who wait included, get a
     * {@link ChannelClosedException}. Reservations that are held do not delay this; they cannot be used any more.
     *
     * @param reason the cause of what the senders get, or null
     * @return false if it was closed already
     */
    public boolean cancel(@Nullable Throwable reason) {
        boolean first = channel.close(reason);
        while (true) {
            Object dropped = channel.tryReceiveObject();
            if (dropped == null || dropped == Exchange.CLOSED) {
                return first;
            }
        }
    }

    private void enter() {
        while (true) {
            int now = open;
            if (now == ENDED || channel.isClosed()) {
                throw channel.isClosed()
                        ? channel.closedException()
                        : new ChannelClosedException("the last sender has left", null);
            }
            if (OPEN.compareAndSet(this, now, now + 1)) {
                return;
            }
        }
    }

    private void leave() {
        while (true) {
            int now = open;
            int next = now == 1 ? ENDED : now - 1;
            if (OPEN.compareAndSet(this, now, next)) {
                if (next == ENDED) {
                    channel.close();
                }
                return;
            }
        }
    }

    /**
     * One of the senders. May be used by several threads; closing it is final.
     *
     * @param <T> the type of the elements
     */
    public static final class Sender<T> implements AutoCloseable {
        private static final VarHandle CLOSED;

        static {
            try {
                CLOSED = MethodHandles.lookup().findVarHandle(Sender.class, "closed", boolean.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final Mpsc<T> mpsc;
        private volatile boolean closed;

        private Sender(Mpsc<T> mpsc) {
            this.mpsc = mpsc;
        }

        /**
         * Opens another sender of the same channel, which must be closed too.
         *
         * @throws ChannelClosedException if the receiver has left
         * @throws IllegalStateException if this sender is closed
         */
        public Sender<T> another() {
            checkOpen();
            return mpsc.sender();
        }

        /**
         * Sends the element; as {@link SendChannel#send}.
         *
         * @throws InterruptedException if the thread is interrupted: the element is not sent
         * @throws ChannelClosedException if the receiver leaves: the element is not sent
         * @throws IllegalStateException if this sender is closed
         */
        public void send(T element) throws InterruptedException {
            checkOpen();
            mpsc.channel.send(element);
        }

        /**
         * Sends the element if there is room; as {@link SendChannel#trySend(Object)}.
         *
         * @return false if the buffer is full
         * @throws ChannelClosedException if the receiver has left
         * @throws IllegalStateException if this sender is closed
         */
        public boolean trySend(T element) {
            checkOpen();
            return mpsc.channel.trySend(element);
        }

        /**
         * Sends the element, and waits for room no longer than the timeout.
         *
         * @return false if the time is over; the element is not sent
         * @throws InterruptedException if the thread is interrupted: the element is not sent
         * @throws ChannelClosedException if the receiver leaves: the element is not sent
         * @throws IllegalStateException if this sender is closed
         */
        public boolean trySend(T element, Duration timeout) throws InterruptedException {
            checkOpen();
            return mpsc.channel.trySend(element, timeout);
        }

        /**
         * Sends the element with a future that waits in the place of the thread; as {@link SendChannel#sendAsync}.
         *
         * @throws IllegalStateException if this sender is closed
         */
        public CompletableFuture<@Nullable Void> sendAsync(T element) {
            checkOpen();
            return mpsc.channel.sendAsync(element);
        }

        /**
         * Waits for a place in the buffer and keeps it, so that the element can be sent later without waiting.
         *
         * @return the place; use it or close it
         * @throws InterruptedException if the thread is interrupted on entry or while it waits: no place is taken
         * @throws ChannelClosedException if the receiver leaves
         * @throws IllegalStateException if this sender is closed
         */
        public Reservation<T> reserve() throws InterruptedException {
            checkOpen();
            Channel.checkInterrupt();
            return held(reserve(Exchange.FOREVER));
        }

        /**
         * Keeps a place in the buffer if there is one.
         *
         * @return the place, or null if the buffer is full
         * @throws ChannelClosedException if the receiver has left
         * @throws IllegalStateException if this sender is closed
         */
        public @Nullable Reservation<T> tryReserve() {
            checkOpen();
            try {
                return reserve(Exchange.NOW);
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted without waiting", e);
            }
        }

        /**
         * Waits for a place in the buffer, no longer than the timeout, and keeps it.
         *
         * @return the place, or null if the time is over
         * @throws InterruptedException as {@link #reserve()}
         * @throws ChannelClosedException if the receiver leaves
         * @throws IllegalStateException if this sender is closed
         */
        public @Nullable Reservation<T> tryReserve(Duration timeout) throws InterruptedException {
            checkOpen();
            long nanos = Channel.nanos(timeout);
            Channel.checkInterrupt();
            return reserve(nanos);
        }

        private @Nullable Reservation<T> reserve(long nanos) throws InterruptedException {
            mpsc.enter();
            boolean done = false;
            try {
                done = mpsc.channel.isUnlimited() || mpsc.channel.reserve(nanos);
                return done ? new Reservation<>(mpsc) : null;
            } finally {
                if (!done) {
                    mpsc.leave();
                }
            }
        }

        private static <T> Reservation<T> held(@Nullable Reservation<T> reservation) {
            if (reservation == null) {
                throw new AssertionError("a wait without a limit has timed out");
            }
            return reservation;
        }

        private void checkOpen() {
            if (closed) {
                throw new IllegalStateException("this sender is closed");
            }
        }

        /** Leaves; the last to leave ends the channel. Closing again does nothing. */
        @Override
        public void close() {
            if (CLOSED.compareAndSet(this, false, true)) {
                mpsc.leave();
            }
        }
    }

    /**
     * A place in the buffer that nobody else can take. It counts as a sender: the channel does not end while it is held.
     * It says nothing about the order of the element, which is sent when it is sent.
     *
     * @param <T> the type of the elements
     */
    public static final class Reservation<T> implements AutoCloseable {
        private static final VarHandle USED;

        static {
            try {
                USED = MethodHandles.lookup().findVarHandle(Reservation.class, "used", boolean.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final Mpsc<T> mpsc;

        @SuppressWarnings("unused")
        private volatile boolean used;

        private Reservation(Mpsc<T> mpsc) {
            this.mpsc = mpsc;
        }

        /**
         * Sends the element into the place, without waiting.
         *
         * @throws ChannelClosedException if the receiver has left; the place is given back
         * @throws IllegalStateException if the place was used or given back before
         */
        public void send(T element) {
            Channel.checkElement(element);
            if (!USED.compareAndSet(this, false, true)) {
                throw new IllegalStateException("this place was used or given back already");
            }
            try {
                if (mpsc.channel.isUnlimited()) {
                    mpsc.channel.trySend(element);
                } else {
                    mpsc.channel.fill(element);
                }
            } finally {
                mpsc.leave();
            }
        }

        /** Gives the place back, unless it was used; closing again does nothing. */
        @Override
        public void close() {
            if (USED.compareAndSet(this, false, true)) {
                if (!mpsc.channel.isUnlimited()) {
                    mpsc.channel.fill(null);
                }
                mpsc.leave();
            }
        }
    }
}
