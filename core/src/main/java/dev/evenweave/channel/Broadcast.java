// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import dev.evenweave.wait.Gate;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.Permits;
import dev.evenweave.wait.ShortLock;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

// Purpose. Every receiver gets every element: a ring that all read, each at its own position.
//
// Numbers. Elements are numbered; `tail` is the number of the next one. A receiver stands at the number of the next
// element that it will read. Numbers wrap; only differences of them are looked at.
//
// Who waits for what. Receivers wait at the gate `arrivals`, whose period is `tail`: to wait for the period to be
// another
// one than the position at which one stands is to wait for an element. Lossless senders wait for one of `capacity`
// permits (`room`), which stand for the slots: taken before an element is put, given back when the last of those who
// were
// subscribed when it was put has read it (`unread` of its slot becomes 0). Both are the wait lists of the locks, so
// order,
// interruption and closing are theirs.
//
// Invariants.
//   I1  Lossless: tail - position <= capacity for every receiver, and slot i is occupied exactly while unread > 0.
//   I2  Lossless: permits + occupied slots + senders between their permit and their put = capacity.
//   I3  Overwriting: the slots hold the elements tail - capacity ... tail - 1, as far as there are so many.
//
// Memory order. Everything but the gate and the permits is under the short lock.

/**
 * Brings every element to every receiver. Each receiver gets, in the order of sending, all elements sent since it
 * subscribed.
 *
 * <p>What happens with a receiver that is slow is decided when the broadcast is made: {@link #lossless} makes senders wait
 * for the slowest; {@link #overwriting} lets it miss elements, and tells it how many. Elements that are sent while there
 * is no receiver go nowhere.
 *
 * <p>Any number of threads may send. What a sender did before it sent happens-before what a receiver of the element does
 * after it has received it.
 *
 * @param <T> the type of the elements
 */
public final class Broadcast<T> extends ShortLock {
    private static final int MAX_CAPACITY = 1 << 30;

    /** How many elements a receiver that leaves gives up in one section under the lock. */
    private static final int BATCH = 64;

    private final int capacity;
    private final int mask;
    private final @Nullable Object[] slots;

    /** Lossless: how many are still to read the slot. Empty when overwriting. */
    private final int[] unread;

    private final Gate arrivals;

    /** Null when overwriting. */
    private final @Nullable Permits room;

    /** The first number of all. */
    private final long first;

    private long tail;
    private int receivers;
    private boolean closed;
    private @Nullable Throwable reason;

    /** For tests: numbers from the first on. */
    Broadcast(int capacity, boolean lossless, long first) {
        if (capacity < 1 || capacity > MAX_CAPACITY) {
            throw new IllegalArgumentException("capacity " + capacity + " is not in 1.." + MAX_CAPACITY);
        }
        this.capacity = capacity;
        int size = capacity == 1 ? 1 : Integer.highestOneBit(capacity - 1) << 1;
        mask = size - 1;
        slots = new @Nullable Object[size];
        unread = new int[lossless ? size : 0];
        arrivals = new Gate(first, Parker.THREADS);
        room = lossless ? new Permits(capacity, capacity, Parker.THREADS) : null;
        this.first = first;
        tail = first;
    }

    /**
     * Makes a broadcast that loses nothing: {@link #send} waits while the slowest receiver has {@code capacity} elements
     * to read.
     *
     * @param capacity how many elements are kept: 1 to 2^30
     * @param <T> the type of the elements
     * @throws IllegalArgumentException if the capacity is not in this range
     */
    public static <T> Broadcast<T> lossless(int capacity) {
        return new Broadcast<>(capacity, true, 0);
    }

    /**
     * Makes a broadcast whose senders never wait: a receiver that has more than {@code capacity} elements to read misses
     * the oldest, and gets a {@link LaggedException} that says how many.
     *
     * @param capacity how many elements are kept: 1 to 2^30
     * @param <T> the type of the elements
     * @throws IllegalArgumentException if the capacity is not in this range
     */
    public static <T> Broadcast<T> overwriting(int capacity) {
        return new Broadcast<>(capacity, false, 0);
    }

    /**
     * Sends the element to all who are subscribed. A lossless broadcast waits for room; senders who wait are served in
     * the order of their arrival.
     *
     * @param element not null
     * @throws InterruptedException if the thread is interrupted on entry or while it waits: the element is not sent
     * @throws ChannelClosedException if the broadcast is, or gets, closed: the element is not sent
     */
    public void send(T element) throws InterruptedException {
        boolean sent = send(element, Exchange.FOREVER);
        assert sent : "a wait without a limit has timed out";
    }

