// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.CallbackWaiter;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.Shares;
import dev.evenweave.wait.WaitFuture;
import dev.evenweave.wait.WaitQueue;
import dev.evenweave.wait.WaitQueue.Mode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Purpose. The public face of Shares, with a share for each key that has or wants permits.
//
// A key has a share in the table from its first use until the share is dead: without permits and without waiters.
// Whoever
// finds it dead, or made it so, takes it out; who wants to use a dead one makes another. No key's hashCode or equals
// runs
// under the lock of Shares.
//
// Invariants.
//   I1  A share that holds permits or has waiters is the one in the table for its key.
//   I2  A key that neither has nor wants permits has no share, when nobody is just about to use it.

/**
 * Permits that are shared between keys, tenants for instance, so that the key which holds the fewest is served first.
 *
 * {@snippet :
 * FairShare<Tenant> workers = new FairShare<>(32);
 * workers.withPermit(tenant, () -> handle(request));
 * }
 *
 * <p><b>Order.</b> When permits are free, they go to the waiting key that holds the fewest; among keys that hold as many, to
 * the one whose oldest waiter came first; within a key, first come, first served. Permits that were given but not yet noticed
 * count as held. If whoever is next wants more than is free, the others wait until it has it. {@code try} methods take
 * nothing while anybody waits. Nobody's permits are revoked: one key may hold all as long as no other wants any.
 *
 * <p><b>Cancellation.</b> A wait that ends early leaves the queue; if its permits had just been given, they go on.
 *
 * <p><b>Memory.</b> What was done before a release happens-before what is done after a later acquire, of any key.
 *
 * <p>Keys are compared by {@code equals} and must not be null. What is kept of a key ends with its last permit and waiter;
 * the next use of such a key makes it anew, two small objects, while all else here allocates nothing once warm. See the {@linkplain dev.evenweave.sync package description}
 * for interruption, time limits and callbacks. The rule is that of Apache Asyncband's fair share.
 */
public final class FairShare<K> {
    final Shares shares;
    private final ConcurrentHashMap<K, KeyShare<K>> table = new ConcurrentHashMap<>();

    /**
     * Makes an admission with so many permits.
     *
     * @throws IllegalArgumentException if the number is not positive
     */
    public FairShare(long permits) {
        this(permits, Parker.THREADS);
    }

    FairShare(long permits, Parker parker) {
        if (permits <= 0) {
            throw new IllegalArgumentException("permits must be positive: " + permits);
        }
        this.shares = new Shares(permits, parker);
    }

    /** The share of one key. */
    private static final class KeyShare<K> extends Shares.Share {
        final K key;

        KeyShare(K key) {
            this.key = key;
        }
    }

    private KeyShare<K> share(K key) {
        KeyShare<K> present = table.get(key);
        if (present == null) {
            KeyShare<K> fresh = new KeyShare<>(key);
            KeyShare<K> other = table.putIfAbsent(key, fresh);
            present = other == null ? fresh : other;
        }
        return present;
    }

    private void forgetIfDead(KeyShare<K> share) {
        if (share.isDead()) {
            table.remove(share.key, share);
        }
    }

    private void checkCount(long n) {
        if (n <= 0 || n > shares.total()) {
            throw new IllegalArgumentException(
                    "permits to acquire must be from 1 to " + shares.total() + ", which is all there are: " + n);
        }
    }

    private long take(K key, long n, Mode mode, long nanos) {
        checkCount(n);
        KeyShare<K> share;
        long result;
        do {
            share = share(key);
            try {
                result = shares.acquire(share, n, mode, nanos);
            } finally {
                forgetIfDead(share);
            }
        } while (result == Shares.DEAD);
        return result;
    }

    /**
     * Takes a permit for the key, waiting for the key's turn.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no permit is held
     * @throws ClosedException if this is or gets closed
     */
    public void acquire(K key) throws InterruptedException {
        acquire(key, 1);
    }

