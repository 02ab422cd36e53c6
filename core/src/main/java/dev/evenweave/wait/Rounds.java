// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

// Purpose. A gate whose period ends by itself when enough have arrived: the one counting wait behind Latch, WaitGroup,
// Barrier and Phaser, which differ only in who may add to the count and with how many the next round begins.
//
// State. round (the period of the gate), left (arrivals that this round still waits for), parties (with how many the
// next round begins).
//
//     add: left + n, parties + m                                   close
//        │     ▲                                         ┌──────────────────────▶ CLOSED, round and its end frozen
//        ▼     │                                         │
//     round r, left > 0 ── an arrival makes left 0 ──▶ round r + 1, left = parties
//                                                        (left = 0: nobody is expected, the round rests)
//
//              parties    left at the start   counts down      adds
//   Latch      0          count               anybody          never
//   WaitGroup  0          0                   who is done      while it runs, or for another round
//   Barrier    n          n                   who waits        never
//   Phaser     registered registered          its parties      parties that register
//
// Invariants.
//   I1  A round ends exactly once, in the section of the arrival that made `left` 0; never when `left` was 0 before,
// and
//       never after close.
//   I2  0 <= left; for Barrier and Phaser also left <= parties.
//   I3  A party counts once in each round, however often it arrives or leaves.
//   I4  An addition that would overflow changes nothing.
//
// Memory order. Counts change under the lock. `left` is written with release, so who reads 0 without the lock sees what
// was done before each arrival: the arrivals are ordered by the lock, and the last of them wrote the 0.
//
// Who may touch what. `left`: written under the lock, read by anyone. `parties`, fields of Party: under the lock.
//
// Why not simpler. A count that goes down by compare-and-set beside a gate saves no atomic operation (the lock is one
// compare-and-set and a release), and then counting, ending a round, beginning the next and closing are four steps that
// others see half done.

/** Waiting for the end of a round, which ends when all have arrived that it waits for. */
public final class Rounds extends Gate {
    /** The count would overflow. */
    public static final long FULL = 4;

    /** The party has left. */
    public static final long GONE = 5;

    /** The arrival was the last one, and ended the round. */
    public static final long LAST = 6;

    private static final VarHandle LEFT;

