// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import dev.evenweave.wait.Callback;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.ShortLock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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

// Purpose. Elements go from senders to receivers, with a buffer between them or hand to hand.
//
// Two ways. With a buffer, and nobody waiting, send and receive are one compare-and-set in the Ring and take no lock.
// Everything else happens under the channel's short lock with the gates of the ring shut, so that the lock holder sees
// a buffer that stands still: hand-off to a waiting receiver, moving a waiting sender's element into the buffer,
// queuing
// oneself, closing. Without a buffer there is only this second way.
//
// Who meets whom, under the lock.
//
//     send:     closed? ──▶ receiver waits? ──▶ room in the ring? ──▶ unlimited? ──▶ wait
//                  │ throw      │ give it            │ put it            │ overflow
//     receive:  element in the ring? ──▶ sender waits? ──▶ closed? ──▶ wait
//                  │ take, refill           │ take from it     │ report
//
// Invariants.
//   I1  Who waits to receive sees no element: the ring and the overflow are empty and no sender waits.
//   I2  Who waits to send sees no room: the ring is full. What is in the overflow waits for room likewise.
//   I3  Somebody waits, or something is in the overflow ⇒ the gates are shut: nobody overtakes.
//   I4  Waiters are served in the order in which they took the lock; those that a select has withdrawn are skipped.
//   I5  Once closed nobody queues, and who still stands in a queue is told by `close` and served by nobody else.
//   I6  Nobody is woken and no foreign code runs under the lock.
//
// Memory order. Plain fields are under the lock; elements travel by the slots of the ring or by the waiter (see there).
//
// Who may touch what. receivers, senders, overflow, reason: under the lock. closed: written under the lock.

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
public final class Channel<T> extends ShortLock implements SendChannel<T>, ReceiveChannel<T> {
    /** What a receiver gets instead of an element, and a sender for its element, when the channel is closed. */
    static final Object CLOSED = new Object();

    private static final long FOREVER = Long.MAX_VALUE;
    private static final long NOW = 0;

    /** Big enough that a burst of usual size stays on the fast path; beyond it the overflow takes over. */
    private static final int RING_OF_UNLIMITED = 128;

    private static final int MAX_CAPACITY = 1 << 30;

    private static final VarHandle ID;