    /**
     * Takes n permits for the key, waiting for the key's turn and for that many to be free.
     *
     * @throws IllegalArgumentException if n is not positive or more than there are
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no permit is held
     * @throws ClosedException if this is or gets closed; no permit is held
     */
    public void acquire(K key, long n) throws InterruptedException {
        Results.checkInterrupt();
        Results.check(shares, take(key, n, Mode.INTERRUPTIBLE, WaitQueue.FOREVER));
    }

    /**
     * Takes n permits for the key, waiting for the key's turn, whether interrupted or not.
     *
     * @throws IllegalArgumentException if n is not positive or more than there are
     * @throws ClosedException if this is or gets closed; no permit is held
     */
    public void acquireUninterruptibly(K key, long n) {
        Results.checkUninterruptible(shares, take(key, n, Mode.UNINTERRUPTIBLE, WaitQueue.FOREVER));
    }

    /**
     * Takes a permit for the key if one is free and nobody waits, of whatever key.
     *
     * @throws ClosedException if this is closed
     */
    @CheckReturnValue
    public boolean tryAcquire(K key) {
        return tryAcquire(key, 1);
    }

    /**
     * Takes n permits for the key if they are free and nobody waits, of whatever key.
     *
     * @throws IllegalArgumentException if n is not positive or more than there are
     * @throws ClosedException if this is closed
     */
    @CheckReturnValue
    public boolean tryAcquire(K key, long n) {
        checkCount(n);
        KeyShare<K> share;
        long result;
        do {
            share = share(key);
            result = shares.tryAcquire(share, n);
            forgetIfDead(share);
        } while (result == Shares.DEAD);
        return Results.checkNow(shares, result);
    }

    /**
     * Takes n permits for the key, waiting for the key's turn, for at most this time.
     *
     * @return false if the time was over first; then no permit is held
     * @throws IllegalArgumentException if n is not positive or more than there are
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no permit is held
     * @throws ClosedException if this is or gets closed; no permit is held
     */
    @CheckReturnValue
    public boolean tryAcquire(K key, long n, Duration timeout) throws InterruptedException {
        long nanos = Results.nanos(timeout);
        Results.checkInterrupt();
        return Results.checkTimed(shares, take(key, n, Mode.INTERRUPTIBLE, nanos));
    }

    /** Takes a permit for the key without blocking the thread: see {@link #acquireAsync(Object, long)}. */
    @CheckReturnValue
    public CompletableFuture<Admission<K>> acquireAsync(K key) {
        return acquireAsync(key, 1);
    }

    /**
     * Takes n permits for the key without blocking the thread. Completing the future from outside leaves the queue; if the
     * permits had just been given, they go on.
     *
     * @return the future; failed with {@link ClosedException} if this is or gets closed
     * @throws IllegalArgumentException if n is not positive or more than there are
     */
    @CheckReturnValue
    public CompletableFuture<Admission<K>> acquireAsync(K key, long n) {
        checkCount(n);
        while (true) {
            KeyShare<K> share = share(key);
            Acquire<K> future = new Acquire<>(this, share, n);
            long now = shares.acquire(share, n, future.waiter());
            forgetIfDead(share);
            if (now != Shares.DEAD) {
                return now == WaitQueue.WAITING ? future : future.settle(now);
            }
        }
    }

    /**
     * Takes n permits for the key, or lets the waiter be called when it has got them. Give them back with
     * {@link #release(Object, long)}.
     *
     * @return true if the permits are taken, and the waiter is not called; false if the waiter is in the queue
     * @throws IllegalArgumentException if n is not positive or more than there are
     * @throws IllegalStateException if the waiter waits already
     * @throws ClosedException if this is closed
     */
    @CheckReturnValue
    public boolean acquire(K key, long n, Waiter waiter) {
        checkCount(n);
        KeyShare<K> share;
        long result;
        do {
            share = share(key);
            try {
                result = shares.acquire(share, n, waiter.node());
            } finally {
                forgetIfDead(share);
            }
        } while (result == Shares.DEAD);
        return Results.checkNow(shares, result);
    }

