// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

// Purpose. The buffer of a channel: a bounded FIFO for many senders and many receivers that needs no lock while nobody
// waits, and that whoever holds the channel's lock can stop.
//
// The two words. `tail` counts the elements ever sent, `head` those ever received, both shifted left to make room for
// flags. A sender claims index t by a compare-and-set of `tail` from t to t+1, then writes slots[t]; a receiver claims
// index h of `head`, then clears slots[h]. The flags stand in the same words, so one compare-and-set decides at once
// that the index is free AND that the fast path is open:
//
//     tail = | index | CLOSED | GATE |        head = | index | 0 | GATE |
//
// With the gates shut (`shut`, under the channel's lock) every compare-and-set of the fast path fails, so only the lock
// holder moves the indices. He can look at the buffer, find it empty or full, and queue himself, and nothing can come
// in between. Without this, a sender would have to look for waiting receivers AFTER each element, behind a full fence.
//
// States of a slot, for its index i.
//
//     null, free ───▶ claimed: tail > i, null ───▶ full ───▶ claimed: head > i, full ───▶ null, free for i + size
//
// The claimed states last for two instructions of the claimant. Who needs the slot before that spins.
//
// Invariants.
//   I1  head <= tail <= head + capacity.
//   I2  A slot is written only by the claimant of its index: null to element by the sender, back by the receiver.
//   I3  While the gates are shut nobody but the holder of the lock changes `head` or `tail`.
//   I4  CLOSED is never taken back, and no sender claims an index once it is set.
//
// Memory order. The element travels by the slot: release by the sender, acquire by the receiver. A slot that is null
// says "free" only together with head > i - size, and a slot that is full says "element i" only together with tail > i:
// so the opposite word is read first, then the slot. `headSeen` and `tailSeen` are old values of the opposite word,
// kept
// so that a sender does not fetch the receivers' cache line for each element. The words only grow, so an old value
// errs to the safe side; lost updates of it do no harm. They are written with release and read with acquire all the
// same: a sender that took head > i - size from one without acquire could read the null that was in the slot BEFORE
// element i - size, and the receiver of that element would then clear the new one.
//
// Why not simpler. One lock around an array is what Go does, and costs each element two passages of the same cache line
// between two processors. Sequence numbers per slot (Vyukov's bounded queue, where the idea of claiming indices comes
// from) need a second array; null says the same here.

/** Pads and fields in the order of the classes: the JVM lays superclasses out first. */
@SuppressWarnings("unused")
abstract class RingLeadingPad {
    private long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14;
}

abstract class RingSenderSide extends RingLeadingPad {
    /** Senders by compare-and-set while the gate is open, the holder of the lock while it is shut. */
    volatile long tail;

    /** Any sender. */
    long headSeen;
}

@SuppressWarnings("unused")
abstract class RingMiddlePad extends RingSenderSide {
    private long b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14;
}

abstract class RingReceiverSide extends RingMiddlePad {
    /** Receivers by compare-and-set while the gate is open, the holder of the lock while it is shut. */
    volatile long head;

    /** Any receiver. */
    long tailSeen;
}

@SuppressWarnings("unused")
abstract class RingTrailingPad extends RingReceiverSide {
    private long c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14;
}

/** A bounded FIFO whose lock-free side can be shut. */
final class Ring extends RingTrailingPad {
    private static final long GATE = 1;
    private static final long CLOSED = 2;
    private static final int INDEX = 2;
    private static final long ONE = 1L << INDEX;

    /** Spins between two yields when a claimant is slow, which happens when the system has stopped its processor. */
    private static final int SPINS_BEFORE_YIELD = 256;