    static {
        try {
            ID = MethodHandles.lookup().findVarHandle(Channel.class, "id", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Null: no buffer. */
    private final @Nullable Ring ring;

    /** Null: not unlimited. */
    private final @Nullable Overflow overflow;

    private final Parker parker;
    private final WaiterQueue receivers = new WaiterQueue();
    private final WaiterQueue senders = new WaiterQueue();
    private volatile boolean closed;
    private @Nullable Throwable reason;

    /** Where the channel stands in the order in which a select locks; 0 until the first one. */
    @SuppressWarnings("unused")
    private long id;

    private Channel(@Nullable Ring ring, @Nullable Overflow overflow, Parker parker) {
        this.ring = ring;
        this.overflow = overflow;
        this.parker = parker;
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
        Ring buffer = ring;
        if ((buffer == null || !buffer.offer(element)) && !sendSlowly(element, FOREVER, null)) {
            throw new AssertionError("a wait without a limit has timed out");
        }
    }

    @Override
    public boolean trySend(T element) {
        checkElement(element);
        return trySendObject(element);
    }

    boolean trySendObject(Object element) {
        Ring buffer = ring;
        if (buffer != null) {
            if (buffer.offer(element)) {
                return true;
            }
            if (overflow == null && buffer.isPlainlyFull()) {
                return false;
            }
        } else if (receivers.looksEmpty() && !closed) {
            return false;
        }
        try {
            return sendSlowly(element, NOW, null);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted without waiting", e);
        }
    }

    @Override
    public boolean trySend(T element, Duration timeout) throws InterruptedException {
        checkElement(element);
        long nanos = nanos(timeout);
        checkInterrupt();
        Ring buffer = ring;
        return (buffer != null && buffer.offer(element)) || sendSlowly(element, nanos, null);
    }

    @Override
    public T receive() throws InterruptedException {
        checkInterrupt();
        Ring buffer = ring;
        Object element = buffer == null ? null : buffer.poll();
        if (element == null) {
            element = receiveSlowly(FOREVER, null);
            if (element == CLOSED) {
                throw closedException();
            }
        }
        return cast(element);
    }

    @Override
    public @Nullable T receiveOrNull() throws InterruptedException {
        checkInterrupt();
        Ring buffer = ring;
        Object element = buffer == null ? null : buffer.poll();
        if (element == null) {
            element = receiveSlowly(FOREVER, null);
            if (element == CLOSED) {
                return endOrThrow();
            }
        }
        return cast(element);
    }

    @Override
    public @Nullable T tryReceive() {
        return castOrThrow(tryReceiveObject());
    }

    /** An element, null, or {@link #CLOSED}. */
    @Nullable
    Object tryReceiveObject() {
        Ring buffer = ring;
        if (buffer != null) {
            Object element = buffer.poll();
            if (element != null) {
                return element;
            }
            if (buffer.isPlainlyEmpty()) {
                return null;
            }
        } else if (senders.looksEmpty() && !closed) {
            return null;
        }
        try {
            return receiveSlowly(NOW, null);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted without waiting", e);
        }
    }

    @Override
    public @Nullable T tryReceive(Duration timeout) throws InterruptedException {
        long nanos = nanos(timeout);
        checkInterrupt();
        Ring buffer = ring;
        Object element = buffer == null ? null : buffer.poll();
        return castOrThrow(element == null ? receiveSlowly(nanos, null) : element);
    }

    @Override
    public CompletableFuture<T> receiveAsync() {
        Object element = tryReceiveObject();
        ChannelFuture<T> future = new ChannelFuture<>(this, false);
        try {
            if (element == null) {
                element = receiveSlowly(FOREVER, future.party);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted without waiting", e);
        }
        if (element != null) {
            future.settle(element);
        }
        return future;
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
    public boolean close() {
        return close(null);
    }

    @Override
    public boolean close(@Nullable Throwable why) {
        lock();
        if (closed) {
            unlock();
            return false;
        }
        reason = why;
        closed = true;
        if (ring != null) {
            ring.shut();
            ring.close();
        }
        // I5: so those who wait may be told one by one, each outside the lock.
        while (true) {
            Waiter waiter = receivers.poll();
            if (waiter == null) {
                waiter = senders.poll();
            }
            if (waiter == null) {
                settle();
                unlock();
                return true;
            }
            Object owner = waiter.finish(CLOSED);
            if (owner != null) {
                unlock();
                wake(owner);
                lock();
            }
        }
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public boolean isDrained() {
        return closed && size() == 0;
    }

    /** How many elements are in the buffer; a snapshot. */
    public int size() {
        if (ring == null) {
            return 0;
        }
        if (overflow == null) {
            return ring.size();
        }
        lock();
        int size = ring.size() + overflow.size();
        unlock();
        return size;
    }

    /** How many elements the buffer takes; {@link Integer#MAX_VALUE} if it is unlimited. */
    public int capacity() {
        if (ring == null) {
            return 0;
        }
        return overflow == null ? ring.capacity() : Integer.MAX_VALUE;
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
        String kind = ring == null ? "unbuffered" : overflow == null ? "buffered " + ring.capacity() : "unlimited";
        return "Channel[" + kind + ", size " + size() + (closed ? ", closed]" : "]");
    }

    // The way under the lock.

    private boolean sendSlowly(Object element, long nanos, @Nullable Party party) throws InterruptedException {
        lock();
        if (closed) {
            unlock();
            throw closedException();
        }
        Waiter receiver;
        while ((receiver = receivers.poll()) != null) {
            Object owner = receiver.finish(element);
            if (owner != null) {
                settle();
                unlock();
                wake(owner);
                return true;
            }
        }
        if (ring != null) {
            ring.shut();
            boolean sent = ring.offerShut(element);
            if (!sent && overflow != null) {
                overflow.add(element);
                sent = true;
            }
            if (sent || nanos <= NOW) {
                settle();
                unlock();
                return sent;
            }
        } else if (nanos <= NOW) {
            unlock();
            return false;
        }
        if (party != null) {
            party.waiter = senders.enter(party, element);
            unlock();
            return false;
        }
        Waiter own = senders.enter(Thread.currentThread(), element);
        unlock();
        if (!await(own, senders, nanos)) {
            return false;
        }
        Object outcome = own.value;
        own.end();
        if (outcome == CLOSED) {
            throw closedException();
        }
        return true;
    }

    /** An element, null when the time is over, or {@link #CLOSED}. */
    private @Nullable Object receiveSlowly(long nanos, @Nullable Party party) throws InterruptedException {
        lock();
        if (ring != null) {
            ring.shut();
            Object element = ring.pollShut();
            if (element != null) {
                Object owner = refill(ring);
                settle();
                unlock();
                wake(owner);
                return element;
            }
        }
        Waiter sender;
        while (!closed && (sender = senders.poll()) != null) {
            Object element = sender.value;
            Object owner = sender.finish(null);
            if (owner != null) {
                settle();
                unlock();
                wake(owner);
                return element;
            }
        }
        if (closed || nanos <= NOW) {
            Object outcome = closed ? CLOSED : null;
            settle();
            unlock();
            return outcome;
        }
        if (party != null) {
            party.waiter = receivers.enter(party, null);
            unlock();
            return null;
        }
        Waiter own = receivers.enter(Thread.currentThread(), null);
        unlock();
        if (!await(own, receivers, nanos)) {
            return null;
        }
        Object outcome = own.value;
        own.end();
        return outcome;
    }

    /** After an element was taken: moves what has waited longest into the ring. Returns whom to wake, or null. */
    private @Nullable Object refill(Ring buffer) {
        if (overflow != null) {
            Object element = overflow.poll();
            if (element != null) {
                buffer.offerShut(element);
            }
            return null;
        }
        Waiter sender;
        while (!closed && (sender = senders.poll()) != null) {
            Object element = sender.value;
            Object owner = sender.finish(null);
            if (owner != null) {
                boolean moved = buffer.offerShut(Objects.requireNonNull(element));
                assert moved : "I2";
                return owner;
            }
        }
        return null;
    }

    /** Before unlock: opens the gates if nobody waits. */
    void settle() {
        if (ring != null && receivers.isEmpty() && senders.isEmpty() && (overflow == null || overflow.isEmpty())) {
            ring.open();
        }
    }

    /** Waits for the outcome. False: the time is over and the waiter has left. */
    private boolean await(Waiter own, WaiterQueue queue, long nanos) throws InterruptedException {
        boolean timed = nanos != FOREVER;
        long deadline = timed ? parker.nanoTime() + nanos : 0;
        boolean stray = false;
        while (own.isWaiting()) {
            if (timed) {
                long left = deadline - parker.nanoTime();
                if (left <= 0) {
                    if (leave(own, queue)) {
                        return false;
                    }
                    break;
                }
                parker.parkNanos(null, left);
            } else {
                parker.park(null);
            }
            if (own.isWaiting()) {
                if (Thread.currentThread().isInterrupted()) {
                    if (leave(own, queue)) {
                        Thread.interrupted();
                        throw new InterruptedException();
                    }
                    break;
                }
                stray = true;
            }
        }
        if (stray) {
            // Somebody's unpark was meant for another wait of this thread: hand it on.
            parker.unpark(Thread.currentThread());
        }
        return true;
    }

    /** Takes the waiter out, unless its wait has ended. */
    private boolean leave(Waiter own, WaiterQueue queue) {
        lock();
        boolean waiting = own.isWaiting();
        if (waiting) {
            queue.leave(own);
            settle();
        }
        unlock();
        return waiting;
    }

    private void wake(@Nullable Object owner) {
        if (owner instanceof Thread thread) {
            parker.unpark(thread);
        } else if (owner != null) {
            ((Callback) owner).dispatch();
        }
    }

    // For selects and futures.

    long id() {
        long known = (long) ID.getAcquire(this);
        if (known != 0) {
            return known;
        }
        long fresh = Selector.nextChannelId();
        long other = (long) ID.compareAndExchange(this, 0L, fresh);
        return other == 0 ? fresh : other;
    }

    /**
     * Takes the lock and stops the fast path.
     *
     * @param patiently whether to wait for the lock as long as it takes: for one who has no other
     * @return false if it was not to be had
     */
    boolean lockForSelect(boolean patiently) {
        if (patiently) {
            lock();
        } else if (!tryLock()) {
            return false;
        }
        if (ring != null) {
            ring.shut();
        }
        return true;
    }

    void unlockForSelect() {
        settle();
        unlock();
    }

    /** Whether a receiver would not wait; under the lock, with the fast path stopped. */
    boolean isReadyToReceive() {
        return closed || !senders.isEmpty() || ring != null && ring.size() != 0;
    }

    /** Whether a sender would not wait; under the lock, with the fast path stopped. */
    boolean isReadyToSend() {
        return closed || !receivers.isEmpty() || ring != null && (overflow != null || ring.size() < ring.capacity());
    }

    void enterReceivers(Party party) {
        party.waiter = receivers.enter(party, null);
    }

    void enterSenders(Party party, Object element) {
        party.waiter = senders.enter(party, element);
    }

    /** Takes the lock and takes the party out of its queue; false if it was in none. */
    boolean withdraw(Party party, boolean sends) {
        lock();
        Waiter waiter = party.waiter;
        if (waiter != null) {
            party.waiter = null;
            (sends ? senders : receivers).leave(waiter);
            settle();
        }
        unlock();
        return waiter != null;
    }

    ChannelClosedException closedException() {
        Throwable why = reason;
        return new ChannelClosedException(
                why == null ? "the channel is closed" : "the channel was closed because of: " + why, why);
    }

    private @Nullable T endOrThrow() {
        if (reason != null) {
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
    private static <E> E cast(@Nullable Object element) {
        return (E) Objects.requireNonNull(element);
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