    /**
     * Takes the waiter out of the queue.
     *
     * @return false if it is not in the queue: it was never there, or its callback has run or is about to
     */
    public boolean cancel(Waiter waiter) {
        return cancel(waiter.node());
    }

    private boolean cancel(CallbackWaiter waiter) {
        Shares.Share cancelled;
        try {
            cancelled = shares.cancel(waiter);
        } catch (Throwable t) {
            // Of a callback that was served instead; the share is not known here.
            table.values().removeIf(Shares.Share::isDead);
            throw t;
        }
        if (cancelled instanceof KeyShare<?> share) {
            if (share.isDead()) {
                table.remove(share.key, share);
            }
            return true;
        }
        return false;
    }

    /** Gives a permit of the key back: see {@link #release(Object, long)}. */
    public void release(K key) {
        release(key, 1);
    }

    /**
     * Gives n permits of the key back, to whoever is next; n = 0 does nothing.
     *
     * @throws IllegalArgumentException if n is negative
     * @throws IllegalStateException if the key holds fewer; nothing changed
     */
    public void release(K key, long n) {
        Results.checkCount("permits to release", n);
        if (n > 0) {
            KeyShare<K> share = table.get(key);
            if (share == null || !release(share, n)) {
                throw new IllegalStateException("The key " + key + " holds " + held(key)
                        + " permits and cannot release " + n + ": release what was acquired, once");
            }
        }
    }

    private boolean release(KeyShare<K> share, long n) {
        try {
            return shares.release(share, n);
        } finally {
            // If a callback threw, too.
            forgetIfDead(share);
        }
    }

    /**
     * Takes a permit for the key as an object that gives it back when closed.
     *
     * @throws InterruptedException as {@link #acquire(Object)}
     * @throws ClosedException if this is or gets closed
     */
    @CheckReturnValue
    public Admission<K> admit(K key) throws InterruptedException {
        return admit(key, 1);
    }

    /**
     * Takes n permits for the key as an object that gives them back when closed.
     *
     * @throws IllegalArgumentException if n is not positive or more than there are
     * @throws InterruptedException as {@link #acquire(Object, long)}
     * @throws ClosedException if this is or gets closed
     */
    @CheckReturnValue
    public Admission<K> admit(K key, long n) throws InterruptedException {
        acquire(key, n);
        return admission(key, n);
    }

    /**
     * Takes n permits for the key as an object that gives them back when closed, if they are free and nobody waits.
     *
     * @throws IllegalArgumentException if n is not positive or more than there are
     * @throws ClosedException if this is closed
     */
    @CheckReturnValue
    public Optional<Admission<K>> tryAdmit(K key, long n) {
        return tryAcquire(key, n) ? Optional.of(admission(key, n)) : Optional.empty();
    }

    private Admission<K> admission(K key, long n) {
        // It holds permits, so its share is in the table (I1).
        return new Admission<>(this, Objects.requireNonNull(table.get(key)), n);
    }

    /**
     * Runs the body with a permit for the key, which is given back however the body ends.
     *
     * @return what the body returns
     * @throws E what the body throws
     * @throws InterruptedException if the thread is interrupted before it has the permit; the body did not run
     * @throws ClosedException if this is or gets closed before that
     */
    public <T extends @Nullable Object, E extends Throwable> T withPermit(K key, ScopedValue.CallableOp<T, E> body)
            throws E, InterruptedException {
        acquire(key, 1);
        try {
            return body.call();
        } finally {
            release(key, 1);
        }
    }

    /**
     * Runs the body with a permit for the key, which is given back however the body ends.
     *
     * @throws InterruptedException if the thread is interrupted before it has the permit; the body did not run
     * @throws ClosedException if this is or gets closed before that
     */
    public void withPermit(K key, Runnable body) throws InterruptedException {
        acquire(key, 1);
        try {
            body.run();
        } finally {
            release(key, 1);
        }
    }

