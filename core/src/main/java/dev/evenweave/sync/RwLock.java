// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.Permits;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

// Purpose. As many permits as readers may be: a reader takes one, a writer all of them.
//
// A queued writer is at the head of the queue or behind others, and as the head it collects every permit that a reader
// gives back; readers who come later stand behind it. So neither side starves: the queue is the order.
//
// The upgradable reader takes one permit too, and the only permit of the upgrade gate before that. Its upgrade goes to
// the front of the queue and takes over what a writer there has collected: that writer could never complete, since the
// upgrader keeps its own permit. Two upgraders would deadlock in the same way, so the gate lets in one.

/**
 * A lock that many readers or one writer hold, in the order of asking: readers that come after a writer wait behind it, so
 * neither side starves.
 *
 * {@snippet :
 * String value = rwLock.readLock().withLock(() -> map.get(key));
 * try (WriteHold hold = rwLock.writeLock().hold()) {
 *     map.put(key, newValue);
 *     try (Hold reading = hold.downgrade()) { publish(map); }
 * }
 * }
 *
 * <p>Not re-entrant: a writer that asks for either side gets an {@link IllegalStateException}. A reader that asks again
 * takes a second share, and waits for ever if a writer has queued in between.
 *
 * <p>To guard a value rather than a piece of code, use {@link RwGuarded}.
 *
 * <p><b>Memory.</b> What was done before a write unlock happens-before what is done after later read and write locks; what
 * was done before a read unlock happens-before what is done after later write locks.
 */
public final class RwLock implements ReadWriteLock {
    /** Half of all longs: more than there will ever be readers. */
    private static final long DEFAULT_MAX_READERS = Long.MAX_VALUE >> 1;

    private static final VarHandle UPGRADABLE;

