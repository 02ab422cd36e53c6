// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Purpose. The waiter that is not a thread: one object, used again and again, that stands in a queue and is told.
//
// States.
//
//            enqueue                     the releaser, under          Trampoline, just before
//   IDLE ─────────────────▶ QUEUED ──────── the lock ─────▶ WOKEN ──────── the callback ─────▶ IDLE
//  home null                home, id      cancel │          home, no id
//                                                ▼          result
//                                               IDLE
//
// Invariants.
//   I1  A waiter stands in at most one queue: `home` goes from null to a queue by compare-and-set.
//   I2  completed() is called once for each wait that was not cancelled, and never under a lock.
//   I3  When completed() runs the waiter is IDLE: the callback may use it for its next wait.
//
// Who may touch what. `home`: compare-and-set to a queue by the caller of the waiting method, back to null by a
// canceller under the lock of `home` or by the thread that runs the callback. `id`, `agent`, `carriesSignal`: under
// the lock of `home`.
// `result`: written under that lock by the releaser, read by the thread that runs the callback, which the releaser
// hands it to.

/** A reusable waiter that gets a call instead of standing still. */
public abstract class CallbackWaiter extends Callback {
    private static final VarHandle HOME;

    static {
        try {
            HOME = MethodHandles.lookup().findVarHandle(CallbackWaiter.class, "home", WaitQueue.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile @Nullable WaitQueue home;

    /** The slot in the queue, 0 when the waiter is in none. */
    int id;

    /** On whose behalf it stands in a queue that several share; null for its own. Nobody else may cancel it. */
    @Nullable
    Object agent;

    /** Whether a condition's signal was for this waiter alone, so that it must pass it on if it cannot use it. */
    boolean carriesSignal;

    /** How the wait ended: see {@link WaitQueue}. */
    long result;

    protected CallbackWaiter() {}

    /**
     * The wait is over. Called once, outside every lock, on the thread that ended it; the waiter may wait again from
     * here.
     *
     * @param queue where it waited
     * @param result {@link WaitQueue#GRANTED}, or negative if the queue was closed
     */
    protected abstract void completed(WaitQueue queue, long result);

    /** On whose behalf the wait that has just ended was; null for its own. */
    protected final @Nullable Object agent() {
        return agent;
    }

    /** Whether the waiter waits for the queue, or was woken by it and its callback has not begun. */
    final boolean isAt(WaitQueue queue) {
        return home == queue;
    }

    /** Under the lock of the queue, before anything else changes. */
    final void enter(WaitQueue queue) {
        if (!HOME.compareAndSet(this, (WaitQueue) null, queue)) {
            throw new IllegalStateException("This waiter is waiting already, at " + home
                    + ": cancel that wait first, or use another waiter for each wait");
        }
        agent = null;
        carriesSignal = false;
    }

    final void leave() {
        HOME.setRelease(this, (WaitQueue) null);
    }

    @Override
    protected final void call() {
        WaitQueue queue = Objects.requireNonNull(home);
        long outcome = result;
        leave();
        completed(queue, outcome);
    }
}
