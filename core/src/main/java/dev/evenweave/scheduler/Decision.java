// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.jspecify.annotations.Nullable;

/*
 * Purpose. Which task a carrier runs next. Plain data in, a task out: no thread, no clock (the time is an argument), so the
 * same code runs under real carriers and under a simulator.
 *
 * The order, and why.
 *   1. Every 61st slice the global queue, so that local work cannot keep it waiting for ever. The count is of slices, not of
 *      switches: a pair that inherits its slice for ever does not move it. That gap is what 2b closes.
 *   2. Run-next: the task that the running one has just woken. It shares the waker's data, and goes on with its slice.
 *      2b. Unless the slice was used up and the carrier was asked to make room, others wait, and requests are honoured: then
 *      one of those runs on a slice of its own, the global queue's head before the ring's, and run-next's task goes to the
 *      ring's tail, behind this carrier's share of the global queue.
 *   3. The ring. 4. The global queue, a fair share of it at a time. 5. Others' rings, then others' aged run-next (steal()).
 *
 * Invariants.
 * I1. worker.inherited is true only for a task that came out of this carrier's own run-next.
 * I2. 2b runs only if the processor's flag was set since the last decision: with Preemption.THREAD_ONLY never.
 * I3. The flag is read and cleared at the top of every decision, followed or not.
 *
 * Source: Go's schedule, findRunnable, globrunqget and stealWork; 2b is the change of a public write-up on Go's schedule().
 */
/** Decides what a carrier runs next. */
final class Decision {
    /** How often a thief looks at all the others before it turns to their run-next. */
    private static final int STEAL_PASSES = 4;

    private final Dispatcher dispatcher;
    private final long runNextAgeNanos;

    Decision(Dispatcher dispatcher, Policy policy) {
        this.dispatcher = dispatcher;
        runNextAgeNanos = policy.runNextAge().toNanos();
    }

    /** The next task from the carrier's own queue or the global one, or null. By that carrier only, holding a processor. */
    @Nullable
    Runnable next(Worker worker) {
        boolean asked = worker.takeAsked();
        worker.inherited = false;
        GlobalQueue global = dispatcher.global;
        if (worker.isGlobalTurn() && !global.isEmpty()) {
            Runnable task = pollGlobal();
            if (task != null) {
                return task;
            }
        }
        Runnable next = worker.queue.takeRunNext();
        if (next != null) {
            if (asked) {
                Runnable waiting = honour(worker, next);
                if (waiting != null) {
                    worker.honoured.increment();
                    return waiting;
                }
            }
            worker.inherited = true;
            return next;
        }
        Runnable task = worker.queue.poll();
        return task != null ? task : takeGlobalShare(worker);
    }

    /**
     * Lets those who wait go first: takes one of them to run, and puts {@code next} to the ring's tail; to the global queue's
     * if the ring is full. Either has just lost one, so this needs no memory and loses nobody.
     */
    private @Nullable Runnable honour(Worker worker, Runnable next) {
        Honour honour = dispatcher.honour;
        if (honour == Honour.OFF) {
            return null;
        }
        if (honour == Honour.ON && !dispatcher.global.isEmpty()) {
            dispatcher.lock.lock();
            try {
                // The share, not only the head: were one let in at a time, a pair would have a slice between any two of
                // those that came from outside.
                Runnable task = pollGlobalShare(worker);
                if (task != null) {
                    if (!worker.queue.offer(next)) {
                        dispatcher.global.add(next);
                    }
                    return task;
                }
            } finally {
                dispatcher.lock.unlock();
            }
        }
        Runnable task = worker.queue.poll();
        if (task != null) {
            boolean added = worker.queue.offer(next);
            assert added : "one was just taken, and only the owner adds";
        }
        return task;
    }

    private @Nullable Runnable pollGlobal() {
        dispatcher.lock.lock();
        try {
            return dispatcher.global.poll();
        } finally {
            dispatcher.lock.unlock();
        }
    }

