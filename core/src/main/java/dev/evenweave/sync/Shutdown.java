// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.evenweave.wait.Gate;
import dev.evenweave.wait.Parker;
import dev.evenweave.wait.Rounds;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

// Purpose. A request that stays, and a wait for all who must see to it.
//
// `request` is a gate that opens once. `work` is one round that counts the guards and, until the request, one more: so
// it
// ends when the request was made and no guard is open, whichever comes last, and then nobody can be added.

/**
 * Asks the parts of a program to stop, and waits until they have.
 *
 * {@snippet :
 * // each part:
 * try (Shutdown.Guard guard = shutdown.register()) {
 *     while (!guard.isRequested()) { serve(); }
 * }
 * // whoever ends it all:
 * shutdown.request();
 * shutdown.await(Duration.ofSeconds(30));
 * }
 *
 * <p>A request stays: it cannot be taken back. Whoever has this object can see the request and wait for it without holding
 * up the end; only open guards do that.
 *
 * <p><b>Memory.</b> What was done before {@code request} happens-before what is done by whoever saw it; what was done before
 * a guard was closed happens-before what is done after waiting for the end.
 *
 * <p>See the {@linkplain dev.evenweave.sync package description} for interruption, cancellation, time limits and
 * callbacks.
 */
public final class Shutdown {
    private static final long RUNNING = 0;

    private final Gate request;
    private final Rounds work;

    /** Makes a shutdown that is not requested, without guards. */
    public Shutdown() {
        this(Parker.THREADS);
    }

    Shutdown(Parker parker) {
        this.request = new Gate(RUNNING, parker);
        this.work = new Rounds(RUNNING, 1, 0, parker);
    }

    /**
     * Makes a guard, which holds up the end until it is closed.
     *
     * @throws IllegalStateException if shutdown was requested: begin nothing new
     */
    @CheckReturnValue
    public Guard register() {
        if (isRequested() || !work.addToThisRound(RUNNING, 1)) {
            throw new IllegalStateException("Shutdown was requested: no part of the program may begin now");
        }
        return new Guard(this);
    }

    /**
     * Requests shutdown and lets all know who wait for that.
     *
     * @return whether this was the first request; the others do nothing
     */
    @CanIgnoreReturnValue
    public boolean request() {
        boolean first;
        try {
            first = request.advance(RUNNING);
        } catch (Throwable t) {
            // Of a callback. It was the first request all the same.
            work.countDown(1);
            throw t;
        }
        if (first) {
            work.countDown(1);
        }
        return first;
    }

    /** Whether shutdown was requested. */
    public boolean isRequested() {
        return request.period() != RUNNING;
    }

    /** Whether shutdown was requested and all guards are closed. */
    public boolean isOver() {
        return work.period() != RUNNING;
    }

    /** How many guards are open. A snapshot. */
    public long guards() {
        long left = work.left();
        return Math.max(0, isRequested() ? left : left - 1);
    }

    /**
     * Waits until shutdown is requested.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     */
    public void awaitRequest() throws InterruptedException {
        Gates.await(request, RUNNING);
    }

    /**
     * Waits until shutdown is requested, for at most this time.
     *
     * @return false if the time was over first
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     */
    @CheckReturnValue
    public boolean awaitRequest(Duration timeout) throws InterruptedException {
        return Gates.await(request, RUNNING, timeout);
    }

    /** Waits until shutdown is requested, whether interrupted or not. */
    public void awaitRequestUninterruptibly() {
        Gates.awaitUninterruptibly(request, RUNNING);
    }

    /**
     * Waits until shutdown is requested, without blocking the thread. Completing the future from outside ends the wait. The
     * future holds nothing up.
     */
    @CheckReturnValue
    public CompletableFuture<@Nullable Void> awaitRequestAsync() {
        return Gates.awaitAsync(request, RUNNING);
    }

    /**
     * Lets the waiter be called when shutdown is requested.
     *
     * @return true if it was, and the waiter is not called; false if the waiter is in the queue
     * @throws IllegalStateException if the waiter waits already
     */
    @CheckReturnValue
    public boolean awaitRequest(Waiter waiter) {
        return Gates.await(request, RUNNING, waiter);
    }

    /**
     * Waits until shutdown was requested and all guards are closed. Does not request it.
     *
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     */
    public void await() throws InterruptedException {
        Gates.await(work, RUNNING);
    }

    /**
     * Waits until shutdown was requested and all guards are closed, for at most this time. Does not request it.
     *
     * @return false if the time was over first
     * @throws InterruptedException if the thread is interrupted on entry or while it waits
     */
    @CheckReturnValue
    public boolean await(Duration timeout) throws InterruptedException {
        return Gates.await(work, RUNNING, timeout);
    }

    /** Waits until shutdown was requested and all guards are closed, whether interrupted or not. Does not request it. */
    public void awaitUninterruptibly() {
        Gates.awaitUninterruptibly(work, RUNNING);
    }

    /**
     * Waits until shutdown was requested and all guards are closed, without blocking the thread. Does not request it.
     * Completing the future from outside ends the wait, and changes nothing else.
     */
    @CheckReturnValue
    public CompletableFuture<@Nullable Void> awaitAsync() {
        return Gates.awaitAsync(work, RUNNING);
    }

    /**
     * Lets the waiter be called when shutdown was requested and all guards are closed.
     *
     * @return true if that is so now, and the waiter is not called; false if the waiter is in the queue
     * @throws IllegalStateException if the waiter waits already
     */
    @CheckReturnValue
    public boolean await(Waiter waiter) {
        return Gates.await(work, RUNNING, waiter);
    }

    /**
     * Takes the waiter out of the queue in which it waits, for the request or for the end.
     *
     * @return false if it is in neither: it was never there, or its callback has run or is about to
     */
    public boolean cancel(Waiter waiter) {
        return request.cancel(waiter.node()) || work.cancel(waiter.node());
    }

    /** How many wait, threads and callbacks, for the request or for the end. A snapshot. */
    public int queueLength() {
        return request.waiting() + work.waiting();
    }

    @Override
    public String toString() {
        return "Shutdown[" + (isOver() ? "over" : isRequested() ? "requested" : "not requested") + ", guards="
                + guards() + ", queued=" + queueLength() + "]";
    }

    /** Holds up the end until it is closed; closing again does nothing. Any thread may close it. */
    public static final class Guard implements AutoCloseable {
        private static final VarHandle OPEN;

        static {
            try {
                OPEN = MethodHandles.lookup().findVarHandle(Guard.class, "open", boolean.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final Shutdown shutdown;
        private volatile boolean open = true;

        private Guard(Shutdown shutdown) {
            this.shutdown = shutdown;
        }

        /** Whether shutdown was requested. */
        public boolean isRequested() {
            return shutdown.isRequested();
        }

        /** What this is a guard of. */
        public Shutdown shutdown() {
            return shutdown;
        }

        /**
         * Makes another guard, for work that this one's work needs before it can end; possible after the request too.
         *
         * @throws IllegalStateException if this guard is closed
         */
        @CheckReturnValue
        public Guard fork() {
            if (!open || !shutdown.work.addToThisRound(RUNNING, 1)) {
                throw new IllegalStateException("A guard that is closed cannot be forked");
            }
            return new Guard(shutdown);
        }

        /** Says that the work is done. */
        @Override
        public void close() {
            if (OPEN.compareAndSet(this, true, false)) {
                shutdown.work.countDown(1);
            }
        }

        @Override
        public String toString() {
            return "Shutdown.Guard[" + (open ? "open" : "closed") + " of " + shutdown + "]";
        }
    }
}
