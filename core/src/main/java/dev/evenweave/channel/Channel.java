// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

// Purpose. A rendezvous: a sender and a receiver meet, the element goes over, both continue.
//
// Invariants.
//   I1  Senders and receivers never wait at the same time.
//   I2  A waiter is linked in a queue exactly while its state is WAITING, but for the moments in which the lock is
// held.
//   I3  Waiters are served in the order in which they took the lock.
//   I4  Once closed nobody waits.
//
// Memory order. All plain fields are under `lock`: taken by a compare-and-set with acquire, given back with release.
// What a sender did before `send` happens before what the receiver does after `receive`, and a receiver that waited
// was there before the sender returned: both through the state of the waiter (see Waiter).
//
// The lock. A section under it is some tens of instructions, calls no foreign code and never parks, so a virtual
// thread cannot be unmounted in it. Only the operating system can stop its carrier there; that is why one who spins
// for long yields. Nobody is woken under the lock.

/**
 * Hands elements from senders to receivers, each in the order of arrival, without a buffer: {@link #send} returns when
 * a receiver has the element.
 *
 * <p>Any number of threads, virtual or platform, may send and receive. Elements are never null. Waiting allocates
 * nothing once the channel has seen its usual number of waiters.
 *
 * <p>What a thread did before it sent an element happens-before what the receiver of that element does with it.
 *
 * @param <T> the type of the elements
 */
public final class Channel<T> {
    private static final int SPINS_BEFORE_YIELD = 128;
    private static final VarHandle LOCK;

    static {
        try {
            LOCK = MethodHandles.lookup().findVarHandle(Channel.class, "lock", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final WaiterQueue receivers = new WaiterQueue();
    private final WaiterQueue senders = new WaiterQueue();
    private final WaiterPool pool = new WaiterPool();

    /** 1 while somebody holds it. */
    @SuppressWarnings("unused")
    private int lock;

    private boolean closed;

    private Channel() {}

    /**
     * Makes a channel without a buffer.
     *
     * @param <T> the type of the elements
     */
    public static <T> Channel<T> unbuffered() {
        return new Channel<>();
    }

    /**
     * Gives the element to the receiver that has waited longest, or waits until one comes.
     *
     * @param element what to send; not null
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; the element was not
     *     delivered. If a receiver took it first, the method returns and leaves the interrupt flag set.
     * @throws ChannelClosedException if the channel is or gets closed before a receiver takes the element
     */
    public void send(T element) throws InterruptedException {
        Objects.requireNonNull(element, "a channel carries no null: send a value that stands for nothing instead");
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        lock();
        if (closed) {
            unlock();
            throw closedException();
        }
        Waiter receiver = receivers.poll();
        if (receiver != null) {
            grant(receiver, element, Waiter.DONE);
            return;
        }
        Waiter own = enqueue(senders, element);
        int outcome = await(own, senders);
        own.value = null;
        own.setState(Waiter.FREE);
        if (outcome == Waiter.CLOSED) {
            throw closedException();
        }
    }

    /**
     * Takes the element of the sender that has waited longest, or waits until one comes.
     *
     * @return the element; never null
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no element was taken. If a
     *     sender delivered one first, the method returns it and leaves the interrupt flag set.
     * @throws ChannelClosedException if the channel is or gets closed before an element comes
     */
    public T receive() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        lock();
        if (closed) {
            unlock();
            throw closedException();
        }
        Waiter sender = senders.poll();
        if (sender != null) {
            Object element = sender.value;
            grant(sender, null, Waiter.DONE);
            return cast(element);
        }
        Waiter own = enqueue(receivers, null);
        int outcome = await(own, receivers);
        Object element = own.value;
        own.value = null;
        own.setState(Waiter.FREE);
        if (outcome == Waiter.CLOSED) {
            throw closedException();
        }
        return cast(element);
    }

    /**
     * Closes the channel: every thread that waits in it and every later operation gets a
     * {@link ChannelClosedException}. Closing again does nothing.
     */
    public void close() {
        lock();
        closed = true;
        while (true) {
            Waiter waiter = receivers.poll();
            if (waiter == null) {
                waiter = senders.poll();
            }
            if (waiter == null) {
                unlock();
                return;
            }
            grant(waiter, waiter.value, Waiter.CLOSED);
            lock();
        }
    }

    /** Ends the wait of an unlinked waiter, gives the lock back and then wakes its owner. */
    private void grant(Waiter waiter, @Nullable Object value, int outcome) {
        // After the state is set the waiter belongs to its owner again: read what is needed before.
        Thread owner = waiter.thread;
        waiter.value = value;
        pool.retire(waiter);
        waiter.setState(outcome);
        unlock();
        LockSupport.unpark(owner);
    }

    /** Queues the current thread and gives the lock back. */
    private Waiter enqueue(WaiterQueue queue, @Nullable Object value) {
        Waiter own = pool.take();
        own.thread = Thread.currentThread();
        own.value = value;
        own.setState(Waiter.WAITING);
        queue.add(own);
        unlock();
        return own;
    }

    private int await(Waiter own, WaiterQueue queue) throws InterruptedException {
        while (true) {
            int outcome = own.state();
            if (outcome != Waiter.WAITING) {
                return outcome;
            }
            LockSupport.park(this);
            if (Thread.interrupted()) {
                giveUp(own, queue);
            }
        }
    }

    /** Throws unless the wait has ended already; then the interrupt is left for the caller to find. */
    private void giveUp(Waiter own, WaiterQueue queue) throws InterruptedException {
        lock();
        boolean waiting = own.state() == Waiter.WAITING;
        if (waiting) {
            queue.remove(own);
            own.value = null;
            own.setState(Waiter.FREE);
            pool.retire(own);
        }
        unlock();
        if (waiting) {
            throw new InterruptedException();
        }
        Thread.currentThread().interrupt();
    }

    private ChannelClosedException closedException() {
        return new ChannelClosedException("the channel is closed", null);
    }

    @SuppressWarnings("unchecked")
    private T cast(@Nullable Object element) {
        return (T) Objects.requireNonNull(element);
    }

    private void lock() {
        if (!LOCK.weakCompareAndSetAcquire(this, 0, 1)) {
            lockContended();
        }
    }

    private void lockContended() {
        int spins = 0;
        while ((int) LOCK.getOpaque(this) != 0 || !LOCK.weakCompareAndSetAcquire(this, 0, 1)) {
            if (++spins % SPINS_BEFORE_YIELD == 0) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private void unlock() {
        LOCK.setRelease(this, 0);
    }
}
