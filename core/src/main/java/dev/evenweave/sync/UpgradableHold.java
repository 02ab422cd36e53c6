// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.CallbackWaiter;
import dev.evenweave.wait.WaitFuture;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The read side of an {@link RwLock}, held so that it can become the write side without being given back in between.
 *
 * <p>Others may read meanwhile, but there is one upgradable hold at a time, so that two cannot wait for each other. An
 * upgrade goes before all who wait: it waits only for those who are reading.
 *
 * <p>Upgrade, downgrade and close are for one thread at a time.
 */
public final class UpgradableHold extends Hold {
    private final Side side;

    /** What is held: the gate, and one permit or all of them. */
    private static final class Side implements Held {
        final RwLock rwLock;
        volatile boolean exclusive;

        Side(RwLock rwLock) {
            this.rwLock = rwLock;
        }

        @Override
        public void giveBack() {
            rwLock.giveBackShare(exclusive ? rwLock.maxReaders() : 1);
            rwLock.upgradeGate().release(1);
        }

        @Override
        public String toString() {
            return rwLock.toString();
        }
    }

    UpgradableHold(RwLock rwLock) {
        this(new Side(rwLock));
    }

    private UpgradableHold(Side side) {
        super(side);
        this.side = side;
    }

    /** Whether this holds the write side now. */
    public boolean isExclusive() {
        return isHeld() && side.exclusive;
    }

    /**
     * Becomes the write side, waiting until nobody else reads; does nothing if it is already.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; this still holds the read side
     * @throws IllegalStateException if this hold has ended
     */
    public void upgrade() throws InterruptedException {
        Results.checkInterrupt();
        if (!isUpgraded()) {
            Results.check(side.rwLock.permits(), acquire(Mode.INTERRUPTIBLE, WaitQueue.FOREVER));
            side.exclusive = true;
        }
    }

    /** As {@link #upgrade}, but waits on when interrupted and leaves the flag set. */
    public void upgradeUninterruptibly() {
        if (!isUpgraded()) {
            Results.checkUninterruptible(side.rwLock.permits(), acquire(Mode.UNINTERRUPTIBLE, WaitQueue.FOREVER));
            side.exclusive = true;
        }
    }

    /** Becomes the write side if nobody else reads. */
    public boolean tryUpgrade() {
        if (!isUpgraded() && acquire(Mode.UNINTERRUPTIBLE, 0) == WaitQueue.GRANTED) {
            side.exclusive = true;
        }
        return side.exclusive;
    }

    /**
     * Becomes the write side, waiting for at most this time until nobody else reads.
     *
     * @return false if the time was over first; then this still holds the read side
     * @throws InterruptedException as {@link #upgrade}
     */
    public boolean tryUpgrade(Duration timeout) throws InterruptedException {
        Results.checkInterrupt();
        if (!isUpgraded()
                && Results.checkTimed(side.rwLock.permits(), acquire(Mode.INTERRUPTIBLE, Results.nanos(timeout)))) {
            side.exclusive = true;
        }
        return side.exclusive;
    }

    /**
     * Becomes the write side without blocking the thread. This must not be used, nor closed, until the future is completed;
     * completing it from outside gives the upgrade up, and this holds the read side as before.
     */
    @CheckReturnValue
    public CompletableFuture<UpgradableHold> upgradeAsync() {
        if (tryUpgrade()) {
            return CompletableFuture.completedFuture(this);
        }
        Upgrading future = new Upgrading();
        long now = side.rwLock.permits().acquireFirst(others(), future.waiter());
        return now == WaitQueue.WAITING ? future : future.settle(now);
    }

    /**
     * Becomes the read side again, with no moment in between in which another could write; does nothing if it is already.
     *
     * @throws IllegalStateException if this hold has ended
     */
    public void downgrade() {
        if (isUpgraded()) {
            side.exclusive = false;
            side.rwLock.giveBackShare(others());
        }
    }

    private boolean isUpgraded() {
        checkHeld();
        return side.exclusive;
    }

    private long others() {
        return side.rwLock.maxReaders() - 1;
    }

    private long acquire(Mode mode, long nanos) {
        return side.rwLock.permits().acquireFirst(others(), mode, nanos);
    }

    private final class Upgrading extends WaitFuture<UpgradableHold> {
        @Override
        protected boolean leave(CallbackWaiter waiter) {
            return side.rwLock.permits().cancel(waiter);
        }

        @Override
        protected UpgradableHold granted() {
            side.exclusive = true;
            return UpgradableHold.this;
        }

        @Override
        protected Throwable failed(long result) {
            return Results.closed(side.rwLock.permits());
        }

        @Override
        protected void giveBack(CallbackWaiter waiter) {
            side.exclusive = false;
            side.rwLock.giveBackShare(others());
        }
    }
}
