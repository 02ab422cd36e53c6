// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.CallbackWaiter;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.Rounds;
import dev.evenweave.wait.WaitFuture;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

// Purpose. The public face of Rounds with parties that come and go, each an object that knows what it did. The state of
// a
// party is in its Rounds.Party, under the lock of the rounds, because arriving, leaving and the end of the phase must
// be
// one step.

/**
 * Lets a group meet phase after phase, while its parties come and go.
 *
 * {@snippet :
 * Phaser phaser = new Phaser();
 * // each worker:
 * try (Phaser.Party party = phaser.register()) {
 *     while (more()) {
 *         step();
 *         party.await();       // until all parties of this phase have arrived
 *     }
 * }                            // the others no longer wait for this one
 * }
 *
 * <p>A phase ends when all parties that are registered have arrived in it. Phases are numbered from 0; the number wraps
 * from {@link Long#MAX_VALUE} to {@link Long#MIN_VALUE}, and is only ever compared for being the same. There may be
 * {@link Long#MAX_VALUE} parties. Without parties the phaser rests, and goes on when somebody registers. Register all
 * parties before the first begins to work, or keep one registered meanwhile, lest the first ones meet without the others.
 *
 * <p><b>Cancellation.</b> A wait that ends early leaves the arrival as it is: the party's next {@code await} waits for the
 * end of the same phase, even if that is over by then, and does not arrive again.
 *
 * <p><b>Memory.</b> What each party did before it arrived or left happens-before what is done by whoever has waited for the
 * end of that phase.
 *
 * <p>See the {@linkplain dev.evenweave.sync package description} for interruption, time limits and callbacks.
 */
public final class Phaser {
    final Rounds rounds;

    /** Makes a phaser without parties, in phase 0. */
    public Phaser() {
        this(0, Parker.THREADS);
    }

    Phaser(long phase, Parker parker) {
        this.rounds = new Rounds(phase, 0, 0, parker);
    }

    /**
     * Adds a party to the current phase and all later ones, until it is closed.
     *
     * @throws IllegalStateException if there would be more parties than a long can hold; nothing changed
     * @throws ClosedException if the phaser is closed
     */
    @CheckReturnValue
    public Party register() {
        add(1);
        return new Party(rounds);
    }

    /**
     * Adds n parties at once, all in the same phase. They count from now on, those too that are not yet taken from what
     * this returns.
     *
     * @throws IllegalArgumentException if n is negative
     * @throws IllegalStateException if there would be more parties than a long can hold; nothing changed
     * @throws ClosedException if the phaser is closed
     */
    @CheckReturnValue
    public Parties register(long n) {
        Results.checkCount("parties to register", n);
        add(n);
        return new Parties(rounds, n);
    }

    private void add(long n) {
        long result = rounds.add(n, n);
        if (result == Rounds.FULL) {
            throw new IllegalStateException("Registering " + n + " parties with " + registered()
                    + " that are there would exceed Long.MAX_VALUE");
        }
        Results.checkUninterruptible(rounds, result);
    }

    /** The number of the current phase. A snapshot. */
    public long phase() {
        return rounds.period();
    }

    /** How many parties there are, arrived or not. A snapshot. */
    public long registered() {
        return rounds.parties();
    }

    /** How many parties have arrived in the current phase. A snapshot. */
    public long arrived() {
        return rounds.arrived();
    }

    /** How many parties have not arrived in the current phase. A snapshot. */
    public long unarrived() {
        return rounds.left();
    }

    /**
     * Waits, as one who looks on and need not be a party, until the current phase is another than this one; if it is, does
     * not wait.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     * @throws ClosedException if the phaser is or gets closed in this phase
     */
    public void await(long phase) throws InterruptedException {
        Gates.await(rounds, phase);
    }

    /**
     * Waits until the current phase is another than this one, for at most this time.
     *
     * @return false if the time was over first
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     * @throws ClosedException if the phaser is or gets closed in this phase
     */
    @CheckReturnValue
    public boolean await(long phase, Duration timeout) throws InterruptedException {
        return Gates.await(rounds, phase, timeout);
    }

    /**
     * Waits until the current phase is another than this one, whether interrupted or not.
     *
     * @throws ClosedException if the phaser is or gets closed in this phase
     */
    public void awaitUninterruptibly(long phase) {
        Gates.awaitUninterruptibly(rounds, phase);
    }

