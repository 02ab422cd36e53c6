// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import dev.evenweave.wait.Parker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

// Purpose. Waits for several channels at once and does exactly one of several sends and receives.
//
// One round.
//   1. Try the active cases one by one in random order; the first that succeeds is the choice. Each try is a plain
//      tryReceive or trySend that involves one channel only. Among cases that are ready all the time each comes first
//      equally often.
//   2. None: take the locks of all channels, in the order of their ids. If a case has become ready, let go and go
//      back to 1. Otherwise nothing was ready at this one moment: a select with a default may return now; another
//      queues a waiter per case, and lets go.
//   3. Park. The first granter to claim the selector wins; it has its channel's lock and no other.
//   4. Take the waiters of the other cases out of their queues.
//
// States.
//
//                2., under all locks             claim, under one lock
//     IDLE ─────────────────────────▶ WAITING ─────────────────────────▶ index of the case ────▶ IDLE
//      ▲                                 │ timeout, interrupt                              after 4.
//      └──────────── after 4. ───────────┘ CANCELLED
//
// Invariants.
//   I1  A case is linked in a queue only from 2. to 4. So a granter never meets a waiter of an earlier round, and the
//       claim needs no round number.
//   I2  A selector that is trying (1.) stands in no queue: so one meeting needs the claim of one selector only, never
//       of two at once, and it cannot meet itself.
//   I3  While a thread has one lock it does not yield for another: it lets all go and begins again (ShortLock).
//   I4  The state leaves WAITING once: by the compare-and-set of one granter or of the owner.
//
// Why not simpler. Queuing in one channel after the other, each under its own lock, would do for selects that wait, but
// a sender and a receiver that both select would have to claim each other at once. And without one moment at which all
// cases are seen, a select with a default returns it although one case or the other was ready all the time.

/**
 * Sends to or receives from whichever of several channels is ready first: Go's {@code select}, in a form that is set up
 * once and used again and again without allocation.
 *
 * {@snippet :
 * Selector selector = new Selector();
 * ReceiveCase<Order> order = selector.receive(orders);
 * ReceiveCase<Boolean> quit = selector.receive(quits);
 * while (selector.select() == order) {
 *     handle(order.element());
 * }
 * }
 *
 * <p>If several cases are ready, one of them is chosen at random, each with the same probability. Exactly one case takes
 * effect; the channels of the others are as if they had not been touched. {@link Select} is the same for one use, with
 * lambdas.
 *
 * <p>A selector is for one thread at a time.
 */
public final class Selector {
    private static final int IDLE = -1;
    private static final int WAITING = -2;
    private static final int CANCELLED = -3;

    private static final long FOREVER = Long.MAX_VALUE;
    private static final long NOW = 0;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Selector.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Parker parker;

    /** In the order of being added. */
    private Case[] cases = new Case[2];

    /** A permutation of them, which each round shuffles on as far as it needs. */
    private Case[] shuffled = new Case[2];

    /** The same in the order of the channels' ids. */
    private Case[] locking = new Case[2];

    private int size;
    private long random = ThreadLocalRandom.current().nextLong() | 1;
    private @Nullable Case chosen;

    /** The owner while a select runs. Read by granters, who see it because they found a case in a queue. */
    private @Nullable Thread thread;

    private int state = IDLE;

    /** Makes a selector without cases. */
    public Selector() {
        this(Parker.THREADS);
    }

    /** For tests that step through the code. */
    Selector(Parker parker) {
        this.parker = parker;
    }

    /**
     * Adds the case of receiving from the channel.
     *
     * @param <T> the type of the elements
     * @throws IllegalStateException if a select is going on
     */
    public <T> ReceiveCase<T> receive(ReceiveChannel<T> channel) {
        checkIdle();
        ReceiveCase<T> added = new ReceiveCase<>(this, (Channel<T>) channel, size);
        add(added);
        return added;
    }