    /**
     * Runs the body with a permit for the key, which is given back when the stage that the body returns is complete, or when
     * the body throws or returns null.
     *
     * <p>Completing the returned future from outside leaves the queue if the body has not begun. A body that has begun goes
     * on, and the permit stays taken until its stage completes.
     *
     * @return the outcome of the body's stage
     */
    @CheckReturnValue
    public <T extends @Nullable Object> CompletableFuture<T> withPermitAsync(
            K key, Supplier<? extends CompletionStage<T>> body) {
        return AsyncBody.run(acquireAsync(key, 1), Admission::close, body);
    }

    /** The permits that nobody holds; while somebody waits for more than these they are not to be had. A snapshot. */
    public long availablePermits() {
        return shares.available();
    }

    /** The number of permits that this was made with. */
    public long limit() {
        return shares.total();
    }

    /** How many permits the key holds. A snapshot. */
    public long held(K key) {
        KeyShare<K> share = table.get(key);
        return share == null ? 0 : shares.held(share);
    }

    /** How many keys hold or want permits. A snapshot. */
    public int keys() {
        return table.size();
    }

    /** How many wait, for all keys, threads and callbacks. A snapshot. */
    public int queueLength() {
        return shares.waiting();
    }

    /** Closes without a reason: see {@link #close(Throwable)}. */
    public void close() {
        shut(null);
    }

    /**
     * Ends every wait, now and later, with {@link ClosedException}; the reason is its cause. Permits that are held can still be
     * released. Closing again does nothing: the first reason stays.
     */
    public void close(Throwable reason) {
        shut(reason);
    }

    private void shut(@Nullable Throwable reason) {
        try {
            shares.close(reason);
        } finally {
            // Those whose callbacks alone were waiting.
            table.values().removeIf(Shares.Share::isDead);
        }
    }

    public boolean isClosed() {
        return shares.isClosed();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("FairShare[available=")
                .append(availablePermits())
                .append(", limit=")
                .append(limit())
                .append(", keys=")
                .append(keys())
                .append(", queued=")
                .append(queueLength());
        if (isClosed()) {
            text.append(", closed");
            Throwable reason = shares.reason();
            if (reason != null) {
                text.append(" by ").append(reason);
            }
        }
        return text.append(']').toString();
    }

    /** Permits of a key, to be given back by {@link #close}; closing again does nothing. Any thread may close it. */
    public static final class Admission<K> implements AutoCloseable {
        private static final VarHandle HELD;

        static {
            try {
                HELD = MethodHandles.lookup().findVarHandle(Admission.class, "held", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final FairShare<K> home;
        private final KeyShare<K> share;
        private volatile long held;

        private Admission(FairShare<K> home, KeyShare<K> share, long held) {
            this.home = home;
            this.share = share;
            this.held = held;
        }

        /** Whose permits these are. */
        public K key() {
            return share.key;
        }

        /** How many this holds; 0 after it was closed. */
        public long permits() {
            return held;
        }

        /**
         * Gives the permits back, first of all to whoever is next.
         *
         * @throws IllegalStateException if they were released by {@link FairShare#release} before
         */
        @Override
        public void close() {
            long all = (long) HELD.getAndSet(this, 0L);
            if (all > 0 && !home.release(share, all)) {
                throw new IllegalStateException("The " + all + " permits of " + share.key
                        + " were released before their admission was closed: do one of the two");
            }
        }

        @Override
        public String toString() {
            return "FairShare.Admission[" + held + " for " + share.key + " of " + home + "]";
        }
    }

    private static final class Acquire<K> extends WaitFuture<Admission<K>> {
        private final FairShare<K> home;
        private final KeyShare<K> share;
        private final long n;

        Acquire(FairShare<K> home, KeyShare<K> share, long n) {
            this.home = home;
            this.share = share;
            this.n = n;
        }

        @Override
        protected boolean leave(CallbackWaiter waiter) {
            return home.cancel(waiter);
        }

        @Override
        protected Admission<K> granted() {
            return new Admission<>(home, share, n);
        }

        @Override
        protected Throwable failed(long result) {
            return Results.closed(home.shares);
        }

        @Override
        protected void giveBack(CallbackWaiter waiter) {
            home.release(share, n);
        }
    }
}