    /**
     * Waits until the current phase is another than this one, without blocking the thread. Completing the future from
     * outside ends the wait.
     *
     * @return the future; failed with {@link ClosedException} if the phaser is or gets closed in this phase
     */
    @CheckReturnValue
    public CompletableFuture<@Nullable Void> awaitAsync(long phase) {
        return Gates.awaitAsync(rounds, phase);
    }

    /**
     * Lets the waiter be called when the current phase is another than this one.
     *
     * @return true if it is now, and the waiter is not called; false if the waiter is in the queue
     * @throws IllegalStateException if the waiter waits already
     * @throws ClosedException if the phaser is closed in this phase
     */
    @CheckReturnValue
    public boolean await(long phase, Waiter waiter) {
        return Gates.await(rounds, phase, waiter);
    }

    /**
     * Takes the waiter of {@link #await(long, Waiter)} out of the queue.
     *
     * @return false if it is not in the queue: it was never there, or its callback has run or is about to
     */
    public boolean cancel(Waiter waiter) {
        return rounds.cancel(waiter.node());
    }

    /** How many wait, threads and callbacks, parties and others. A snapshot. */
    public int queueLength() {
        return rounds.waiting();
    }

    /** Closes without a reason: see {@link #close(Throwable)}. */
    public void close() {
        rounds.close(null);
    }

    /**
     * Stops the phaser in its current phase: every wait for the end of that phase, and every arrival and registration, ends
     * with {@link ClosedException}, whose cause is the reason. Waits for phases that are over end well. Parties may still be
     * closed. Closing again does nothing: the first reason stays.
     */
    public void close(Throwable reason) {
        rounds.close(reason);
    }

    public boolean isClosed() {
        return rounds.isClosed();
    }

    @Override
    public String toString() {
        return "Phaser[phase=" + phase() + ", arrived=" + arrived() + " of " + registered() + ", " + Gates.state(rounds)
                + "]";
    }

    /**
     * One that each phase waits for, until it is closed. For one thread at a time; others may close it.
     */
    public static final class Party implements AutoCloseable {
        private final Rounds rounds;
        private final Rounds.Party state = new Rounds.Party();

        private Party(Rounds rounds) {
            this.rounds = rounds;
        }

        /**
         * Arrives in the current phase without waiting; a later {@code await} waits for the end of that phase. Arriving again
         * in the same phase counts once; arriving in the next one without having awaited makes that the one to await.
         *
         * @return the number of the phase
         * @throws IllegalStateException if this was closed
         * @throws ClosedException if the phaser is closed
         */
        @CanIgnoreReturnValue
        public long arrive() {
            check(rounds.arrive(state));
            return rounds.arrivedIn(state);
        }

        /**
         * Arrives in the current phase, unless an earlier arrival is still to be awaited, and waits for the end of the phase in
         * which it arrived.
         *
         * @throws InterruptedException if the thread is interrupted on entry, and then it did not arrive; or while it waits, and
         *     then its arrival counts
         * @throws IllegalStateException if this was closed
         * @throws ClosedException if the phaser is or gets closed in that phase
         */
        public void await() throws InterruptedException {
            Results.checkInterrupt();
            Results.check(rounds, waitIn(Mode.INTERRUPTIBLE, WaitQueue.FOREVER));
        }

        /**
         * The same, waiting for at most this time.
         *
         * @return false if the time was over first; the arrival counts
         * @throws InterruptedException as {@link #await()}
         * @throws IllegalStateException as {@link #await()}
         * @throws ClosedException as {@link #await()}
         */
        @CheckReturnValue
        public boolean await(Duration timeout) throws InterruptedException {
            long nanos = Results.nanos(timeout);
            Results.checkInterrupt();
            return Results.checkTimed(rounds, waitIn(Mode.INTERRUPTIBLE, nanos));
        }

        /**
         * The same, whether interrupted or not.
         *
         * @throws IllegalStateException as {@link #await()}
         * @throws ClosedException as {@link #await()}
         */
        public void awaitUninterruptibly() {
            Results.checkUninterruptible(rounds, waitIn(Mode.UNINTERRUPTIBLE, WaitQueue.FOREVER));
        }

        private long waitIn(Mode mode, long nanos) {
            long phase = phaseToAwait();
            long result = rounds.await(phase, mode, nanos);
            if (result == WaitQueue.GRANTED) {
                rounds.setPending(state, phase, false);
            }
            return result;
        }

