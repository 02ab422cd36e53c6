// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

// Purpose. The life of a waiter, written once: a short lock, a wait list under it, threads that stand still, callbacks
// that are called, grants that are handed over, cancellation.
//
// The result of a wait is in the slot's `need`: positive says it still waits for so many (permits, or just 1), GRANTED
// (0) that it has all of it, negative that the queue was closed.
//
// A thread's wait, step by step:
//   1. lock, look once more, add {need, Thread}, unlock                          (the subclass)
//   2. park
//   3. lock. Result there? free the slot, unlock, return it.                     (block)
//      Interrupted or late? Return with the lock HELD, and the subclass takes the waiter out in the same section.
//      Neither? unlock and go to 2.
// The result is looked at before the interrupt, both under the lock: so a grant that came first is kept, one that comes
// later finds nobody. It is never lost and never given twice.
//
// Invariants.
//   I1  The lock is never held while a thread parks, is unparked, or while foreign code runs.
//   I2  Every waiter that got a result is woken after that, by the thread that wrote the result or by one that finds
//       it in the list WOKEN.
//   I3  A callback waiter's slot is freed by the one that wakes it, a thread's slot by the thread.
//   I4  A foreign unpark token that was there before the wait is still there after it: who returned from a park that
//       was not ours unparks itself.
//
// Memory order. Everything in the list is plain, under the lock (ShortLock).

/** A lock and a wait list, with everything that a waiter can live through. */
public abstract class WaitQueue extends ShortLock {
    /** The waiter has all that it asked for. */
    public static final long GRANTED = 0;

    /** The waiter stands in the queue, or could not be served and did not want to wait. */
    public static final long WAITING = 1;

    /** The time was over first; the waiter has left and holds nothing. */
    public static final long TIMED_OUT = 2;

    /** The thread was interrupted first; the waiter has left and holds nothing. The flag is still set. */
    public static final long INTERRUPTED = 3;

    /** The queue is closed; the waiter holds nothing. */
    public static final long CLOSED = -1;

    /** No time limit. */
    public static final long FOREVER = Long.MAX_VALUE;

    /** How a wait takes an interrupt. */
    public enum Mode {
        /** The wait ends. */
        INTERRUPTIBLE,
        /** The wait goes on and the flag is set again when it ends. */
        UNINTERRUPTIBLE
    }

