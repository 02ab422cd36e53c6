// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.CallbackWaiter;
import dev.evenweave.wait.WaitFuture;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

// States of `mode`, which says what is held.
//
//              upgrade granted                           granted
//     null ───────────────────────▶ EXCLUSIVE   null ▶ Upgrading ────────▶ its waiter
//      ▲  ◀─────────────────────────── │         ▲        │                   │
//      │         downgrade                       └────────┘ completed from ───┘ downgrade, or completed
//                                                           outside             from outside
//
// Memory order. An asynchronous upgrade may be granted by one thread while another completes its future from outside,
// and
// then uses this as the read side. So both change `mode` by compare-and-set, and whoever takes the grant out of it
// gives
// it back. Each upgrade has objects of its own there, so a late one cannot take the next one's.

/**
 * The read side of an {@link RwLock}, held so that it can become the write side without being given back in between.
 *
 * <p>Others may read meanwhile, but there is one upgradable hold at a time, so that two cannot wait for each other. An
 * upgrade goes before all who wait: it waits only for those who are reading.
 *
 * <p>Upgrade, downgrade and close are for one thread at a time.
 */
public final class UpgradableHold extends Hold {
    private static final Object EXCLUSIVE = new Object();

    private final Side side;

    /** What is held: the gate, and one permit or all of them. */
    private static final class Side implements Held {
        private static final VarHandle MODE;

        static {
            try {
                MODE = MethodHandles.lookup().findVarHandle(Side.class, "mode", Object.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        final RwLock rwLock;

        /** Null or the future of an upgrade that has not come yet: the read side; anything else: the write side. */
        volatile @Nullable Object mode;

        Side(RwLock rwLock) {
            this.rwLock = rwLock;
        }

        boolean isExclusive() {
            Object now = mode;
            return now != null && !(now instanceof UpgradableHold.Upgrading);
        }

        boolean change(Object from, @Nullable Object to) {
            return MODE.compareAndSet(this, from, to);
        }

        @Override
        public void giveBack() {
            try {
                rwLock.giveBackShare(isExclusive() ? rwLock.maxReaders() : 1);
            } finally {
                // If a callback threw, too.
                rwLock.upgradeGate().release(1);
            }
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
        return isHeld() && side.isExclusive();
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
            side.mode = EXCLUSIVE;
        }
    }

    /** As {@link #upgrade}, but waits on when interrupted and leaves the flag set. */
    public void upgradeUninterruptibly() {
        if (!isUpgraded()) {
            Results.checkUninterruptible(side.rwLock.permits(), acquire(Mode.UNINTERRUPTIBLE, WaitQueue.FOREVER));
            side.mode = EXCLUSIVE;
        }
    }

    /** Becomes the write side if nobody else reads. */
    public boolean tryUpgrade() {
        if (!isUpgraded() && acquire(Mode.UNINTERRUPTIBLE, 0) == WaitQueue.GRANTED) {
            side.mode = EXCLUSIVE;
        }
        return side.isExclusive();
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
            side.mode = EXCLUSIVE;
        }
        return side.isExclusive();
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
        side.mode = future;
        long now = side.rwLock.permits().acquireFirst(others(), future.waiter(), null);
        return now == WaitQueue.WAITING ? future : future.settle(now);
    }

    /**
     * Becomes the read side again, with no moment in between in which another could write; does nothing if it is already.
     *
     * @throws IllegalStateException if this hold has ended
     */
    public void downgrade() {
        if (isUpgraded()) {
            side.mode = null;
            side.rwLock.giveBackShare(others());
        }
    }

    private boolean isUpgraded() {
        checkHeld();
        return side.isExclusive();
    }

    private long others() {
        return side.rwLock.maxReaders() - 1;
    }

    private long acquire(Mode mode, long nanos) {
        return side.rwLock.permits().acquireFirst(others(), mode, nanos);
    }

    private final class Upgrading extends WaitFuture<UpgradableHold> {
        /** Whether the grant got into {@code mode}; for the thread that brings it. */
        private boolean took;

        @Override
        protected boolean leave(CallbackWaiter waiter) {
            boolean left = side.rwLock.permits().cancel(waiter);
            if (!side.change(this, null) && side.change(waiter, null)) {
                side.rwLock.giveBackShare(others());
            }
            return left;
        }

        @Override
        protected UpgradableHold granted() {
            took = side.change(this, waiter());
            return UpgradableHold.this;
        }

        @Override
        protected Throwable failed(long result) {
            return Results.closed(side.rwLock.permits());
        }

        @Override
        protected void giveBack(CallbackWaiter waiter) {
            if (!took || side.change(waiter, null)) {
                side.rwLock.giveBackShare(others());
            }
        }
    }
}
