// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. What the scheduler knows of one carrier: plain data, so that a simulator can drive it without a thread.
 *
 * Who may touch what.
 *   queue                       see RunQueue; it belongs to this carrier for life, with or without a processor
 *   processor                   written under the scheduler's lock, read by anyone; non-null = has the right to run
 *   current, switches, slices   the carrier writes (opaque), the monitor and statistics read
 *   marked                      the monitor sets, the carrier clears; both by compareAndSet, each change counted once
 *   asked                       the monitor sets, the carrier reads and clears at the top of a decision
 *   blocking                    the carrier (from beginBlocking to endBlocking); the monitor reads
 *   spinning, inherited, seen*  the carrier only; a waker sets spinning before it unparks the carrier
 *   rescued, displaced          code that runs on this carrier
 *   counters                    the carrier writes (opaque), anyone reads; requests: the monitor writes
 *
 * Invariants.
 * I1. requests = caught + lost + (1 if marked).
 * I2. parked and processor change together, under the lock: a parked carrier has no processor.
 * I3. A parked or ended carrier has no mark.
 * I4. A mark counts for all checkpoints of the JVM if the carrier has a thread: a simulated one reaches no checkpoint.
 */
/** The scheduler's view of a carrier. */
final class Worker {
    private static final VarHandle CURRENT;
    private static final VarHandle SWITCHES;
    private static final VarHandle SLICES;
    private static final VarHandle MARKED;
    private static final VarHandle ASKED;
    private static final VarHandle BLOCKING;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            CURRENT = lookup.findVarHandle(Worker.class, "current", Runnable.class);
            SWITCHES = lookup.findVarHandle(Worker.class, "switches", long.class);
            SLICES = lookup.findVarHandle(Worker.class, "slices", long.class);
            MARKED = lookup.findVarHandle(Worker.class, "marked", boolean.class);
            ASKED = lookup.findVarHandle(Worker.class, "asked", boolean.class);
            BLOCKING = lookup.findVarHandle(Worker.class, "blocking", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Position among all carriers that the scheduler ever had. */
    final int id;

    final RunQueue queue;

    /** The carrier itself, set before anyone can see this object; null in a simulation. */
    @Nullable
    Thread thread;

    /** The carrier as the operating system knows it. The carrier sets it when it starts. */
    volatile OsThread osThread = OsThread.UNKNOWN;

    volatile @Nullable Processor processor;

    private @Nullable Runnable current;
    private long switches;
    private long slices;

    @SuppressWarnings("unused") // through MARKED
    private volatile boolean marked;

    private boolean asked;
    private boolean blocking;

    private final int globalQueueInterval;

    /** Slices modulo the interval: a division costs more than the rest of a decision. */
    private int slicesSinceGlobal;

    /** Among the parked carriers. Under the scheduler's lock. */
    boolean parked;

    /** Counted among the spinning carriers. */
    boolean spinning;

    /** Whether the task that the last decision returned goes on with the slice of the one before it. */
    boolean inherited;

    /** The run-next that this carrier saw elsewhere when it last looked for work, and when: it must age. */
    @Nullable
    Worker seenAt;

    long seenSwitches;
    long seenSince;

    /** Scratch for moving half of the ring to the global queue, with room for one more. */
    final @Nullable Runnable[] spill;

    /**
     * Tasks that could not be queued because the stack of the submitting thread was used up: the carrier queues them before
     * its next decision. See {@link Scheduler#submit}, which may call nothing then and so fills this itself.
     */
    @Nullable
    Runnable[] rescued = new Runnable[8];

    int rescuedCount;

    /** The task that is on its way from run-next to the ring, while it is in neither. */
    @Nullable
    Runnable displaced;

    private int random;

    /** Of this carrier's queue. The monitor writes. */
    final QueueAge age = new QueueAge();

    final Counter started = new Counter();
    final Counter ended = new Counter();
    final Counter steals = new Counter();
    final Counter requests = new Counter();
    final Counter caught = new Counter();
    final Counter lost = new Counter();
    final Counter honoured = new Counter();
    final Counter handOvers = new Counter();

    Worker(int id, int ringCapacity, int globalQueueInterval) {
        this.id = id;
        this.globalQueueInterval = globalQueueInterval;
        queue = new RunQueue(ringCapacity);
        spill = new Runnable[ringCapacity / 2 + 1];
        random = (id + 1) * 0x9E3779B9;
    }

    // ---- the carrier ----

    /** The carrier is about to run a task: a new slice unless it is inherited, and a request for its predecessor is void. */
    void switchIn(Runnable task) {
        CURRENT.setOpaque(this, task);
        SWITCHES.setOpaque(this, switches + 1);
        if (!inherited) {
            SLICES.setOpaque(this, slices + 1);
            if (++slicesSinceGlobal == globalQueueInterval) {
                slicesSinceGlobal = 0;
            }
        }
        loseMark();
    }

    void switchOut() {
        CURRENT.setOpaque(this, null);
    }

    /** The carrier parks or ends: nobody is left to follow a request. */
    void loseMark() {
        if (marked) {
            clearMark(lost);
        }
    }

    /** A thread that is marked yields: the request has been followed. */
    boolean catchMark() {
        return marked && clearMark(caught);
    }

    private boolean clearMark(Counter reason) {
        if (MARKED.compareAndSet(this, true, false)) {
            uncount();
            reason.increment();
            return true;
        }
        return false;
    }

    private void uncount() {
        if (thread != null) {
            Marks.removed();
        }
    }

    /** Reads and clears the processor's flag. */
    boolean takeAsked() {
        if ((boolean) ASKED.getOpaque(this)) {
            ASKED.setOpaque(this, false);
            return true;
        }
        return false;
    }

    /** Whether the global queue comes first: in every 61st slice. */
    boolean isGlobalTurn() {
        return slicesSinceGlobal == 0;
    }

    /** Whether tasks were kept by {@link Scheduler#submit} that the carrier has to queue. */
    boolean hasRescued() {
        return rescuedCount != 0;
    }

    Runnable nextRescued() {
        return Objects.requireNonNull(rescued[rescuedCount - 1]);
    }

    void dropRescued() {
        rescued[--rescuedCount] = null;
    }

    int nextRandom() {
        int x = random;
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
        random = x;
        return x & Integer.MAX_VALUE;
    }

    void setBlocking(boolean value) {
        BLOCKING.setOpaque(this, value);
    }

    // ---- the monitor ----

    /** Marks the running thread; false if it has a mark already. */
    boolean mark() {
        if (!MARKED.compareAndSet(this, false, true)) {
            return false;
        }
        if (thread != null) {
            Marks.added();
        }
        if (processor == null && MARKED.compareAndSet(this, true, false)) {
            // It has parked meanwhile. It gave the processor up before it looked for a mark: one of the two sees the
            // other, and no mark is left on a carrier that may never run again.
            uncount();
            return false;
        }
        requests.increment();
        return true;
    }

    void ask() {
        ASKED.setOpaque(this, true);
    }

    // ---- anyone ----

    Thread thread() {
        return Objects.requireNonNull(thread, "a simulated carrier has no thread");
    }

    @Nullable
    Runnable current() {
        return (Runnable) CURRENT.getOpaque(this);
    }

    long switches() {
        return (long) SWITCHES.getOpaque(this);
    }

    long slices() {
        return (long) SLICES.getOpaque(this);
    }

    boolean isMarked() {
        return marked;
    }

    boolean isBlocking() {
        return (boolean) BLOCKING.getOpaque(this);
    }

    @Override
    public String toString() {
        return "carrier " + id;
    }
}