    /**
     * Sends the element, and waits for room no longer than the timeout.
     *
     * @param timeout the longest time to wait; zero or less: do not wait
     * @return false if the time is over; the element is not sent
     * @throws InterruptedException as {@link #send}
     * @throws ChannelClosedException as {@link #send}
     */
    public boolean trySend(T element, Duration timeout) throws InterruptedException {
        return send(element, Channel.nanos(timeout));
    }

    /**
     * Sends the element if there is room and no sender waits for it. One that overwrites has room always.
     *
     * @return false if there is no room
     * @throws ChannelClosedException if the broadcast is closed
     */
    public boolean trySend(T element) {
        Channel.checkElement(element);
        if (room != null && !room.tryAcquire(1)) {
            checkOpen();
            return false;
        }
        put(element);
        return true;
    }

    private boolean send(T element, long nanos) throws InterruptedException {
        Channel.checkElement(element);
        Channel.checkInterrupt();
        if (room != null && !room.tryAcquire(1)) {
            long result = room.acquire(1, Mode.INTERRUPTIBLE, nanos);
            if (result == WaitQueue.TIMED_OUT) {
                checkOpen();
                return false;
            }
            throwInterrupted(result);
            if (result != WaitQueue.GRANTED) {
                throw closedException();
            }
        }
        put(element);
        return true;
    }

    /** Puts the element into the slot for which the caller has a permit. */
    private void put(Object element) {
        lock();
        if (closed) {
            unlock();
            throw closedException();
        }
        long number = tail;
        boolean kept = receivers > 0 || room == null;
        if (kept) {
            int slot = (int) number & mask;
            slots[slot] = element;
            if (room != null) {
                assert unread[slot] == 0 : "I1";
                unread[slot] = receivers;
            } else if (number - first >= capacity) {
                // The ring may be larger than the capacity.
                int overwritten = (int) (number - capacity) & mask;
                if (overwritten != slot) {
                    slots[overwritten] = null;
                }
            }
            tail = number + 1;
        }
        unlock();
        if (!kept) {
            release(1);
            return;
        }
        announce(number + 1);
    }

    /** Lets the gate's period catch up with the tail; whoever put a later element may do it for an earlier one. */
    private void announce(long number) {
        long period = arrivals.period();
        while (number - period > 0 && !arrivals.advance(period, number)) {
            long now = arrivals.period();
            if (now == period) {
                return; // closed
            }
            period = now;
        }
    }

    private void release(long permits) {
        if (room != null && permits != 0) {
            room.release(permits);
        }
    }

    /** Subscribes: the receiver gets what is sent from now on. Must be closed. */
    public Receiver<T> subscribe() {
        lock();
        receivers++;
        Receiver<T> receiver = new Receiver<>(this, tail);
        unlock();
        return receiver;
    }