    static {
        try {
            UPGRADABLE = MethodHandles.lookup().findVarHandle(RwLock.class, "upgradable", UpgradableLock.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Parker parker;
    private final Permits permits;
    private final ReadLock readLock;
    private final WriteLock writeLock;

    /** Made when somebody first wants to be upgradable. */
    private volatile @Nullable UpgradableLock upgradable;

    /** Makes a lock that nobody holds and any number may read. */
    public RwLock() {
        this(DEFAULT_MAX_READERS);
    }

    /**
     * Makes a lock that nobody holds and so many may read at once; the next reader waits.
     *
     * @throws IllegalArgumentException if the number is not from 1 to {@code Long.MAX_VALUE / 2}
     */
    public RwLock(long maxReaders) {
        this(maxReaders, Parker.THREADS);
    }

    RwLock(long maxReaders, Parker parker) {
        if (maxReaders < 1 || maxReaders > DEFAULT_MAX_READERS) {
            throw new IllegalArgumentException(
                    "the number of readers must be from 1 to " + DEFAULT_MAX_READERS + ": " + maxReaders);
        }
        this.parker = parker;
        this.permits = new Permits(maxReaders, maxReaders, parker);
        this.writeLock = new WriteLock(this);
        this.readLock = new ReadLock(permits, writeLock);
    }

    @Override
    public ReadLock readLock() {
        return readLock;
    }

    @Override
    public WriteLock writeLock() {
        return writeLock;
    }

    /** The read side that can be upgraded, for callbacks. Threads and futures use {@link #holdUpgradable}. */
    public UpgradableLock upgradableLock() {
        UpgradableLock present = upgradable;
        if (present == null) {
            UpgradableLock made = new UpgradableLock(this);
            present = (UpgradableLock) UPGRADABLE.compareAndExchange(this, (UpgradableLock) null, made);
            if (present == null) {
                present = made;
            }
        }
        return present;
    }

    /** How many may read at once. */
    public long maxReaders() {
        return permits.max();
    }

    /** How many wait for either side, threads and callbacks. A snapshot. */
    public int queueLength() {
        return permits.waiting();
    }

    /**
     * Takes the read side so that it can be upgraded: waits until there is no other upgradable hold, and then as
     * {@link ReadLock#holdInterruptibly()}.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; nothing is held
     * @throws IllegalStateException if the current thread is known to hold the write side
     */
    @CheckReturnValue
    public UpgradableHold holdUpgradable() throws InterruptedException {
        Results.checkInterrupt();
        writeLock.checkNotOwn();
        Permits gate = upgradeGate();
        Results.check(gate, gate.acquire(1, Mode.INTERRUPTIBLE, WaitQueue.FOREVER));
        return holdGated(gate, WaitQueue.FOREVER).orElseThrow();
    }

    /** Takes the read side so that it can be upgraded, if that is free for it and nobody waits. */
    @CheckReturnValue
    public Optional<UpgradableHold> tryHoldUpgradable() {
        Permits gate = upgradeGate();
        if (!gate.tryAcquire(1)) {
            return Optional.empty();
        }
        if (!permits.tryAcquire(1)) {
            gate.release(1);
            return Optional.empty();
        }
        return Optional.of(new UpgradableHold(this));
    }

    /**
     * Takes the read side so that it can be upgraded, waiting for at most this time.
     *
     * @return empty if the time was over first
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; nothing is held
     * @throws IllegalStateException if the current thread is known to hold the write side and would have to wait
     */
    @CheckReturnValue
    public Optional<UpgradableHold> tryHoldUpgradable(Duration timeout) throws InterruptedException {
        long nanos = Results.nanos(timeout);
        long start = parker.nanoTime();
        Results.checkInterrupt();
        if (nanos > 0) {
            writeLock.checkNotOwn();
        }
        Permits gate = upgradeGate();
        if (!Results.checkTimed(gate, gate.acquire(1, Mode.INTERRUPTIBLE, nanos))) {
            return Optional.empty();
        }
        return holdGated(gate, nanos == WaitQueue.FOREVER ? nanos : nanos - (parker.nanoTime() - start));
    }

    /**
     * Takes the read side so that it can be upgraded, without blocking the thread. Completing the future from outside leaves
     * the queue.
     */
    @CheckReturnValue
    public CompletableFuture<UpgradableHold> holdUpgradableAsync() {
        CompletableFuture<Hold> gate = new ReadLock(upgradeGate(), writeLock).lockAsync();
        return Guards.both(gate, readLock::lockAsync, (gated, reading) -> {
            gated.handOver();
            reading.handOver();
            return new UpgradableHold(this);
        });
    }

    private Optional<UpgradableHold> holdGated(Permits gate, long nanos) throws InterruptedException {
        boolean held = false;
        try {
            held = Results.checkTimed(permits, permits.acquire(1, Mode.INTERRUPTIBLE, nanos));
            return held ? Optional.of(new UpgradableHold(this)) : Optional.empty();
        } finally {
            if (!held) {
                gate.release(1);
            }
        }
    }

    Permits permits() {
        return permits;
    }

    Permits upgradeGate() {
        return upgradableLock().gate;
    }

    /** Gives back a share that a hold stands for. */
    void giveBackShare(long share) {
        if (!permits.release(share)) {
            throw new IllegalMonitorStateException(this + " is not held");
        }
    }

    /** The holder of the write side becomes a reader. */
    void downgradeHeld() {
        writeLock.forgetOwner();
        giveBackShare(maxReaders() - 1);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("RwLock[");
        long writer = writeLock.owner();
        long free = permits.available();
        int queued = queueLength();
        if (writer != 0) {
            text.append("write-locked by thread #").append(writer);
        } else if (free == maxReaders()) {
            text.append("free");
        } else if (free > 0) {
            text.append("readers=").append(maxReaders() - free);
        } else {
            text.append("locked");
        }
        return text.append(", queued=").append(queued).append(']').toString();
    }

    /** The read side. Who holds it is not known: unlocking what one does not hold is found out only if nobody reads. */
    public static final class ReadLock extends PermitLock<Hold> {
        private final WriteLock writeLock;

        private ReadLock(Permits permits, WriteLock writeLock) {
            super(permits, 1);
            this.writeLock = writeLock;
        }

        @Override
        boolean tryTake() {
            return permits.tryAcquire(share);
        }

        @Override
        boolean give() {
            return permits.release(share);
        }

        @Override
        void entered() {}

        @Override
        void checkNotOwn() {
            writeLock.checkNotOwn();
        }

        @Override
        void leaving() {
            if (writeLock.isHeldByThread()) {
                throw new IllegalMonitorStateException("Nobody reads: " + this);
            }
        }

        @Override
        void forgetOwner() {}

        @Override
        Hold newHold() {
            return new Hold(this);
        }

        /**
         * Readers do not wait for conditions.
         *
         * @throws UnsupportedOperationException always: use a condition of the write side
         */
        @Override
        public Condition newCondition() {
            throw new UnsupportedOperationException(
                    "A read lock has no conditions: use writeLock().newCondition(), and hold the write lock to await it");
        }

        @Override
        public String toString() {
            return "ReadLock of " + writeLock.rwLock;
        }
    }

    /** The write side. */
    public static final class WriteLock extends ExclusiveLock<WriteHold> {
        private final RwLock rwLock;

        private WriteLock(RwLock rwLock) {
            super(rwLock.permits);
            this.rwLock = rwLock;
        }

        /**
         * Turns the write lock of the current thread into a read lock, to be unlocked by {@code readLock().unlock()}, with
         * no moment in between in which another could write. If this throws what the callback of a reader threw, the current
         * thread reads all the same.
         *
         * @throws IllegalMonitorStateException if the current thread does not hold the write lock
         */
        public void downgrade() {
            leaving();
            rwLock.downgradeHeld();
        }

        @Override
        WriteHold newHold() {
            return new WriteHold(rwLock);
        }

        @Override
        public String toString() {
            return "WriteLock of " + rwLock;
        }
    }

    /**
     * The read side, held by one waiter at a time so that it can become the write side without being given back in between:
     * what {@link UpgradableHold} is for threads and futures, without allocation.
     *
     * <p>Others may read meanwhile. An upgrade goes before all who wait: it waits only for those who are reading.
     */
    public static final class UpgradableLock {
        // `gate` has the permit to be upgradable. The fields below belong to the waiter that has it: written by whoever
        // grants to it before it is called, and then by its own calls.

        private final RwLock rwLock;
        final Permits gate;

        /** Who holds the read side through this, or more; null while nobody does, or a hold. */
        private @Nullable Waiter holder;

        /** Whether the holder has the write side. */
        private boolean exclusive;

        private UpgradableLock(RwLock rwLock) {
            this.rwLock = rwLock;
            this.gate = new Permits(1, 1, rwLock.parker);
        }

        /**
         * Takes the read side so that it can be upgraded, or lets the waiter be called when it has got it. It is given back
         * by {@link #unlock}.
         *
         * @return true if it is taken, and the waiter is not called; false if the waiter is in the queue
         * @throws IllegalStateException if the waiter waits already
         */
        @CheckReturnValue
        public boolean lock(Waiter waiter) {
            if (gate.acquire(1, waiter.node(), this) == WaitQueue.WAITING) {
                return false;
            }
            boolean goesOn = false;
            try {
                boolean granted = enter(waiter);
                goesOn = true;
                return granted;
            } finally {
                if (!goesOn) {
                    gate.release(1);
                }
            }
        }

        /** With the gate's permit: asks for the read side; whether that is held now. */
        private boolean enter(Waiter waiter) {
            if (rwLock.permits.acquire(1, waiter.node(), this) == WaitQueue.WAITING) {
                return false;
            }
            holder = waiter;
            return true;
        }

        /** What the waiter waited for in the queue has been granted, on behalf of this. */
        void granted(Waiter waiter, WaitQueue queue) {
            if (queue == gate) {
                if (!enter(waiter)) {
                    return;
                }
            } else if (holder == waiter) {
                exclusive = true;
            } else {
                holder = waiter;
            }
            waiter.completed(null);
        }

        /**
         * Turns the read side that the waiter holds into the write side, or lets the waiter be called when it has become
         * that; returns true if it is already. Until then do nothing else here with the waiter but {@link #cancel}.
         *
         * @return true if the write side is held, and the waiter is not called; false if the waiter is in the queue
         * @throws IllegalStateException if the waiter waits already
         * @throws IllegalMonitorStateException if the waiter does not hold this
         */
        @CheckReturnValue
        public boolean upgrade(Waiter waiter) {
            checkHolder(waiter);
            if (!exclusive) {
                if (rwLock.permits.acquireFirst(rwLock.maxReaders() - 1, waiter.node(), this) == WaitQueue.WAITING) {
                    return false;
                }
                exclusive = true;
            }
            return true;
        }

        /**
         * Becomes the read side again, with no moment in between in which another could write; does nothing if it is
         * already.
         *
         * @throws IllegalMonitorStateException if the waiter does not hold this
         */
        public void downgrade(Waiter waiter) {
            checkHolder(waiter);
            if (exclusive) {
                exclusive = false;
                rwLock.giveBackShare(rwLock.maxReaders() - 1);
            }
        }

        /**
         * Gives back what the waiter holds, the read side or the write side.
         *
         * @throws IllegalMonitorStateException if the waiter does not hold this
         */
        public void unlock(Waiter waiter) {
            checkHolder(waiter);
            long share = exclusive ? rwLock.maxReaders() : 1;
            exclusive = false;
            holder = null;
            try {
                rwLock.giveBackShare(share);
            } finally {
                // If a callback threw, too.
                gate.release(1);
            }
        }

        /**
         * Takes the waiter out of the queue: it then holds nothing, or, if it waited for an upgrade, the read side as
         * before.
         *
         * @return false if it is not in the queue: it was never there, its callback has run or is about to, or it is just
         *     being let in by the one who was upgradable before it, and then it can be cancelled a moment later
         */
        public boolean cancel(Waiter waiter) {
            if (gate.cancel(waiter.node(), this)) {
                return true;
            }
            // What it throws is of a callback that was served instead: then it is cancelled.
            boolean cancelled = true;
            try {
                cancelled = rwLock.permits.cancel(waiter.node(), this);
            } finally {
                // What was written before it got into the queue is seen by who takes it out, under the same lock.
                if (cancelled && holder != waiter) {
                    gate.release(1);
                }
            }
            return cancelled;
        }

        private void checkHolder(Waiter waiter) {
            if (holder != Objects.requireNonNull(waiter, "waiter")) {
                throw new IllegalMonitorStateException("The waiter does not hold " + this);
            }
        }

        @Override
        public String toString() {
            return "UpgradableLock of " + rwLock;
        }
    }
}