        private long phaseToAwait() {
            check(rounds.arriveUnlessPending(state));
            return rounds.arrivedIn(state);
        }

        private void check(long result) {
            checkNotGone(result);
            Results.checkUninterruptible(rounds, result);
        }

        private static void checkNotGone(long result) {
            if (result == Rounds.GONE) {
                throw new IllegalStateException("This party has left the phaser: register another one");
            }
        }

        /**
         * The same, without blocking the thread. Completing the future from outside ends the wait; if it was by failing or
         * cancelling it, the end of the phase is still to be awaited.
         *
         * @return the future; failed with {@link ClosedException} if the phaser is or gets closed in that phase
         * @throws IllegalStateException if this was closed
         */
        @CheckReturnValue
        public CompletableFuture<@Nullable Void> awaitAsync() {
            long arrived = rounds.arriveUnlessPending(state);
            checkNotGone(arrived);
            long phase = rounds.arrivedIn(state);
            Await future = new Await(this, phase);
            long now = arrived < 0 ? arrived : waitIn(phase, future.waiter());
            return now == WaitQueue.WAITING ? future : future.settle(now);
        }

        /**
         * The same, by a call of the waiter.
         *
         * @return true if the phase is over, and the waiter is not called; false if the waiter is in the queue
         * @throws IllegalStateException if the waiter waits already, and then the arrival counts; or if this was closed
         * @throws ClosedException if the phaser is closed in that phase
         */
        @CheckReturnValue
        public boolean await(Waiter waiter) {
            return Results.checkNow(rounds, waitIn(phaseToAwait(), waiter.node()));
        }

        private long waitIn(long phase, CallbackWaiter waiter) {
            // Before it waits: the callback may use this party.
            rounds.setPending(state, phase, false);
            long result = WaitQueue.CLOSED;
            try {
                result = rounds.await(phase, waiter);
            } finally {
                if (result < 0) {
                    rounds.setPending(state, phase, true);
                }
            }
            return result;
        }

        /**
         * Takes the waiter of {@link #await(Waiter)} out of the queue; the arrival counts, and is still to be awaited.
         *
         * @return false if it is not in the queue: it was never there, or its callback has run or is about to
         */
        public boolean cancel(Waiter waiter) {
            boolean cancelled = rounds.cancel(waiter.node());
            if (cancelled) {
                rounds.setPending(state, rounds.arrivedIn(state), true);
            }
            return cancelled;
        }

        /** Leaves the phaser: neither this phase nor a later one waits for this party. Closing again does nothing. */
        @Override
        public void close() {
            rounds.leave(state);
        }

        @Override
        public String toString() {
            String what = rounds.isGone(state) ? "closed" : rounds.hasArrived(state) ? "arrived" : "not arrived";
            return "Phaser.Party[" + what + ", phase=" + rounds.period() + "]";
        }
    }

    /**
     * Parties that were registered together. Closing it takes out those that were not yet taken with {@link #next}; those
     * that were stay. For one thread at a time.
     */
    public static final class Parties implements Iterator<Party>, AutoCloseable {
        private final Rounds rounds;
        private long remaining;

        private Parties(Rounds rounds, long remaining) {
            this.rounds = rounds;
            this.remaining = remaining;
        }

        @Override
        public boolean hasNext() {
            return remaining > 0;
        }

        @Override
        public Party next() {
            if (remaining == 0) {
                throw new NoSuchElementException("All parties that were registered have been taken");
            }
            Party party = new Party(rounds);
            remaining--;
            return party;
        }

        @Override
        public void close() {
            long rest = remaining;
            remaining = 0;
            rounds.withdraw(rest);
        }
    }

    private static final class Await extends WaitFuture<@Nullable Void> {
        private final Party party;
        private final long phase;

        Await(Party party, long phase) {
            this.party = party;
            this.phase = phase;
        }

        @Override
        protected boolean leave(CallbackWaiter waiter) {
            boolean left = party.rounds.cancel(waiter);
            if (isCompletedExceptionally()) {
                party.rounds.setPending(party.state, phase, true);
            }
            return left;
        }

        @Override
        protected @Nullable Void granted() {
            return null;
        }

        @Override
        protected Throwable failed(long result) {
            return Results.closed(party.rounds);
        }

        @Override
        protected void giveBack(CallbackWaiter waiter) {
            // Nothing was taken.
        }
    }
}
