// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import dev.evenweave.wait.Permits;
import org.jspecify.annotations.Nullable;

// Purpose. A lock that takes all permits, so that one at a time holds it, and whose owner is known while a thread has
// taken it.
//
// `owner` is null while the lock is free, on its way from one to the next, or held by what is no thread (a hold from
// lockAsync, a waiter). It is written only by the holder.

/** What a {@link Mutex} and the write side of an {@link RwLock} can do. */
abstract class ExclusiveLock<H extends Hold> extends PermitLock<H> {
    private @Nullable Thread owner;

    ExclusiveLock(Permits permits) {
        super(permits, permits.max());
    }

    @Override
    final boolean tryTake() {
        return permits.tryAcquireAll();
    }

    @Override
    final boolean give() {
        return permits.releaseAll();
    }

    @Override
    final void entered() {
        owner = Thread.currentThread();
    }

    @Override
    final void checkNotOwn() {
        if (owner == Thread.currentThread()) {
            throw new IllegalStateException(
                    "The current thread holds " + this + " already; it is not re-entrant and would wait for itself");
        }
    }

    @Override
    final void leaving() {
        if (owner != Thread.currentThread()) {
            throw new IllegalMonitorStateException("The current thread does not hold " + this);
        }
        owner = null;
    }

    @Override
    final void forgetOwner() {
        owner = null;
    }

    @Override
    public void unlock(Waiter waiter) {
        Thread thread = owner;
        if (thread != null) {
            throw new IllegalMonitorStateException(this + " is held by " + thread + " and not by a waiter");
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
        return owner == Thread.currentThread();
    }

    final @Nullable Thread owner() {
        return owner;
    }
}
