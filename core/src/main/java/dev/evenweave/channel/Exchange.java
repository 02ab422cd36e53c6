// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import dev.evenweave.wait.Callback;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.ShortLock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

// Purpose. What a channel does, without the types: elements go from senders to receivers, with a buffer between them or
// hand to hand. Channel is the typed face.
//
// Two ways. With a buffer, and nobody waiting, send and receive are one compare-and-set in the Ring and take no lock.
// Everything else happens under the short lock with the gates of the ring shut, so that the lock holder sees a buffer
// that stands still: hand-off to a waiting receiver, moving a waiting sender's element into the buffer, queuing
// oneself,
// closing. Without a buffer there is only this second way.
//
// Who meets whom, under the lock.
//
//     without a buffer   send:     closed? ──▶ receiver waits? ──▶ wait
//                                     │ throw     │ give it
//                        receive:  sender waits? ──▶ closed? ──▶ wait
//                                     │ take from it  │ report
//     with a buffer      send:     closed? ──▶ room? ─────────────▶ unlimited? ──▶ wait
//                                     │ throw     │ receiver waits?     │ overflow
//                                                 │ give it, else put it
//                        receive:  element? ──▶ closed? ──▶ wait
//                                     │ take, refill │ report
//
// Reservations (Mpsc). A sender may take a place in the buffer before it has an element. The place counts as taken; who
// waits for one stands among the senders with RESERVATION in the place of an element. While places are reserved the
// gates
// stay shut, since the ring does not know of them. An element needs room even if it goes straight to a receiver: so a
// sender in the queue waits for nothing but room, and one that leaves the queue lets nobody else go on.
//
// Invariants.
//   I1  Who waits to receive sees no element: the ring and the overflow are empty, and no sender waits, unless all
//       places are reserved.
//   I2  Who waits to send sees no room: the ring is full, reserved places counted. What is in the overflow waits for
//       room likewise.
//   I3  Somebody waits, or something is in the overflow, or places are reserved ⇒ the gates are shut: nobody overtakes.
//   I4  Waiters are served in the order in which they took the lock; those that a select has withdrawn are skipped.
//   I5  Once closed nobody queues, and who still stands in a queue is told by `close` and served by nobody else.
//   I6  Nobody is woken and no foreign code runs under the lock.
//
// Memory order. Plain fields are under the lock; elements travel by the slots of the ring or by the waiter (see there).
// `closed` is written under the lock, after `reason`, and read by anyone.
//
// Why not simpler. A semaphore for the room and one for the elements, over a queue, would be less code and is how
// bounded
// queues are often built: it costs each element three compare-and-sets instead of one, and a select cannot stand in two
// semaphores and take from one.

/** Gives the elements of senders to receivers, in order. */
abstract class Exchange extends ShortLock {
    /** What a receiver gets instead of an element, and a sender for its element, when the channel is closed. */
    static final Object CLOSED = new Object();

    /** What stands in the queue of senders for one who wants a place in the buffer. */
    static final Object RESERVATION = new Object();

    static final long FOREVER = Long.MAX_VALUE;
    static final long NOW = 0;

    private static final AtomicLong IDS = new AtomicLong();
    private static final VarHandle ID;

