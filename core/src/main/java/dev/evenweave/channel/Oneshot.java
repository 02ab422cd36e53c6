// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import dev.evenweave.wait.Callback;
import dev.evenweave.wait.Parker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

// Purpose. One element from one sender to one receiver, and nothing else: one word that changes by compare-and-set.
//
// States.
//
//                  receive                         send
//        EMPTY ◀──────────────▶ WAITING ───────────────────────▶ an element ───▶ TAKEN
//         │ │  timeout,           │ │                               │   receive
//         │ │  interrupt          │ └── close ──▶ Closed ◀── close  │
//         │ └── close ──────────────────────────────┘        (from EMPTY)
//         └──── cancel ───────────┴──────────────▶ CANCELLED ◀── cancel
//
// Invariants.
//   I1  An element is put at most once, and taken at most once.
//   I2  `receiver` is set before WAITING and stands until the state is not WAITING: so whoever ends WAITING may read it
//       before the compare-and-set and wake it after.
//
// Memory order. All by the compare-and-set of `state`.

/**
 * Carries one element from a sender to a receiver. The sender never waits.
 *
 * <p>It ends in one of these ways: an element is sent and received; the sender gives up ({@link #close()}); the receiver
 * gives up ({@link #cancel}). The parties may be any threads, but only one may wait for the element at a time.
 *
 * <p>What the sender did before {@link #send} happens-before what the receiver does after it has the element.
 *
 * @param <T> the type of the element
 */
public final class Oneshot<T> {
    private static final Object WAITING = new Object();
    private static final Object TAKEN = new Object();
    private static final Object CANCELLED = new Object();

    /** The sender has given up. */
    private record Closed(@Nullable Throwable reason) {}

