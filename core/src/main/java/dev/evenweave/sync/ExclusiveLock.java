// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import dev.evenweave.wait.Permits;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

// Purpose. A lock that takes all permits, so that one at a time holds it, and whose owner is known while a thread has
// taken it.
//
// `owner` is 0 while the lock is free, on its way from one to the next, or held by what is no thread (a hold from
// lockAsync, a waiter). It is written only by the holder, opaquely, so that whoever reads it sees a number that was
// written.
//
// Why a number, and not the thread. A reference costs the garbage collector's barriers at each lock and unlock: for a
// lock
// in the old generation of G1 a full fence, as much as the lock itself.

/** What a {@link Mutex} and the write side of an {@link RwLock} can do. */
abstract class ExclusiveLock<H extends Hold> extends PermitLock<H> {
    private static final VarHandle OWNER;

    static {
        try {
            OWNER = MethodHandles.lookup().findVarHandle(ExclusiveLock.class, "owner", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long NOBODY = 0;

    /** The id of the thread that has taken the lock. */
    @SuppressWarnings("unused")
    private long owner;

    ExclusiveLock(Permits permits) {
        super(permits, permits.max());
    }

    @Override
    final boolean tryTake() {
        return permits.tryAcquireAll(share);
    }

    @Override
    final boolean give() {
        return permits.releaseAll(share);
    }

    @Override
    final void entered() {
        OWNER.setOpaque(this, Thread.currentThread().threadId());
    }

    @Override
    final void checkNotOwn() {
        if (isHeldByCurrentThread()) {
            throw new IllegalStateException(
                    "The current thread holds " + this + " already; it is not re-entrant and would wait for itself");
        }
    }

    @Override
    final void leaving() {
        if (!isHeldByCurrentThread()) {
            throw new IllegalMonitorStateException("The current thread does not hold " + this);
        }
        OWNER.setOpaque(this, NOBODY);
    }

    @Override
    final void forgetOwner() {
        OWNER.setOpaque(this, NOBODY);
    }

    @Override
    public void unlock(Waiter waiter) {
        long thread = owner();
        if (thread != NOBODY) {
            throw new IllegalMonitorStateException(this + " is held by thread #" + thread + " and not by a waiter");
        }
        super.unlock(waiter);
    }

    /** Makes a condition of this lock. */
    @Override
    public Condvar newCondition() {
        return new Condvar(this);
    }

    /** Whether somebody holds the lock. A snapshot. */
    public boolean isLocked() {
        return permits.available() < share;
    }

    /** Whether the current thread has taken the lock and not given it back, also through a hold. */
    public boolean isHeldByCurrentThread() {
        return owner() == Thread.currentThread().threadId();
    }

    /** Whether a thread is known to hold the lock. */
    final boolean isHeldByThread() {
        return owner() != NOBODY;
    }

    /** The id of the thread that is known to hold the lock, or 0. */
    final long owner() {
        return (long) OWNER.getOpaque(this);
    }
}
