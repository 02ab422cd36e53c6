// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import dev.evenweave.carrier.Carrier;
import dev.evenweave.carrier.CurrentCarrier;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. Wakes threads that sleep or wait with a limit: an ordered heap per few carriers (a shard), and one platform
 * thread that sleeps until the earliest deadline of all and then runs what is due.
 *
 * Invariants.
 * I1. A cancelled timer is in no heap once cancel() has returned: a timed wait that ends early leaves nothing behind.
 * I2. The timer thread is awake, or will wake no later than the earliest deadline in any heap.
 * I3. Commands run outside of every lock, on the timer thread only: the JDK relies on a timeout not running inside
 *     schedule().
 *
 * Memory order of I2. Adder: earliest = deadline (under the shard's lock); full fence; read wakeAt. Timer thread: wakeAt =
 * planned time; full fence; read every shard's earliest. One of the two sees the other.
 *
 * Why a thread of its own. Carriers could look at timers between tasks, as Go's do; but a carrier that runs a hog does not,
 * and here nothing can interrupt it. The monitor could, but it sleeps for longer than a timer may be late.
 */
/** The timers of one scheduler. */
final class Timers {
    /** No deadline: further than any other. */
    private static final long NEVER = Long.MAX_VALUE;

    private static final long LONGEST_DELAY = Long.MAX_VALUE >> 2;

    /** Times are counted from here, so that they may be compared without regard to overflow. */
    private final long origin = System.nanoTime();

    private final Shard[] shards;
    private final Thread thread;
    private final Scheduler scheduler;

    /** Until when the timer thread sleeps; {@link Long#MIN_VALUE} while it is awake. */
    private volatile long wakeAt = Long.MIN_VALUE;

    private volatile boolean stopped;

    Timers(Scheduler scheduler, int parallelism) {
        this.scheduler = scheduler;
        shards = new Shard[Integer.highestOneBit(Math.clamp(parallelism, 1, 64))];
        for (int i = 0; i < shards.length; i++) {
            shards[i] = new Shard();
        }
        thread = Thread.ofPlatform()
                .name(scheduler.name() + "-timer")
                .daemon()
                .inheritInheritableThreadLocals(false)
                .unstarted(this::run);
    }

    void start() {
        thread.start();
        // Initializes what a first timeout would: if that failed later for want of memory, it would fail for ever.
        schedule(() -> {}, Long.MAX_VALUE).cancel(false);
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    /** Runs {@code command} on the timer thread after a delay; a delay of zero or less means at once, but never here. */
    Timer schedule(Runnable command, long delayNanos) {
        long deadline = now() + Math.clamp(delayNanos, 0, LONGEST_DELAY);
        Shard shard = shards[shardIndex()];
        Timer timer = new Timer(shard, command, deadline);
        if (shard.add(timer)) {
            VarHandle.fullFence();
            if (deadline < wakeAt) {
                LockSupport.unpark(thread);
            }
        }
        return timer;
    }

    /** How many timers wait. */
    int size() {
        int size = 0;
        for (Shard shard : shards) {
            size += shard.size();
        }
        return size;
    }

    private int shardIndex() {
        Carrier carrier = CurrentCarrier.get();
        long id = carrier instanceof SchedulerCarrier ours
                ? ours.worker.id
                : Thread.currentThread().threadId();
        return (int) id & (shards.length - 1);
    }

    private long now() {
        return System.nanoTime() - origin;
    }

    private void run() {
        while (!stopped) {
            boolean fired = false;
            for (Shard shard : shards) {
                for (Timer due; (due = shard.pollExpired(now())) != null; ) {
                    fired = true;
                    fire(due);
                }
            }
            if (fired) {
                continue;
            }
            Thread.interrupted(); // set, it would keep park from parking
            long earliest = earliest();
            wakeAt = earliest;
            VarHandle.fullFence();
            if (earliest() >= earliest && !stopped) {
                if (earliest == NEVER) {
                    LockSupport.park(this);
                } else {
                    LockSupport.parkNanos(this, Math.max(1, earliest - now()));
                }
            }
            wakeAt = Long.MIN_VALUE;
        }
    }

    private void fire(Timer due) {
        try {
            due.run();
        } catch (Throwable e) {
            // The thread that waits for this timeout is lost to it, but the others are not.
            scheduler.report(e);
        }
    }

    private long earliest() {
        long earliest = NEVER;
        for (Shard shard : shards) {
            earliest = Math.min(earliest, shard.earliest);
        }
        return earliest;
    }

    /** One heap and its lock. */
    static final class Shard {
        private final SpinLock lock = new SpinLock();
        private final TimerQueue queue = new TimerQueue();

        /** The deadline of the heap's first timer. Written under the lock. */
        private volatile long earliest = NEVER;

        /** Adds a timer and tells whether it is the earliest here. */
        boolean add(Timer timer) {
            lock.lock();
            try {
                queue.add(timer);
                publish();
                return queue.peek() == timer;
            } finally {
                lock.unlock();
            }
        }

        void remove(Timer timer) {
            lock.lock();
            try {
                if (queue.remove(timer)) {
                    publish();
                }
            } finally {
                lock.unlock();
            }
        }

        @Nullable
        Timer pollExpired(long now) {
            if (earliest > now) {
                return null;
            }
            lock.lock();
            try {
                Timer due = queue.pollExpired(now);
                publish();
                return due;
            } finally {
                lock.unlock();
            }
        }

        int size() {
            SpinLock.ensureStack();
            lock.lock();
            try {
                return queue.size();
            } finally {
                lock.unlock();
            }
        }

        private void publish() {
            Timer first = queue.peek();
            long deadline = first == null ? NEVER : first.deadline;
            if (earliest != deadline) {
                earliest = deadline;
            }
        }
    }
}