    /**
     * Subscribes to a broadcast that overwrites, from the oldest element that it has kept. Must be closed.
     *
     * @throws IllegalStateException if the broadcast is lossless: it keeps no element that its receivers have read
     */
    public Receiver<T> subscribeFromOldest() {
        if (room != null) {
            throw new IllegalStateException(
                    "a lossless broadcast keeps nothing for later subscribers: use subscribe()");
        }
        lock();
        receivers++;
        Receiver<T> receiver = new Receiver<>(this, tail - Math.min(capacity, tail - first));
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

    /** How many elements are kept: for receivers still to read them, or, when overwriting, at all; a snapshot. */
    public int size() {
        lock();
        long kept = Math.min(capacity, tail - first);
        int now = 0;
        if (room == null) {
            now = (int) kept;
        } else {
            for (long number = tail - kept; number != tail; number++) {
                now += unread[(int) number & mask] > 0 ? 1 : 0;
            }
        }
        unlock();
        return now;
    }

    /** Closes it without a reason; as {@link #close(Throwable)} with null. */
    public boolean close() {
        return close(null);
    }

    /**
     * Closes it: senders get a {@link ChannelClosedException}; receivers get it when they have read what was sent before.
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
        closed = true;
        reason = why;
        long last = tail;
        unlock();
        announce(last);
        arrivals.close(why);
        if (room != null) {
            room.close(why);
        }
        return true;
    }

    /** Whether nothing can be sent any more. */
    public boolean isClosed() {
        lock();
        boolean now = closed;
        unlock();
        return now;
    }

    private void checkOpen() {
        if (isClosed()) {
            throw closedException();
        }
    }

    private ChannelClosedException closedException() {
        lock();
        Throwable why = reason;
        unlock();
        return new ChannelClosedException(
                why == null ? "the broadcast is closed" : "the broadcast was closed because of: " + why, why);
    }

    private static void throwInterrupted(long result) throws InterruptedException {
        if (result == WaitQueue.INTERRUPTED) {
            Thread.interrupted();
            throw new InterruptedException();
        }
    }

    /**
     * Reads at the receiver's position.
     *
     * @return the element, or null if there is none yet
     */
    private @Nullable Object read(Receiver<T> receiver) {
        lock();
        long number = receiver.position;
        long waiting = tail - number;
        if (receiver.left || waiting == 0) {
            boolean end = closed;
            unlock();
            if (receiver.left) {
                throw new IllegalStateException("this receiver is closed");
            }
            if (end) {
                throw closedException();
            }
            return null;
        }
        if (waiting > capacity) {
            receiver.position = tail - capacity;
            unlock();
            throw new LaggedException(waiting - capacity);
        }
        receiver.position = number + 1;
        int slot = (int) number & mask;
        Object element = slots[slot];
        boolean last = room != null && --unread[slot] == 0;
        if (last) {
            slots[slot] = null;
        }
        unlock();
        if (last) {
            release(1);
        }
        return element;
    }

    private void leave(Receiver<T> receiver) {
        boolean going = true;
        while (going) {
            lock();
            if (!receiver.left) {
                receiver.left = true;
                receivers--;
                if (room == null) {
                    receiver.position = tail;
                }
                receiver.end = tail;
            }
            long freed = 0;
            for (int i = 0; i < BATCH && receiver.position != receiver.end; i++) {
                int slot = (int) receiver.position++ & mask;
                if (--unread[slot] == 0) {
                    slots[slot] = null;
                    freed++;
                }
            }
            going = receiver.position != receiver.end;
            unlock();
            release(freed);
        }
    }

    /**
     * One who gets every element. For one thread at a time or several: each element goes to one of those who share the
     * receiver.
     *
     * @param <T> the type of the elements
     */
    public static final class Receiver<T> implements AutoCloseable {
        private final Broadcast<T> broadcast;

        /** The number of the next element; under the lock of the broadcast, as all here. */
        private long position;

        private boolean left;

        /** When it has left: where it need not read any more. */
        private long end;

        private Receiver(Broadcast<T> broadcast, long position) {
            this.broadcast = broadcast;
            this.position = position;
        }

        /**
         * Takes the next element, or waits until one is sent.
         *
         * @return the element; never null
         * @throws InterruptedException if the thread is interrupted on entry or while it waits: nothing was taken
         * @throws ChannelClosedException if the broadcast is closed and all was read, or this becomes so
         * @throws LaggedException if elements were overwritten that this receiver has not read
         * @throws IllegalStateException if the receiver is closed
         */
        public T receive() throws InterruptedException {
            return Channel.cast(receive(Exchange.FOREVER));
        }

        /**
         * Takes the next element, and waits for one no longer than the timeout.
         *
         * @param timeout the longest time to wait; zero or less: do not wait
         * @return the element, or null if the time is over
         * @throws InterruptedException as {@link #receive}
         * @throws ChannelClosedException as {@link #receive}
         * @throws LaggedException as {@link #receive}
         * @throws IllegalStateException if the receiver is closed
         */
        public @Nullable T tryReceive(Duration timeout) throws InterruptedException {
            return Channel.castOrNull(receive(Channel.nanos(timeout)));
        }

        /**
         * Takes the next element if there is one.
         *
         * @return the element, or null if there is none at the moment
         * @throws ChannelClosedException if the broadcast is closed and all was read
         * @throws LaggedException if elements were overwritten that this receiver has not read
         * @throws IllegalStateException if the receiver is closed
         */
        public @Nullable T tryReceive() {
            return Channel.castOrNull(broadcast.read(this));
        }

        private @Nullable Object receive(long nanos) throws InterruptedException {
            Channel.checkInterrupt();
            long deadline = nanos == Exchange.FOREVER ? 0 : System.nanoTime() + nanos;
            while (true) {
                long seen = broadcast.arrivals.period();
                Object element = broadcast.read(this);
                if (element != null) {
                    return element;
                }
                long left = nanos == Exchange.FOREVER ? nanos : deadline - System.nanoTime();
                if (left <= 0) {
                    return null;
                }
                throwInterrupted(broadcast.arrivals.await(seen, Mode.INTERRUPTIBLE, left));
            }
        }

        /** Another receiver that stands where this one stands. Must be closed. */
        public Receiver<T> fork() {
            return broadcast.fork(this);
        }

        /** Leaves; senders do not wait for this receiver any more. Closing again does nothing. */
        @Override
        public void close() {
            broadcast.leave(this);
        }
    }

    private Receiver<T> fork(Receiver<T> receiver) {
        lock();
        if (receiver.left) {
            unlock();
            throw new IllegalStateException("this receiver is closed");
        }
        long number = receiver.position;
        if (room != null) {
            for (long i = number; i != tail; i++) {
                unread[(int) i & mask]++;
            }
        }
        receivers++;
        unlock();
        return new Receiver<>(this, number);
    }
}