    private static final VarHandle TAIL;
    private static final VarHandle HEAD;
    private static final VarHandle HEAD_SEEN;
    private static final VarHandle TAIL_SEEN;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(Ring.class, "tail", long.class);
            HEAD = lookup.findVarHandle(Ring.class, "head", long.class);
            HEAD_SEEN = lookup.findVarHandle(Ring.class, "headSeen", long.class);
            TAIL_SEEN = lookup.findVarHandle(Ring.class, "tailSeen", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int capacity;
    private final int mask;
    private final @Nullable Object[] slots;

    /** A ring for 1 to 2^30 elements. */
    Ring(int capacity) {
        int size = capacity == 1 ? 1 : Integer.highestOneBit(capacity - 1) << 1;
        this.capacity = capacity;
        mask = size - 1;
        slots = new @Nullable Object[size];
    }

    int capacity() {
        return capacity;
    }

    /** How many elements are in it; a snapshot. */
    int size() {
        while (true) {
            long h = head >>> INDEX;
            long t = tail >>> INDEX;
            if (h == head >>> INDEX) {
                return (int) (t - h);
            }
        }
    }

    // The lock-free side.

    /** Puts the element in; or returns false: it is full, shut or closed. */
    boolean offer(Object element) {
        int spins = 0;
        while (true) {
            long word = tail;
            if ((word & (GATE | CLOSED)) != 0) {
                return false;
            }
            long i = word >>> INDEX;
            if (i - (long) HEAD_SEEN.getAcquire(this) >= capacity) {
                long h = head >>> INDEX;
                if (i - h >= capacity) {
                    return false;
                }
                HEAD_SEEN.setRelease(this, h);
            }
            int slot = (int) i & mask;
            if (SLOT.getAcquire(slots, slot) != null) {
                spins = pause(spins);
            } else if (TAIL.compareAndSet(this, word, word + ONE)) {
                SLOT.setRelease(slots, slot, element);
                return true;
            }
        }
    }

    /** Takes the oldest element out; or returns null: it is empty or shut. */
    @Nullable
    Object poll() {
        int spins = 0;
        while (true) {
            long word = head;
            if ((word & GATE) != 0) {
                return null;
            }
            long i = word >>> INDEX;
            if (i >= (long) TAIL_SEEN.getAcquire(this)) {
                long t = tail >>> INDEX;
                if (i >= t) {
                    return null;
                }
                TAIL_SEEN.setRelease(this, t);
            }
            int slot = (int) i & mask;
            Object element = SLOT.getAcquire(slots, slot);
            if (element == null) {
                spins = pause(spins);
            } else if (HEAD.compareAndSet(this, word, word + ONE)) {
                SLOT.setRelease(slots, slot, null);
                return element;
            }
        }
    }

    /** Whether it was open, empty and not closed at some moment during the call. */
    boolean isPlainlyEmpty() {
        long h = head;
        long t = tail;
        // When tail was t, head was h still: it was h before, only grows, and never passes tail.
        return (t & (GATE | CLOSED)) == 0 && h >>> INDEX == t >>> INDEX;
    }

    /** Whether it was open, full and not closed at some moment during the call. */
    boolean isPlainlyFull() {
        long t = tail;
        long h = head;
        // When tail was t, head was at most h.
        return (t & (GATE | CLOSED)) == 0 && (t >>> INDEX) - (h >>> INDEX) >= capacity;
    }

    // The side of the lock holder.

    /** Stops the lock-free side; nothing happens if it is stopped. */
    void shut() {
        if ((tail & GATE) == 0) {
            TAIL.getAndBitwiseOr(this, GATE);
            HEAD.getAndBitwiseOr(this, GATE);
        }
    }

    /** Lets the lock-free side go on, which must be stopped: these stores would take back what it does meanwhile. */
    void open() {
        assert isShut() : "I3";
        TAIL.setRelease(this, tail & ~GATE);
        HEAD.setRelease(this, head & ~GATE);
    }

    /** Ends the lock-free side of the senders for good. */
    void close() {
        TAIL.getAndBitwiseOr(this, CLOSED);
    }

    /** As {@link #offer}, with the gates shut; closed or not. */
    boolean offerShut(Object element) {
        assert isShut() : "I3";
        long word = tail;
        long i = word >>> INDEX;
        if (i - (head >>> INDEX) >= capacity) {
            return false;
        }
        int slot = (int) i & mask;
        int spins = 0;
        while (SLOT.getAcquire(slots, slot) != null) {
            spins = pauseLocked(spins);
        }
        SLOT.setRelease(slots, slot, element);
        TAIL.setRelease(this, word + ONE);
        return true;
    }

    /** The oldest element, with the gates shut; null if it is empty. */
    @Nullable
    Object peekShut() {
        assert isShut() : "I3";
        long i = head >>> INDEX;
        if (i >= tail >>> INDEX) {
            return null;
        }
        int slot = (int) i & mask;
        int spins = 0;
        Object element;
        while ((element = SLOT.getAcquire(slots, slot)) == null) {
            spins = pauseLocked(spins);
        }
        return element;
    }

    /** As {@link #poll}, with the gates shut. */
    @Nullable
    Object pollShut() {
        Object element = peekShut();
        if (element != null) {
            long word = head;
            SLOT.setRelease(slots, (int) (word >>> INDEX) & mask, null);
            HEAD.setRelease(this, word + ONE);
        }
        return element;
    }

    boolean isShut() {
        return (tail & head & GATE) != 0;
    }

    private static int pause(int spins) {
        if (spins < SPINS_BEFORE_YIELD) {
            Thread.onSpinWait();
            return spins + 1;
        }
        Thread.yield();
        return 0;
    }

    /** A virtual thread that yielded would be unmounted with the lock in its hands. */
    private static int pauseLocked(int spins) {
        if (spins < SPINS_BEFORE_YIELD || Thread.currentThread().isVirtual()) {
            Thread.onSpinWait();
            return spins + 1;
        }
        Thread.yield();
        return 0;
    }
}