    /**
     * Adds the case of sending to the channel; it takes part when an element is set with {@link SendCase#offer}.
     *
     * @param <T> the type of the elements
     * @throws IllegalStateException if a select is going on
     */
    public <T> SendCase<T> send(SendChannel<T> channel) {
        return addSend(channel, null);
    }

    /**
     * Adds the case of sending the element to the channel.
     *
     * @param element what to send; not null
     * @param <T> the type of the elements
     * @throws IllegalStateException if a select is going on
     */
    public <T> SendCase<T> send(SendChannel<T> channel, T element) {
        Channel.checkElement(element);
        return addSend(channel, element);
    }

    private <T> SendCase<T> addSend(SendChannel<T> channel, @Nullable Object element) {
        checkIdle();
        SendCase<T> added = new SendCase<>(this, (Channel<T>) channel, size, element);
        add(added);
        return added;
    }

    private void add(Case added) {
        if (size == cases.length) {
            cases = Arrays.copyOf(cases, 2 * size);
            shuffled = Arrays.copyOf(shuffled, 2 * size);
            locking = Arrays.copyOf(locking, 2 * size);
        }
        cases[size] = added;
        shuffled[size] = added;
        int place = size;
        long id = added.channel.id();
        while (place > 0 && locking[place - 1].channel.id() > id) {
            locking[place] = locking[place - 1];
            place--;
        }
        locking[place] = added;
        size++;
    }

    /**
     * Waits until one of the cases is possible, and does it.
     *
     * @return the case that was done
     * @throws InterruptedException if the thread is interrupted on entry or while it waits: no case has taken effect and
     *     the interrupt flag is cleared. If a case was done first, the method returns it and the flag stays set.
     * @throws ChannelClosedException if a case of sending was chosen and its channel is, or gets, closed
     * @throws IllegalStateException if no case is active, so that the wait would not end, or a select is going on
     */
    public Case select() throws InterruptedException {
        return Objects.requireNonNull(select(FOREVER));
    }

    /**
     * Does one of the cases if one is possible without waiting: Go's select with a default.
     *
     * @return the case that was done, or null if there was a moment during the call at which none was possible
     * @throws ChannelClosedException if a case of sending was chosen and its channel is closed
     * @throws IllegalStateException if a select is going on
     */
    public @Nullable Case selectNow() {
        try {
            return select(NOW);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted without waiting", e);
        }
    }

    /**
     * Waits until one of the cases is possible, and does it, but waits no longer than the timeout.
     *
     * @param timeout the longest time to wait; zero or less: do not wait
     * @return the case that was done, or null if the time is over and none has taken effect
     * @throws InterruptedException as {@link #select()}
     * @throws ChannelClosedException as {@link #select()}
     * @throws IllegalStateException if a select is going on
     */
    public @Nullable Case select(Duration timeout) throws InterruptedException {
        long nanos = Channel.nanos(timeout);
        if (nanos <= NOW) {
            Channel.checkInterrupt();
        }
        return select(nanos);
    }

    private @Nullable Case select(long nanos) throws InterruptedException {
        checkIdle();
        if (nanos > NOW) {
            Channel.checkInterrupt();
        }
        Case last = chosen;
        if (last != null) {
            last.outcome = null;
            chosen = null;
        }
        thread = Thread.currentThread();
        try {
            Case done = choose(nanos);
            chosen = done;
            return done;
        } finally {
            thread = null;
            STATE.setOpaque(this, IDLE);
        }
    }

    private @Nullable Case choose(long nanos) throws InterruptedException {
        while (true) {
            int active = 0;
            for (int i = 0; i < size; i++) {
                int j = i + below(size - i);
                Case next = shuffled[j];
                shuffled[j] = shuffled[i];
                shuffled[i] = next;
                if (next.isActive()) {
                    if (next.attempt()) {
                        return next;
                    }
                    active++;
                }
            }
            if (nanos <= NOW && active <= 1) {
                return null;
            }
            if (active == 0 && nanos == FOREVER) {
                throw new IllegalStateException("no case is active (" + size
                        + " added): add one, enable one, or offer an element to one that sends");
            }
            lockAll();
            if (anyReady()) {
                unlock(null);
                continue;
            }
            if (nanos <= NOW) {
                unlock(null);
                return null;
            }
            STATE.setOpaque(this, WAITING);
            enterAll();
            unlock(null);
            return await(nanos);
        }
    }

