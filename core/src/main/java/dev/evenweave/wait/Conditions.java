// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import org.jspecify.annotations.Nullable;

// Purpose. The waiters of one condition variable: they gave their permits back and want them again after a signal.
//
// States of a waiter. All lists are in the arena of the Permits, under its lock; the id stays the same.
//
//                  signal: moved, not woken            granted
//   CONDITION ─────────────────────────────▶ QUEUE ───────────────▶ done, holding the permits
//       │                                      ▲ │
//       └── thread interrupted or late ────────┘ │ callback cancelled: out, the signal passes on
//           (comes back with that outcome)        ▼
//       └── callback cancelled: out              out
//
// Signalling wakes nobody: a waiter is woken when it has the permits. So n waiters that are all signalled cost n
// wake-ups, one after the other, and not a herd that runs into a taken lock.
//
// Invariants.
//   I1  A waiter enters the list CONDITION in the same section in which its permits are given back: no signal is
// missed.
//   I2  `need` of a waiter is UNSIGNALLED or more if and only if it is in CONDITION.
//   I3  A signal for one is never lost while someone waits: who got it and leaves without having used it passes it on.
//       A thread does not leave: interrupted after the signal it comes back as signalled, with the flag set.
//       A callback's waiter is cancelled by its own condition alone, which knows of the signal (`agent`).
//   I4  The list's sentinel slot exists only while somebody is in it: a forgotten condition leaves nothing in the
// arena.
//   I5  A thread that has given its permits back returns with them, or because they were closed, whatever the callbacks
//       throw that it calls meanwhile: what they threw comes last.

/** Waiters that need a signal first, then permits. */
public final class Conditions {
    private static final long UNSIGNALLED = 1L << 62;

    private final Permits permits;
    private final long want;

    /** The sentinel of the list, 0 if nobody waits; under the lock of the permits. */
    private int list;

    private int waiting;

    /** @param want how many permits each waiter gives back and gets again */
    public Conditions(Permits permits, long want) {
        this.permits = permits;
        this.want = want;
    }

    /** How many wait for a signal; a snapshot. */
    public int waiting() {
        permits.lock();
        int now = waiting;
        permits.unlock();
        return now;
    }

    /**
     * Gives the permits back, waits for a signal, takes the permits again.
     *
     * <p>What a callback threw that got the permits comes out of this, after the wait.
     *
     * @return GRANTED after a signal; TIMED_OUT or INTERRUPTED (the flag is still set) without; negative when the
     *     permits were closed, which alone returns without permits
     */
    public long await(WaitQueue.Mode mode, long nanos) {
        int id;
        Object first;
        permits.lock();
        try {
            reserve();
            id = permits.addThread(list, want, UNSIGNALLED + want);
            waiting++;
            first = permits.releaseUnderLock(want);
        } finally {
            permits.unlock();
        }
        Throwable failure = permits.tryWake(first);
        long result = permits.block(id, mode, nanos);
        if (result <= 0) {
            Trampoline.rethrow(failure);
            return result;
        }
        // The lock is held.
        boolean signalled;
        first = null;
        try {
            signalled = permits.list().need(id) < UNSIGNALLED;
            if (!signalled) {
                first = requeue(id, null);
            }
        } finally {
            permits.unlock();
        }
        // May be this thread itself: then the next park returns at once.
        Throwable another = permits.tryWake(first);
        long regained = permits.block(id, WaitQueue.Mode.UNINTERRUPTIBLE, WaitQueue.FOREVER);
        Trampoline.rethrow(another == null ? failure : Trampoline.also(failure, another));
        return signalled || regained < 0 ? regained : result;
    }

    /**
     * Gives the permits back; the callback comes after a signal, when the waiter has the permits again. If this throws what
     * another callback threw that got the permits, the waiter waits all the same.
     */
    public void await(CallbackWaiter waiter) {
        Object first;
        permits.lock();
        try {
            reserve();
            waiter.enter(permits);
            waiter.agent = this;
            permits.addCallback(list, want, UNSIGNALLED + want, waiter);
            waiting++;
            first = permits.releaseUnderLock(want);
        } finally {
            permits.unlock();
        }
        permits.wake(first);
    }

    /**
     * Takes the waiter out, wherever it stands. A signal that was for it alone passes on.
     *
     * @return false if it is not there: its callback has run or will run
     */
    public boolean cancel(CallbackWaiter waiter) {
        if (!waiter.isAt(permits)) {
            return false;
        }
        Object first = null;
        permits.lock();
        try {
            int id = permits.cancellable(waiter, this);
            if (id == 0) {
                return false;
            }
            if (permits.list().need(id) >= UNSIGNALLED) {
                permits.removeFromList(waiter);
                waiting--;
                dropListIfEmpty();
                return true;
            }
            first = permits.removeFromQueue(waiter);
            if (waiter.carriesSignal) {
                first = signalUnderLock(first);
            }
        } finally {
            permits.unlock();
        }
        permits.wake(first);
        return true;
    }

    /** Whether the waiter, whose callback runs now, got a signal that was for it alone. */
    public static boolean carriesSignal(CallbackWaiter waiter) {
        return waiter.carriesSignal;
    }

    /** Signals the one that has waited longest, if any. */
    public void signal() {
        Object first;
        permits.lock();
        try {
            first = signalUnderLock(null);
        } finally {
            permits.unlock();
        }
        permits.wake(first);
    }

    /** Signals all that wait now. */
    public void signalAll() {
        Object first = null;
        permits.lock();
        try {
            while (list != 0) {
                first = requeue(permits.list().first(list), first);
            }
        } finally {
            permits.unlock();
        }
        permits.wake(first);
    }

    private @Nullable Object signalUnderLock(@Nullable Object first) {
        if (list == 0) {
            return first;
        }
        int id = permits.list().first(list);
        if (permits.list().waiter(id) instanceof CallbackWaiter callback) {
            callback.carriesSignal = true;
        }
        return requeue(id, first);
    }

    private @Nullable Object requeue(int id, @Nullable Object first) {
        waiting--;
        Object next = permits.requeue(id, want, first);
        dropListIfEmpty();
        return next;
    }

    private void reserve() {
        WaitList lists = permits.list();
        if (list == 0) {
            list = lists.newList();
        }
        try {
            lists.reserve();
        } catch (Throwable t) {
            dropListIfEmpty();
            throw t;
        }
    }

    private void dropListIfEmpty() {
        if (permits.list().isEmpty(list)) {
            permits.list().dropList(list);
            list = 0;
        }
    }
}