    static {
        try {
            ID = MethodHandles.lookup().findVarHandle(Exchange.class, "id", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Null: no buffer. */
    final @Nullable Ring ring;

    /** Null: not unlimited. */
    private final @Nullable Overflow overflow;

    private final Parker parker;
    private final WaiterQueue receivers = new WaiterQueue();
    private final WaiterQueue senders = new WaiterQueue();
    private volatile boolean closed;
    private @Nullable Throwable reason;

    /** Places in the ring that were given to reservations. Under the lock. */
    private int reserved;

    /** Where the channel stands in the order in which a select locks; 0 until the first one. */
    @SuppressWarnings("unused")
    private long id;

    Exchange(@Nullable Ring ring, @Nullable Overflow overflow, Parker parker) {
        this.ring = ring;
        this.overflow = overflow;
        this.parker = parker;
    }

    // Without types, and with the fast path.

    /**
     * Sends the element.
     *
     * @param nanos how long to wait: FOREVER, NOW, or a time
     * @return false if the time was over
     */
    final boolean send(Object element, long nanos) throws InterruptedException {
        Ring buffer = ring;
        return (buffer != null && buffer.offer(element)) || sendSlowly(element, nanos, null);
    }

    /**
     * Takes the oldest element.
     *
     * @param nanos how long to wait: FOREVER, NOW, or a time
     * @return the element, null if the time was over, or {@link #CLOSED}
     */
    final @Nullable Object receive(long nanos) throws InterruptedException {
        Ring buffer = ring;
        Object element = buffer == null ? null : buffer.poll();
        return element == null ? receiveSlowly(nanos, null) : element;
    }

    final boolean trySendObject(Object element) {
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
        return sendNow(element);
    }

    /** An element, null, or {@link #CLOSED}. */
    final @Nullable Object tryReceiveObject() {
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

    private boolean sendNow(Object element) {
        try {
            return sendSlowly(element, NOW, null);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted without waiting", e);
        }
    }

    // The way under the lock.

    /** Sends, waits, or lets the party wait: then it returns false. */
    final boolean sendSlowly(Object element, long nanos, @Nullable Party party) throws InterruptedException {
        lock();
        if (closed) {
            unlock();
            throw closedException();
        }
        if (ring == null ? give(element) : put(ring, element)) {
            return true;
        }
        if (nanos <= NOW) {
            settle();
            unlock();
            return false;
        }
        return waitToSend(element, nanos, party);
    }

    /** Under the lock: gives the element to a receiver who waits, and the lock back; false if there is none. */
    private boolean give(Object element) {
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
        return false;
    }

    /** Under the lock: the same, or puts the element behind all others; false if there is no room. */
    private boolean put(Ring buffer, Object element) {
        buffer.shut();
        if (hasRoom(buffer)) {
            if (give(element)) {
                return true;
            }
            buffer.offerShut(element);
        } else if (overflow != null) {
            try {
                overflow.add(element);
            } catch (Throwable t) {
                unlock();
                throw t;
            }
        } else {
            return false;
        }
        settle();
        unlock();
        return true;
    }

    private boolean hasRoom(Ring buffer) {
        return buffer.size() + reserved < buffer.capacity();
    }

    /** Under the lock, which it gives back. */
    private boolean waitToSend(Object element, long nanos, @Nullable Party party) throws InterruptedException {
        Waiter own = enter(senders, element, party);
        unlock();
        if (party != null || !await(own, senders, nanos)) {
            return false;
        }
        Object outcome = own.value;
        own.end();
        if (outcome == CLOSED) {
            throw closedException();
        }
        return true;
    }

    /** An element, null when the time is over or the party waits, or {@link #CLOSED}. */
    final @Nullable Object receiveSlowly(long nanos, @Nullable Party party) throws InterruptedException {
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
        } else {
            Waiter sender;
            while (!closed && (sender = senders.poll()) != null) {
                Object element = sender.value;
                Object owner = sender.finish(null);
                if (owner != null) {
                    unlock();
                    wake(owner);
                    return element;
                }
            }
        }
        if (closed || nanos <= NOW) {
            Object outcome = closed ? CLOSED : null;
            settle();
            unlock();
            return outcome;
        }
        Waiter own = enter(receivers, null, party);
        unlock();
        if (party != null || !await(own, receivers, nanos)) {
            return null;
        }
        Object outcome = own.value;
        own.end();
        return outcome;
    }

    /** After a place has become free: gives it to what has waited longest. Returns whom to wake, or null. */
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
            Object element = Objects.requireNonNull(sender.value);
            Object owner = sender.finish(null);
            if (owner != null) {
                if (element == RESERVATION) {
                    reserved++;
                } else {
                    boolean moved = buffer.offerShut(element);
                    assert moved : "I2";
                }
                return owner;
            }
        }
        return null;
    }

    /**
     * Before unlock: opens the gates if nobody waits. They may be open: who gives the lock back to wake somebody, and takes
     * it again, does not know what came between.
     */
    private void settle() {
        if (ring != null
                && ring.isShut()
                && receivers.isEmpty()
                && senders.isEmpty()
                && (overflow == null || overflow.isEmpty())
                && reserved == 0) {
            ring.open();
        }
    }

    /** Queues the party, or the current thread. A failure gives the lock back and leaves all as it was. */
    private Waiter enter(WaiterQueue queue, @Nullable Object element, @Nullable Party party) {
        try {
            Waiter own = queue.enter(party == null ? Thread.currentThread() : party, element);
            if (party != null) {
                party.waiter = own;
            }
            return own;
        } catch (Throwable t) {
            settle();
            unlock();
            throw t;
        }
    }

    /** Waits for the outcome. False: the time is over and the waiter has left. */
    private boolean await(Waiter own, WaiterQueue queue, long nanos) throws InterruptedException {
        boolean timed = nanos != FOREVER;
        long deadline = timed ? parker.nanoTime() + nanos : 0;
        boolean stray = false;
        boolean left = false;
        boolean interrupted = false;
        while (!left && own.isWaiting()) {
            long time = timed ? deadline - parker.nanoTime() : FOREVER;
            if (time <= 0) {
                left = leave(own, queue);
                continue;
            }
            if (timed) {
                parker.parkNanos(null, time);
            } else {
                parker.park(null);
            }
            if (own.isWaiting()) {
                if (Thread.currentThread().isInterrupted()) {
                    left = leave(own, queue);
                    interrupted = left;
                } else {
                    stray = true;
                }
            }
        }
        if (stray) {
            // Somebody's unpark was meant for another wait of this thread: hand it on.
            parker.unpark(Thread.currentThread());
        }
        if (interrupted) {
            Thread.interrupted();
            throw new InterruptedException();
        }
        return !left;
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

    // Reservations.

    /** Takes a place in the buffer, as {@link #send} does. */
    final boolean reserve(long nanos) throws InterruptedException {
        Ring buffer = Objects.requireNonNull(ring);
        lock();
        if (closed) {
            unlock();
            throw closedException();
        }
        buffer.shut();
        if (hasRoom(buffer)) {
            reserved++;
            unlock();
            return true;
        }
        if (nanos <= NOW) {
            settle();
            unlock();
            return false;
        }
        return waitToSend(RESERVATION, nanos, null);
    }

    /** Gives a reserved place back, or puts the element there if it is not null. */
    final void fill(@Nullable Object element) {
        Ring buffer = Objects.requireNonNull(ring);
        lock();
        reserved--;
        if (element != null) {
            if (closed) {
                settle();
                unlock();
                throw closedException();
            }
            buffer.offerShut(element);
        }
        serve(buffer);
    }

    /** Under the lock, which it gives back: does what can be done until I1 and I2 hold again. */
    private void serve(Ring buffer) {
        while (true) {
            Object owner = null;
            if (buffer.size() != 0 && !receivers.isEmpty()) {
                owner = Objects.requireNonNull(receivers.poll()).finish(buffer.peekShut());
                if (owner != null) {
                    buffer.pollShut();
                }
            } else if (!closed && !senders.isEmpty() && hasRoom(buffer)) {
                owner = refill(buffer);
            } else {
                settle();
                unlock();
                return;
            }
            if (owner != null) {
                unlock();
                wake(owner);
                lock();
            }
        }
    }

    // Closing.

    final boolean closeWith(@Nullable Throwable why) {
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

    /** Whether nothing can be sent any more. */
    public final boolean isClosed() {
        return closed;
    }

    /** Why it was closed; null if there was no reason, or it is not. */
    final @Nullable Throwable reason() {
        return closed ? reason : null;
    }

    final ChannelClosedException closedException() {
        Throwable why = reason;
        return new ChannelClosedException(
                why == null ? "the channel is closed" : "the channel was closed because of: " + why, why);
    }

    final int elements() {
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

    final boolean isUnlimited() {
        return overflow != null;
    }

    // For selects and futures.

    final long id() {
        long known = (long) ID.getAcquire(this);
        if (known != 0) {
            return known;
        }
        long fresh = IDS.incrementAndGet();
        long other = (long) ID.compareAndExchange(this, 0L, fresh);
        return other == 0 ? fresh : other;
    }

    /**
     * Takes the lock and stops the fast path.
     *
     * @param patiently whether to wait for the lock as long as it takes: for one who has no other
     * @return false if it was not to be had
     */
    final boolean lockForSelect(boolean patiently) {
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

    final void unlockForSelect() {
        settle();
        unlock();
    }

    /** Whether a receiver would not wait; under the lock, with the fast path stopped. */
    final boolean isReadyToReceive() {
        return closed || (ring == null ? !senders.isEmpty() : ring.size() != 0);
    }

    /** Whether a sender would not wait; under the lock, with the fast path stopped. */
    final boolean isReadyToSend() {
        return closed || (ring == null ? !receivers.isEmpty() : overflow != null || hasRoom(ring));
    }

    /** Under the lock. */
    final void enterReceivers(Party party) {
        party.waiter = receivers.enter(party, null);
    }

    /** Under the lock. */
    final void enterSenders(Party party, Object element) {
        party.waiter = senders.enter(party, element);
    }

    /** Takes the party out of its queue; false if it was in none. */
    final boolean withdraw(Party party, boolean sends) {
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
}