    /** Waits for a claim; then takes the others out. Null: the time is over. */
    private @Nullable Case await(long nanos) throws InterruptedException {
        boolean timed = nanos != FOREVER;
        long deadline = timed ? parker.nanoTime() + nanos : 0;
        boolean stray = false;
        boolean interrupted = false;
        int now;
        while ((now = (int) STATE.getAcquire(this)) == WAITING) {
            if (timed) {
                long left = deadline - parker.nanoTime();
                if (left <= 0) {
                    STATE.compareAndSet(this, WAITING, CANCELLED);
                    continue;
                }
                parker.parkNanos(null, left);
            } else {
                parker.park(null);
            }
            if ((int) STATE.getAcquire(this) == WAITING) {
                if (Thread.currentThread().isInterrupted()) {
                    interrupted = STATE.compareAndSet(this, WAITING, CANCELLED);
                } else {
                    stray = true;
                }
            }
        }
        withdrawAllBut(now);
        if (stray) {
            parker.unpark(Thread.currentThread());
        }
        if (now != CANCELLED) {
            Case done = cases[now];
            done.take();
            return done;
        }
        if (interrupted) {
            Thread.interrupted();
            throw new InterruptedException();
        }
        return null;
    }

    /**
     * By a granter, under the lock of the case's channel.
     *
     * @return whom to wake, or null if the selector is not waiting any more
     */
    @Nullable
    Object claim(int index) {
        // After the claim the owner may go on and leave.
        Thread owner = thread;
        return STATE.compareAndSet(this, WAITING, index) ? owner : null;
    }

    private void lockAll() {
        int i = 0;
        Channel<?> last = null;
        while (i < size) {
            Case next = locking[i++];
            Channel<?> channel = next.channel;
            if (channel == last || !next.isActive()) {
                continue;
            }
            if (channel.lockForSelect(last == null)) {
                last = channel;
            } else {
                unlock(last);
                Thread.yield();
                i = 0;
                last = null;
            }
        }
    }

    /** Queues all; a failure gives the locks back and leaves all as it was. */
    private void enterAll() {
        try {
            // In random order: two cases may wait at one channel, and the first of them is served first.
            for (int i = 0; i < size; i++) {
                if (shuffled[i].isActive()) {
                    shuffled[i].enter();
                }
            }
        } catch (Throwable t) {
            STATE.setOpaque(this, CANCELLED);
            unlock(null);
            withdrawAllBut(CANCELLED);
            throw t;
        }
    }

    private void withdrawAllBut(int index) {
        for (int i = 0; i < size; i++) {
            Case other = cases[i];
            if (i != index && other.isActive()) {
                other.channel.withdraw(other, other instanceof SendCase);
                other.outcome = null;
            }
        }
    }

    /** Gives the locks back up to that of the channel, or all if it is null. */
    private void unlock(@Nullable Channel<?> end) {
        Channel<?> last = null;
        for (int i = 0; i < size && (end == null || last != end); i++) {
            Case next = locking[i];
            if (next.channel != last && next.isActive()) {
                last = next.channel;
                last.unlockForSelect();
            }
        }
    }

    private boolean anyReady() {
        for (int i = 0; i < size; i++) {
            if (cases[i].isActive() && cases[i].isReady()) {
                return true;
            }
        }
        return false;
    }

    /** A number from 0 to {@code bound - 1}, each as likely as the others to within 2^-32. */
    private int below(int bound) {
        long x = random;
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
        random = x;
        return (int) ((x >>> 32) * bound >>> 32);
    }

    boolean isChosen(Case one) {
        return chosen == one;
    }

    void checkIdle() {
        if (thread != null) {
            throw new IllegalStateException(
                    "a select of this selector is going on in " + thread + ": a selector is for one thread at a time");
        }
    }
}