    static {
        try {
            LEFT = MethodHandles.lookup().findVarHandle(Rounds.class, "left", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long parties;
    private long left;

    /** One that arrives in every round; what it did. */
    public static final class Party {
        private boolean gone;

        /** Whether it has arrived, ever; and where last. */
        private boolean arrived;

        private long arrivedIn;

        /** Whether the end of the round in which it arrived last is still to be awaited. */
        private boolean pending;

        private boolean hasArrivedIn(long round) {
            return arrived && arrivedIn == round;
        }
    }

    /**
     * @param round the number of the first round
     * @param left how many it waits for
     * @param parties how many every later round waits for
     */
    public Rounds(long round, long left, long parties, Parker parker) {
        super(round, parker);
        this.parties = parties;
        LEFT.setRelease(this, left);
    }

    /** How many this round still waits for. */
    public long left() {
        return (long) LEFT.getAcquire(this);
    }

    /** With how many the next round begins. */
    public long parties() {
        lock();
        long now = parties;
        unlock();
        return now;
    }

    /** How many have arrived in this round, when all that arrive are parties. */
    public long arrived() {
        lock();
        long now = parties - left;
        unlock();
        return now;
    }

    /** For {@link Gate#await}: this round, or if it waits for nobody one that is over. */
    public long busyRound() {
        // The round first: if it ends in between, waiting for it returns at once, and it did end during this call.
        long now = period();
        return left() == 0 ? now - 1 : now;
    }

    /**
     * Makes this round wait for n more, and every later one for so many more parties.
     *
     * @return GRANTED; negative if closed; FULL if a count would overflow
     */
    public long add(long n, long moreParties) {
        lock();
        try {
            if (closed) {
                return CLOSED;
            }
            if (n > Long.MAX_VALUE - left || moreParties > Long.MAX_VALUE - parties) {
                return FULL;
            }
            parties += moreParties;
            LEFT.setRelease(this, left + n);
            return GRANTED;
        } finally {
            unlock();
        }
    }

    /**
     * Makes the round wait for n more.
     *
     * @return false, with nothing changed, if it is over
     */
    public boolean addToThisRound(long round, long n) {
        lock();
        try {
            if (period() != round || n > Long.MAX_VALUE - left) {
                return false;
            }
            LEFT.setRelease(this, left + n);
            return true;
        } finally {
            unlock();
        }
    }

    /**
     * Counts n arrivals, or as many as are left.
     *
     * @return how many that were
     */
    public long countDown(long n) {
        Object first;
        long counted;
        lock();
        try {
            counted = Math.min(n, left);
            first = closed ? null : subtract(counted);
        } finally {
            unlock();
        }
        wake(first);
        return counted;
    }

    /**
     * Counts n arrivals, after closing too.
     *
     * @return false, with nothing changed, if fewer are left
     */
    public boolean tryCountDown(long n) {
        Object first;
        lock();
        try {
            if (n > left) {
                return false;
            }
            first = subtract(n);
        } finally {
            unlock();
        }
        wake(first);
        return true;
    }

    /**
     * Counts one arrival and waits for the end of the round, in one section. Whatever ends the wait, the arrival counts.
     *
     * @param nanos the time limit, {@link #FOREVER} for none; 0 or less does not wait
     * @return LAST if the arrival ended the round; else as {@link Gate#await(long, Mode, long)}
     */
    public long arriveAndAwait(Mode mode, long nanos) {
        int id = 0;
        Object first = null;
        lock();
        try {
            if (closed) {
                return CLOSED;
            }
            if (left == 1) {
                first = subtract(1);
            } else if (nanos <= 0) {
                subtract(1);
                return TIMED_OUT;
            } else {
                id = enterThread();
                subtract(1);
            }
        } finally {
            unlock();
        }
        if (id != 0) {
            return standStill(id, mode, nanos);
        }
        wake(first);
        return LAST;
    }

    /**
     * The same, by a callback.
     *
     * @return LAST, without a callback, if the arrival ended the round; negative if closed; WAITING
     */
    public long arriveAndAwait(CallbackWaiter waiter) {
        Object first;
        lock();
        try {
            if (closed) {
                return CLOSED;
            }
            if (left > 1) {
                enterCallback(waiter);
                subtract(1);
                return WAITING;
            }
            waiter.enter(this);
            waiter.leave();
            first = subtract(1);
        } finally {
            unlock();
        }
        wake(first);
        return LAST;
    }

    /**
     * Counts the arrival of the party, unless it has arrived in this round; the end of this round is to be awaited then.
     *
     * @return GRANTED; negative if closed; GONE
     */
    public long arrive(Party party) {
        return arrive(party, false);
    }

    /**
     * The same, unless the party has still to await the end of an earlier arrival, this round's or another's.
     */
    public long arriveUnlessPending(Party party) {
        return arrive(party, true);
    }

    private long arrive(Party party, boolean unlessPending) {
        Object first;
        lock();
        try {
            if (party.gone) {
                return GONE;
            }
            if (unlessPending && party.pending) {
                return GRANTED;
            }
            if (closed) {
                return CLOSED;
            }
            boolean again = party.hasArrivedIn(period());
            party.arrived = true;
            party.arrivedIn = period();
            party.pending = true;
            first = again ? null : subtract(1);
        } finally {
            unlock();
        }
        wake(first);
        return GRANTED;
    }

    /** The round in which the party arrived last. */
    public long arrivedIn(Party party) {
        lock();
        long round = party.arrivedIn;
        unlock();
        return round;
    }

    /** Says whether the end of the round, if the party arrived in it last, is still to be awaited. */
    public void setPending(Party party, long round, boolean pending) {
        lock();
        if (party.arrivedIn == round) {
            party.pending = pending;
        }
        unlock();
    }

    /** Whether the party has arrived in the current round. A snapshot. */
    public boolean hasArrived(Party party) {
        lock();
        boolean now = party.hasArrivedIn(period());
        unlock();
        return now;
    }

    /** Whether the party has left. A snapshot. */
    public boolean isGone(Party party) {
        lock();
        boolean now = party.gone;
        unlock();
        return now;
    }

    /**
     * Takes the party out of this and every later round.
     *
     * @return false if it was gone before
     */
    public boolean leave(Party party) {
        Object first;
        lock();
        try {
            if (party.gone) {
                return false;
            }
            party.gone = true;
            parties--;
            first = party.hasArrivedIn(period()) ? null : subtract(1);
        } finally {
            unlock();
        }
        wake(first);
        return true;
    }

    /** Takes out n parties that have never arrived. */
    public void withdraw(long n) {
        Object first;
        lock();
        try {
            parties -= n;
            first = subtract(n);
        } finally {
            unlock();
        }
        wake(first);
    }

    /** Under the lock: n have arrived; ends the round with the last, unless closed. */
    private @Nullable Object subtract(long n) {
        assert n <= left : "more arrive than are left (I2)";
        if (n == 0) {
            return null;
        }
        long now = left - n;
        if (now > 0 || closed) {
            LEFT.setRelease(this, now);
            return null;
        }
        LEFT.setRelease(this, parties);
        return begin(period() + 1);
    }
}