    /** The head of the global queue to run, and this carrier's share of the rest into its ring. */
    private @Nullable Runnable takeGlobalShare(Worker worker) {
        GlobalQueue global = dispatcher.global;
        if (global.isEmpty()) {
            return null;
        }
        dispatcher.lock.lock();
        try {
            return pollGlobalShare(worker);
        } finally {
            dispatcher.lock.unlock();
        }
    }

    /** Under the lock: as much of the share as the ring has room for goes there, the head is returned, or null. */
    private @Nullable Runnable pollGlobalShare(Worker worker) {
        GlobalQueue global = dispatcher.global;
        RunQueue ring = worker.queue;
        int more = share(global.size(), dispatcher.parallelism(), ring.capacity()) - 1;
        Runnable first = global.poll();
        for (int i = Math.min(more, ring.capacity() - ring.size()); i > 0; i--) {
            Runnable task = global.poll();
            if (task == null) {
                break;
            }
            boolean added = ring.offer(task);
            assert added : "there was room, and only the owner adds";
        }
        return first;
    }

    /** How many tasks one carrier takes out of a global queue of {@code size} at a time. */
    static int share(int size, int parallelism, int ringCapacity) {
        return Math.min(Math.min(size / parallelism + 1, size), ringCapacity / 2);
    }

    /**
     * One look at everything that is not the carrier's own: what one does while spinning.
     *
     * @param now the time, in nanoseconds of any origin
     */
    @Nullable
    Runnable look(Worker worker, long now) {
        Runnable task = steal(worker, now);
        return task != null || dispatcher.global.isEmpty() ? task : next(worker);
    }

    /**
     * Looks for work at the other carriers. By a carrier that spins, holds a processor, and has an empty ring.
     *
     * @param now the time, in nanoseconds of any origin
     */
    @Nullable
    Runnable steal(Worker worker, long now) {
        Worker[] all = dispatcher.workers;
        int count = all.length;
        StealOrder order = StealOrder.of(count);
        for (int pass = 1; pass <= STEAL_PASSES; pass++) {
            int random = worker.nextRandom();
            int position = order.start(random);
            int stride = order.stride(random);
            for (int i = 0; i < count; i++) {
                Worker victim = all[position];
                position += stride;
                if (position >= count) {
                    position -= count;
                }
                if (victim == worker) {
                    continue;
                }
                Runnable task = worker.queue.stealFrom(victim.queue);
                if (task == null && pass == STEAL_PASSES) {
                    task = stealRunNext(worker, victim, now);
                }
                if (task != null) {
                    worker.steals.increment();
                    worker.inherited = false;
                    return task;
                }
            }
        }
        return null;
    }

    /**
     * Takes a run-next that its owner does not come to. A pair hands over within a fraction of a microsecond: only a slot
     * that stands while its owner's switch count stands is taken.
     */
    private @Nullable Runnable stealRunNext(Worker worker, Worker victim, long now) {
        Runnable task = victim.queue.peekRunNext();
        if (task == null) {
            return null;
        }
        long switches = victim.switches();
        if (victim.processor != null && victim.current() != null) {
            if (worker.seenAt != victim || worker.seenSwitches != switches) {
                if (worker.seenAt != victim && stillStands(worker)) {
                    return null; // turning to each in turn, a thief would never see one stand for long enough
                }
                worker.seenAt = victim;
                worker.seenSwitches = switches;
                worker.seenSince = now;
                return null;
            }
            if (now - worker.seenSince < runNextAgeNanos) {
                return null;
            }
        }
        return victim.queue.takeRunNext(task) ? task : null;
    }

    /** Whether the run-next that the thief saw last is there still, with its owner at the same task. */
    private static boolean stillStands(Worker thief) {
        Worker seen = thief.seenAt;
        return seen != null && seen.switches() == thief.seenSwitches && seen.queue.peekRunNext() != null;
    }
}
