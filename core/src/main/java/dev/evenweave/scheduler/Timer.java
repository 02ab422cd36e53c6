// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Delayed;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. One timeout of a parked, sleeping or waiting thread, as the JDK sees it: it keeps it to cancel it.
 *
 * States.   WAITING --cancel()--> CANCELLED          WAITING --expiry--> FIRED
 *
 * Who may touch what. state: anyone, by compareAndSet. index, order: under the lock of the Timers.
 */
/** A timer of {@link Timers}. */
final class Timer implements RunnableScheduledFuture<@Nullable Object> {
    private static final VarHandle STATE;
    private static final int WAITING = 0;
    private static final int FIRED = 1;
    private static final int CANCELLED = 2;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Timer.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final long deadline;
    int index = -1;
    long order;

    private final Timers.Shard shard;
    private @Nullable Runnable command;

    @SuppressWarnings("unused") // through STATE
    private volatile int state;

    Timer(Timers.Shard shard, Runnable command, long deadline) {
        this.shard = shard;
        this.command = command;
        this.deadline = deadline;
    }

    boolean isBefore(Timer other) {
        long difference = deadline - other.deadline;
        return difference < 0 || difference == 0 && order < other.order;
    }

    /** Runs the command unless it was cancelled. */
    @Override
    public void run() {
        if (STATE.compareAndSet(this, WAITING, FIRED)) {
            Runnable due = command;
            command = null;
            if (due != null) {
                due.run();
            }
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (!STATE.compareAndSet(this, WAITING, CANCELLED)) {
            return false;
        }
        command = null;
        shard.remove(this);
        return true;
    }

    @Override
    public boolean isCancelled() {
        return state == CANCELLED;
    }

    @Override
    public boolean isDone() {
        return state != WAITING;
    }

    @Override
    public boolean isPeriodic() {
        return false;
    }

    @Override
    public @Nullable Object get() {
        throw new UnsupportedOperationException("a timeout has no result to wait for");
    }

    @Override
    public @Nullable Object get(long timeout, TimeUnit unit) {
        return get();
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return unit.convert(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
        return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
}