    private static final VarHandle WAITING_COUNT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WAITING_COUNT = lookup.findVarHandle(WaitQueue.class, "waiting", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** How many stand in the queue without a result: written under the lock, read by anyone for a look. */
    private int waiting;

    /** Made for the first waiter; written once, under the lock. */
    private @Nullable WaitList list;

    final Parker parker;

    WaitQueue(Parker parker) {
        this.parker = parker;
    }

    /** Why the queue was closed; null if no reason was given or it is not closed. */
    public abstract @Nullable Throwable reason();

    /** The wait list, made if there was none; under the lock. */
    final WaitList list() {
        WaitList present = list;
        if (present == null) {
            present = WaitList.create();
            list = present;
        }
        return present;
    }

    /** Whether nobody stands in the queue; under the lock. */
    final boolean isQueueEmpty() {
        WaitList present = list;
        return present == null || present.isEmpty(WaitList.QUEUE);
    }

    /** How many wait; a snapshot. */
    public final int waiting() {
        return (int) WAITING_COUNT.getOpaque(this);
    }

    /** Adds the current thread; under the lock. */
    final int addThread(int to, long want, long need) {
        int id = list().add(to, want, need, Thread.currentThread());
        count(to);
        return id;
    }

    /** Adds a waiter that has {@link CallbackWaiter#enter entered}; under the lock. */
    final void addCallback(int to, long want, long need, CallbackWaiter waiter) {
        waiter.id = list().add(to, want, need, waiter);
        count(to);
    }

    /** As {@link #addThread}, at the head of the queue. */
    final int addThreadFirst(long want, long need) {
        waiting++;
        return list().addFirst(WaitList.QUEUE, want, need, Thread.currentThread());
    }

    /** As {@link #addCallback}, at the head of the queue. */
    final void addCallbackFirst(long want, long need, CallbackWaiter waiter) {
        waiting++;
        waiter.id = list().addFirst(WaitList.QUEUE, want, need, waiter);
    }

    /** Counts a waiter that was added to another list than the queue, and will be settled or removed there. */
    final void countWaiting() {
        waiting++;
    }

    private void count(int to) {
        if (to == WaitList.QUEUE) {
            waiting++;
        }
    }

    /** Moves a waiter from another list of the arena to the end of the queue; under the lock. */
    final void moveToQueue(int id, long need) {
        WaitList present = list();
        present.need(id, need);
        present.move(id, WaitList.QUEUE);
        waiting++;
    }

    /** Takes a waiter that has no result out of the queue and frees its slot; under the lock. */
    final void remove(int id) {
        free(id);
        waiting--;
    }

    private void free(int id) {
        WaitList present = list();
        assert present.need(id) > 0 : "a waiter with a result is removed";
        present.unlink(id);
        present.free(id);
    }

    /**
     * The slot of a callback waiter that may still be cancelled, or 0; under the lock.
     *
     * @param agent who wants to cancel it: it must stand here on the same one's behalf
     */
    final int cancellable(CallbackWaiter waiter, @Nullable Object agent) {
        int id = waiter.id;
        return waiter.isAt(this) && waiter.agent == agent && id != 0 && list().need(id) > 0 ? id : 0;
    }

    /** Takes a callback waiter that is {@link #cancellable} out of the queue; under the lock. */
    final void removeCallback(CallbackWaiter waiter) {
        removeFromList(waiter);
        waiting--;
    }

    /** The same for another list than the queue. */
    final void removeFromList(CallbackWaiter waiter) {
        free(waiter.id);
        waiter.id = 0;
        waiter.leave();
    }

    /**
     * Gives the waiter its result; under the lock. The caller hands what this returns on to the next call and at last,
     * after unlock, to {@link #wake}.
     *
     * @param first what an earlier call in the same section returned, null for the first
     * @return the first waiter that got a result in this section
     */
    final @Nullable Object settle(int id, long result, @Nullable Object first) {
        WaitList present = list();
        Object waiter = present.waiter(id);
        present.need(id, result);
        waiting--;
        if (first != null) {
            present.move(id, WaitList.WOKEN);
            return first;
        }
        present.unlink(id);
        if (waiter instanceof CallbackWaiter callback) {
            release(present, id, callback);
        }
        return waiter;
    }

    /** Gives all in the list this result; under the lock. As {@link #settle}. */
    final @Nullable Object settleAll(int of, long result, @Nullable Object first) {
        WaitList present = list;
        if (present == null) {
            return first;
        }
        int id;
        while ((id = present.first(of)) != 0) {
            first = settle(id, result, first);
        }
        return first;
    }

    private static void release(WaitList present, int id, CallbackWaiter callback) {
        callback.result = present.need(id);
        callback.id = 0;
        present.free(id);
    }

    /** Wakes whoever got a result in the section that the caller just left. Not under the lock. */
    final void wake(@Nullable Object first) {
        if (first == null) {
            return;
        }
        WaitList present = list();
        // No lock needed to look: if this thread put someone there, it sees that, or that someone else woke them all.
        if (!present.isEmpty(WaitList.WOKEN)) {
            wakeAll(present, first);
        } else if (first instanceof Thread thread) {
            parker.unpark(thread);
        } else {
            ((Callback) first).dispatch();
        }
    }

    /** As {@link #wake}, for one who has something left to do; gives what was thrown. */
    final @Nullable Throwable tryWake(@Nullable Object first) {
        try {
            wake(first);
            return null;
        } catch (Throwable t) {
            return t;
        }
    }

    /** All threads first, so that no callback delays them; then the callbacks in order. */
    private void wakeAll(WaitList present, Object first) {
        Callback head = null;
        Callback tail = null;
        Throwable failure = null;
        Object waiter = first;
        while (waiter != null) {
            if (waiter instanceof Thread thread) {
                try {
                    parker.unpark(thread);
                } catch (Throwable t) {
                    failure = Trampoline.also(failure, t);
                }
            } else {
                Callback callback = (Callback) waiter;
                if (tail == null) {
                    head = callback;
                } else {
                    tail.link = callback;
                }
                tail = callback;
            }
            waiter = takeWoken(present);
        }
        if (head != null && tail != null) {
            Throwable thrown = Trampoline.run(head, tail);
            if (thrown != null) {
                failure = Trampoline.also(failure, thrown);
            }
        }
        Trampoline.rethrow(failure);
    }

    private @Nullable Object takeWoken(WaitList present) {
        lock();
        int id = present.first(WaitList.WOKEN);
        Object waiter = null;
        if (id != 0) {
            present.unlink(id);
            waiter = present.waiter(id);
            if (waiter instanceof CallbackWaiter callback) {
                release(present, id, callback);
            }
        }
        unlock();
        return waiter;
    }

    /**
     * Lets the current thread stand still until its waiter has a result.
     *
     * @return the result, with the slot freed; or {@link #INTERRUPTED} or {@link #TIMED_OUT}, and then the lock is HELD
     *     and the waiter is still there: take it out and unlock
     */
    final long block(int id, Mode mode, long nanos) {
        boolean timed = nanos != FOREVER;
        long deadline = timed ? parker.nanoTime() + Math.min(nanos, FOREVER >> 1) : 0;
        boolean strayToken = false;
        boolean interruptedBefore = false;
        while (true) {
            if (timed) {
                long left = deadline - parker.nanoTime();
                if (left > 0) {
                    park(left);
                }
            } else {
                park(FOREVER);
            }
            boolean interrupted = false;
            if (mode == Mode.INTERRUPTIBLE) {
                interrupted = Thread.currentThread().isInterrupted();
            } else if (Thread.interrupted()) {
                // With the flag set, park would not park: the flag waits here.
                interruptedBefore = true;
            }
            boolean late = timed && deadline - parker.nanoTime() <= 0;
            if (strayToken && (interrupted || late)) {
                strayToken = false;
                parker.unpark(Thread.currentThread());
            }
            if (interruptedBefore && late) {
                interruptedBefore = false;
                Thread.currentThread().interrupt();
            }
            lock();
            WaitList present = list();
            long result = present.need(id);
            if (result <= 0) {
                present.unlink(id);
                present.free(id);
                unlock();
                if (strayToken) {
                    parker.unpark(Thread.currentThread());
                }
                if (interruptedBefore) {
                    Thread.currentThread().interrupt();
                }
                return result;
            }
            if (interrupted) {
                return INTERRUPTED;
            }
            if (late) {
                return TIMED_OUT;
            }
            unlock();
            strayToken = true;
        }
    }

    /** Parks; if there is not the memory or the stack for that, comes back as from a park that ended for no reason. */
    private void park(long nanos) {
        try {
            if (nanos == FOREVER) {
                parker.park(this);
            } else {
                parker.parkNanos(this, nanos);
            }
        } catch (OutOfMemoryError | StackOverflowError e) {
            // Leaving with the waiter still in the queue would lose what it gets: look again, until that works or the
            // wait is over.
            Thread.yield();
        }
    }
}