    private static final VarHandle STATE;
    private static final VarHandle RECEIVER;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(Oneshot.class, "state", Object.class);
            RECEIVER = lookup.findVarHandle(Oneshot.class, "receiver", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Parker parker;

    /** Null (EMPTY), one of the above, or the element. */
    private volatile @Nullable Object state;

    /** The thread or the future that waits. */
    private volatile @Nullable Object receiver;

    /** Makes one that is empty. */
    public Oneshot() {
        this(Parker.THREADS);
    }

    /** For tests that step through the code. */
    Oneshot(Parker parker) {
        this.parker = parker;
    }

    /**
     * Sends the element; never waits.
     *
     * @param element not null
     * @return false if the receiver has given up; the element is not kept
     * @throws IllegalStateException if an element was sent before
     * @throws ChannelClosedException if the sender has given up before
     */
    public boolean send(T element) {
        Channel.checkElement(element);
        while (true) {
            Object now = state;
            if (now == null || now == WAITING) {
                if (end(now, element)) {
                    return true;
                }
            } else if (now == CANCELLED) {
                return false;
            } else if (now instanceof Closed closed) {
                throw closedException(closed);
            } else {
                throw new IllegalStateException("an element was sent already: a oneshot carries one");
            }
        }
    }

    /** The sender gives up without a reason; as {@link #close(Throwable)} with null. */
    public boolean close() {
        return close(null);
    }

    /**
     * The sender gives up: the receiver gets a {@link ChannelClosedException}.
     *
     * @param reason why, or null
     * @return false if it was over already: an element was sent, or one of the two had given up
     */
    public boolean close(@Nullable Throwable reason) {
        Closed closed = new Closed(reason);
        while (true) {
            Object now = state;
            if (now != null && now != WAITING) {
                return false;
            }
            if (end(now, closed)) {
                return true;
            }
        }
    }

    /**
     * The receiver gives up: a later {@link #send} returns false, an element that was sent and not received is dropped,
     * and a thread that waits for it gets a {@link ChannelClosedException}.
     *
     * @return false if it was over already: the element was received, or one of the two had given up
     */
    public boolean cancel() {
        while (true) {
            Object now = state;
            if (now == TAKEN || now == CANCELLED || now instanceof Closed) {
                return false;
            }
            if (end(now, CANCELLED)) {
                return true;
            }
        }
    }

    /** Whether the receiver has given up, so that what a sender prepares is not wanted. */
    public boolean isCancelled() {
        return state == CANCELLED;
    }

    /** Whether the element is there to be received. */
    public boolean hasElement() {
        return isElement(state);
    }

    private boolean end(@Nullable Object now, Object outcome) {
        Object waiting = now == WAITING ? receiver : null;
        if (!STATE.compareAndSet(this, now, outcome)) {
            return false;
        }
        if (waiting instanceof Thread thread) {
            parker.unpark(thread);
        } else if (waiting instanceof Oneshot<?>.Receiving future) {
            future.completion.dispatch();
        }
        return true;
    }

    /**
     * Takes the element, or waits until it comes.
     *
     * @return the element; never null
     * @throws InterruptedException if the thread is interrupted on entry or while it waits: nothing is taken and the
     *     interrupt flag is cleared. If the element came first, the method returns it and the flag stays set.
     * @throws ChannelClosedException if the sender gives up, the receiver has given up, or the element was taken
     * @throws IllegalStateException if another receiver waits
     */
    public T receive() throws InterruptedException {
        Channel.checkInterrupt();
        return Channel.cast(take(Exchange.FOREVER));
    }

    /**
     * Takes the element, and waits for it no longer than the timeout.
     *
     * @param timeout the longest time to wait; zero or less: do not wait
     * @return the element, or null if the time is over
     * @throws InterruptedException as {@link #receive}
     * @throws ChannelClosedException as {@link #receive}
     * @throws IllegalStateException if another receiver waits
     */
    public @Nullable T tryReceive(Duration timeout) throws InterruptedException {
        long nanos = Channel.nanos(timeout);
        Channel.checkInterrupt();
        return Channel.castOrNull(take(nanos));
    }

    /**
     * Takes the element if it is there.
     *
     * @return the element, or null if it is not there yet
     * @throws ChannelClosedException if the sender or the receiver has given up, or the element was taken
     */
    public @Nullable T tryReceive() {
        return Channel.castOrNull(takeNow());
    }

    /**
     * Takes the element with a future that waits in the place of the thread. Completing the future from outside, by
     * {@code cancel} or {@code orTimeout} for instance, ends its wait, and the element is not taken; if it came already,
     * that returns false. What depends on the future runs on the thread of the sender.
     *
     * @return completes with the element; with {@link ChannelClosedException} as {@link #receive} throws it
     * @throws IllegalStateException if another receiver waits
     */
    public CompletableFuture<T> receiveAsync() {
        Receiving future = new Receiving();
        if (!await(future)) {
            future.settle();
        }
        return future;
    }

    /** An element, or null: not there yet. */
    private @Nullable Object takeNow() {
        while (true) {
            Object now = state;
            if (now == null || now == WAITING) {
                return null;
            }
            if (!isElement(now)) {
                throw notThere(now);
            }
            if (STATE.compareAndSet(this, now, TAKEN)) {
                return now;
            }
        }
    }

    private @Nullable Object take(long nanos) throws InterruptedException {
        if (nanos <= Exchange.NOW || !await(Thread.currentThread())) {
            return takeNow();
        }
        boolean timed = nanos != Exchange.FOREVER;
        long deadline = timed ? parker.nanoTime() + nanos : 0;
        boolean interrupted = false;
        boolean stray = false;
        while (state == WAITING) {
            long left = timed ? deadline - parker.nanoTime() : Exchange.FOREVER;
            if (left <= 0) {
                STATE.compareAndSet(this, WAITING, null);
            } else {
                if (timed) {
                    parker.parkNanos(null, left);
                } else {
                    parker.park(null);
                }
                if (state == WAITING) {
                    if (Thread.currentThread().isInterrupted()) {
                        interrupted = STATE.compareAndSet(this, WAITING, null);
                    } else {
                        stray = true;
                    }
                }
            }
        }
        receiver = null;
        if (stray) {
            parker.unpark(Thread.currentThread());
        }
        if (interrupted) {
            Thread.interrupted();
            throw new InterruptedException();
        }
        return takeNow();
    }

    /** Makes the thread or future the one that waits; false if there is nothing to wait for. */
    private boolean await(Object waiting) {
        while (state == null || state == WAITING) {
            if (RECEIVER.compareAndSet(this, null, waiting)) {
                if (STATE.compareAndSet(this, null, WAITING)) {
                    return true;
                }
                receiver = null;
            } else if (state == WAITING) {
                throw new IllegalStateException("another receiver waits already: only one may");
            } else {
                // The other one has its outcome and is about to leave.
                Thread.yield();
            }
        }
        return false;
    }

    private static boolean isElement(@Nullable Object now) {
        return now != null && now != WAITING && now != TAKEN && now != CANCELLED && !(now instanceof Closed);
    }

    private static ChannelClosedException notThere(Object now) {
        if (now instanceof Closed closed) {
            return closedException(closed);
        }
        return new ChannelClosedException(
                now == TAKEN ? "the element was received already" : "the receiver has given up", null);
    }

    private static ChannelClosedException closedException(Closed closed) {
        Throwable reason = closed.reason();
        return new ChannelClosedException(
                reason == null ? "the sender has given up" : "the sender has given up because of: " + reason, reason);
    }

    /** A receiver that is a future. */
    private final class Receiving extends CompletableFuture<T> {
        final Callback completion = new Callback() {
            @Override
            protected void call() {
                receiver = null;
                settle();
            }
        };

        void settle() {
            try {
                super.complete(Channel.cast(takeNow()));
            } catch (ChannelClosedException e) {
                super.completeExceptionally(e);
            }
        }

        private boolean left() {
            if (receiver != this || !STATE.compareAndSet(Oneshot.this, WAITING, null)) {
                return false;
            }
            receiver = null;
            return true;
        }

        @Override
        public boolean complete(T value) {
            return left() && super.complete(value);
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            return left() && super.completeExceptionally(failure);
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return left() ? super.cancel(mayInterruptIfRunning) : isCancelled();
        }

        /** Dependents are plain futures: cancelling one of them does not end the wait. */
        @Override
        public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
            return new CompletableFuture<>();
        }
    }

    @Override
    public String toString() {
        Object now = state;
        String what = now == null || now == WAITING
                ? "empty"
                : now == TAKEN
                        ? "received"
                        : now == CANCELLED ? "cancelled" : now instanceof Closed ? "closed" : "sent";
        return "Oneshot[" + what + "]";
    }
}
