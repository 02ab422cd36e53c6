// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. Brings tasks to carriers: where a task that became runnable is put, when a carrier is woken for it, how a
 * carrier gives its processor up, and how a processor changes hands. Which task a carrier runs next is Decision's; when a
 * processor has to change hands is MonitorRules'.
 *
 * States of a carrier.
 *
 *            assign()                        decision found nothing
 *   parked ------------> spinning/running ----------------------------> goIdle(): parked, processor idle
 *      ^                       |                                          (a last look finds work: goes on)
 *      |                       | handOver(): processor gone and queue given away, thread still running
 *      |                       v
 *      +------------------- demoted: once it comes back it gives away what it has queued (retreat()) and parks as a spare
 *
 * Invariants.
 * I1. Every processor is held by exactly one carrier or lies in the idle stack. Carriers without one are parked, or demoted
 *     and still inside the task that cost them the processor.
 * I2. A parked carrier's queue is empty. There are at least as many parked carriers as idle processors.
 * I3. No lost wake-up: when a submitter has made a task visible and then sees no idle processor, or a spinning carrier, that
 *     carrier finds the task in its last look, which it takes after it has ceased to spin, or after it gave its processor up.
 * I4. At most one carrier starts to spin per submission; a spinner that finds work wakes the next one.
 *
 * Memory order of I3. Submitter: store the task; full fence; read idleCount and spinning. Idler: store idleCount (under the
 * lock) and decrement spinning (atomic, full fence); then read all queues. For the global queue both happen under the lock.
 *
 * Who may touch what. Under the lock: global, idle and parked stacks, Processor.worker, Worker.processor. workers:
 * copy-on-write under the lock,
 * together with roster.
 *
 * Why not simpler. Waking a carrier for each task costs a system call per task and tears pairs apart; waking none but by the
 * monitor leaves processors idle for its period. Go weighs the same designs in its scheduler's opening comment.
 *
 * Source: Go's wakep, injectglist, releasep/pidleput and the last look of findRunnable, on processors without queues.
 */
/** The state that all carriers share, and the moves between its parts. */
final class Dispatcher {
    static final int RING_CAPACITY = 256;

    private static final VarHandle SPINNING;
    private static final VarHandle MONITOR_SLOW;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SPINNING = lookup.findVarHandle(Dispatcher.class, "spinning", int.class);
            MONITOR_SLOW = lookup.findVarHandle(Dispatcher.class, "monitorSlow", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Host host;
    final Processor[] processors;
    final SpinLock lock = new SpinLock();
    final GlobalQueue global = new GlobalQueue(lock);

    /** Changed while running; everything else of the policy stands. */
    volatile Honour honour;

    volatile Preemption preemption;

    /** All carriers there are, in no order; takers look at those without a processor too. */
    volatile Worker[] workers = new Worker[0];

    private final Processor[] idle;
    private volatile int idleCount;
    private Worker[] parked = new Worker[16];
    private int parkedCount;

    /** For those who add up: a carrier is in the one part or the other, never in both or neither. Written under the lock. */
    volatile Roster roster = new Roster(workers, CarrierStats.NONE);

    @SuppressWarnings("unused") // through SPINNING
    private volatile int spinning;

    /** The monitor sleeps for long, or until woken: whoever needs it sooner has to wake it. */
    @SuppressWarnings("unused") // through MONITOR_SLOW
    private volatile boolean monitorSlow;

    Dispatcher(int parallelism, Honour honour, Preemption preemption, Host host) {
        this.host = host;
        this.honour = honour;
        this.preemption = preemption;
        processors = new Processor[parallelism];
        idle = new Processor[parallelism];
        for (int i = 0; i < parallelism; i++) {
            processors[i] = new Processor(i);
            idle[parallelism - 1 - i] = processors[i];
        }
        idleCount = parallelism;
    }

    int parallelism() {
        return processors.length;
    }

    int idleCount() {
        return idleCount;
    }

    int spinningCount() {
        return spinning;
    }

    boolean areAllIdle() {
        return idleCount == processors.length;
    }

    // ---- a task has become runnable ----

    /**
     * Queues a task where it belongs.
     *
     * @param by the carrier on which the submitting thread runs, or null if that is none of this scheduler's
     */
    void submit(@Nullable Worker by, Runnable task) {
        if (by == null) {
            submitGlobal(task);
        } else if (by.current() == task) {
            submitYielded(by, task);
        } else {
            submitNext(by, task);
        }
    }

    /** The thread that runs on {@code by} woke or started {@code task}: it comes next there. By that carrier only. */
    void submitNext(Worker by, Runnable task) {
        if (by.processor == null) {
            submitGlobal(task); // demoted: it will not decide again before it has given its queue away
            return;
        }
        Runnable displaced = by.queue.replaceRunNext(task);
        if (displaced == null) {
            // A lone run-next is most often the other half of a pair that is about to park: waking a carrier for it
            // would cost both of them their shared cache. If it is not, the monitor sees it age.
            if (idleCount != 0) {
                alertMonitor();
            }
            if (by.processor == null) {
                // Taken since it was looked at above: whoever took it may have looked at run-next before.
                VarHandle.fullFence();
                wakeOne();
            }
            return;
        }
        by.displaced = displaced;
        try {
            addLocal(by, displaced);
        } catch (OutOfMemoryError e) {
            by.displaced = null;
            if (by.queue.restoreRunNext(task, displaced)) {
                throw e; // nothing has changed
            }
        }
        by.displaced = null;
        VarHandle.fullFence();
        wakeOne();
    }

    /** The thread that ran on {@code by} yielded, or was woken before it had parked: behind all others. By that carrier. */
    void submitYielded(Worker by, Runnable task) {
        by.catchMark();
        lock.lock();
        try {
            global.add(task);
        } finally {
            lock.unlock();
        }
        // This carrier decides at once, and would find the task if it has nothing else.
        if (!by.queue.isEmpty() || by.processor == null) {
            VarHandle.fullFence();
            wakeOne();
        }
    }

    /** A thread that does not run on one of our carriers made {@code task} runnable. */
    void submitGlobal(Runnable task) {
        if (idleCount == 0) {
            SpinLock.ensureStackToQueue();
        } else {
            SpinLock.ensureStack();
        }
        lock.lock();
        try {
            global.add(task);
        } finally {
            lock.unlock();
        }
        VarHandle.fullFence();
        wakeOne();
    }

    /** To the tail of the ring, or half of the ring and the task to the global queue. By that carrier only. */
    void addLocal(Worker by, Runnable task) {
        while (!by.queue.offer(task)) {
            if (spill(by, task)) {
                return;
            }
            // else a thief made room
        }
    }

    private boolean spill(Worker by, Runnable task) {
        SpinLock.ensureStack();
        lock.lock();
        try {
            global.reserve(by.spill.length); // before anything leaves the ring: an OutOfMemoryError must lose nothing
            int n = by.queue.takeHalf(by.spill);
            if (n == 0) {
                return false;
            }
            by.spill[n] = task;
            global.addAll(by.spill, n + 1);
            Arrays.fill(by.spill, null);
            return true;
        } finally {
            lock.unlock();
        }
    }

    // ---- wake-ups ----

    /** Wakes a carrier to look for work, unless none can run or one looks already. The work must be visible before. */
    void wakeOne() {
        if (idleCount == 0 || spinning != 0) {
            return;
        }
        SpinLock.ensureStack(); // a count that is left at 1 would keep everybody asleep
        if (!SPINNING.compareAndSet(this, 0, 1)) {
            return;
        }
        Worker woken = null;
        boolean monitorSlept = false;
        lock.lock();
        try {
            if (idleCount != 0 && parkedCount != 0) {
                monitorSlept = areAllIdle();
                woken = popParked();
                woken.spinning = true;
                assign(popIdle(), woken);
            }
        } finally {
            lock.unlock();
        }
        if (woken == null) {
            SPINNING.getAndAdd(this, -1);
            return;
        }
        host.wake(woken);
        if (monitorSlept) {
            alertMonitor();
        }
    }

    /** Counts a carrier among those that look for work elsewhere, if there is room: at most half as many as the busy ones. */
    boolean tryToSpin(Worker worker) {
        if (!worker.spinning) {
            if (2 * spinning >= processors.length - idleCount) {
                return false;
            }
            startSpinning(worker);
        }
        return true;
    }

    private void startSpinning(Worker worker) {
        worker.spinning = true;
        SPINNING.getAndAdd(this, 1);
    }

    /** A spinning carrier has found work: the next one may look, since where there is some there may be more. */
    void stopSpinning(Worker worker) {
        worker.spinning = false;
        SPINNING.getAndAdd(this, -1);
        wakeOne();
    }

    // ---- idling ----

    /**
     * Gives the processor up and parks, as far as the data go; by a carrier whose decision found nothing.
     *
     * @return true if the carrier has to park now; false if it has a processor (the old one or another) and must decide again
     */
    boolean goIdle(Worker worker) {
        worker.queue.clearTaken();
        boolean wasSpinning;
        lock.lock();
        try {
            Processor mine = worker.processor;
            if (mine == null) {
                return false; // demoted meanwhile: retreat() comes next
            }
            if (!global.isEmpty()) {
                return false;
            }
            worker.processor = null;
            mine.worker = null;
            pushIdle(mine);
            wasSpinning = pushParked(worker);
        } finally {
            lock.unlock();
        }
        if (wasSpinning) {
            SPINNING.getAndAdd(this, -1);
        } else {
            VarHandle.fullFence();
        }
        // The last look, after processor and spinning have been given up: what was submitted before that is seen
        // here, what is submitted later sees the idle processor.
        if (!isWorkVisible()) {
            return true;
        }
        lock.lock();
        try {
            if (!worker.parked) {
                return false; // woken meanwhile, with a processor
            }
            if (idleCount == 0) {
                return true; // all processors are busy: theirs to find
            }
            removeParked(worker);
            assign(popIdle(), worker);
        } finally {
            lock.unlock();
        }
        startSpinning(worker);
        return false;
    }

    /** Whether any queue holds a task. A run-next of a carrier that has a processor does not count: it must age first. */
    boolean isWorkVisible() {
        if (!global.isEmpty()) {
            return true;
        }
        for (Worker other : workers) {
            if (other.processor == null ? !other.queue.isEmpty() : !other.queue.isRingEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** As {@link #isWorkVisible}, with every run-next: what the monitor asks. */
    boolean isAnyTaskQueued() {
        if (!global.isEmpty()) {
            return true;
        }
        for (Worker other : workers) {
            if (!other.queue.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    // ---- hand-over ----

    /**
     * Gives the processor of a carrier that does not come back to its queue to a parked one, and what it has queued to all.
     * Not while another processor is idle: that one can do the work. By the monitor.
     *
     * @param switches how often {@code hog} had switched when the monitor made up its mind: if it has moved, all is well
     * @return what came of it
     */
    HandOver handOver(Processor processor, Worker hog, long switches) {
        Worker heir;
        lock.lock();
        try {
            if (processor.worker != hog || hog.switches() != switches || hog.current() == null || idleCount != 0) {
                return HandOver.NOT_NEEDED;
            }
            if (parkedCount == 0) {
                return HandOver.NO_SPARE;
            }
            heir = popParked();
            hog.processor = null;
            assign(processor, heir);
            // The heir may have plenty to do and never look at the hog's queue.
            relieve(hog);
        } finally {
            lock.unlock();
        }
        hog.handOvers.increment();
        host.wake(heir);
        return HandOver.DONE;
    }

    /**
     * The carriers that there are and the sum of what those counted that have ended.
     *
     * @param workers not to be changed
     */
    record Roster(Worker[] workers, CarrierStats retired) {}

    /** What came of an attempt to hand a processor over. */
    enum HandOver {
        DONE,
        NOT_NEEDED,
        NO_SPARE
    }

    /**
     * A carrier without a processor gives away what it had queued and parks, as far as the data go. Nothing happens if it is
     * parked already or has been given a processor meanwhile.
     */
    void retreat(Worker worker) {
        boolean gave;
        boolean wasSpinning;
        lock.lock();
        try {
            if (worker.parked || worker.processor != null) {
                return;
            }
            gave = relieve(worker);
            worker.queue.clearTaken();
            worker.takeAsked();
            wasSpinning = pushParked(worker);
        } finally {
            lock.unlock();
        }
        if (wasSpinning) {
            SPINNING.getAndAdd(this, -1);
        }
        if (gave || wasSpinning) {
            // Somebody may have relied on this carrier's looking on: the last look is due here too.
            VarHandle.fullFence();
            if (isWorkVisible()) {
                wakeOne();
            }
        }
    }

    /**
     * Moves what carriers without a processor have queued to the global queue: what a hog was just about to queue when its
     * processor was taken. By the monitor.
     *
     * @return whether there was anything
     */
    boolean relieveDemoted() {
        boolean any = false;
        for (Worker each : workers) {
            if (each.processor == null && !each.queue.isEmpty()) {
                lock.lock();
                try {
                    any |= each.processor == null && relieve(each);
                } finally {
                    lock.unlock();
                }
            }
        }
        if (any) {
            VarHandle.fullFence();
            wakeOne();
        }
        return any;
    }

    /** Moves all that a carrier has queued to the global queue. Under the lock. */
    private boolean relieve(Worker worker) {
        boolean any = false;
        while (true) {
            global.reserve(1); // before anything leaves the queue
            Runnable task = worker.queue.takeRunNext();
            if (task == null) {
                task = worker.queue.take();
            }
            if (task == null) {
                return any;
            }
            global.add(task);
            any = true;
        }
    }

    /** Adds a carrier without a processor, parked. */
    void addParked(Worker worker) {
        lock.lock();
        try {
            Worker[] more = Arrays.copyOf(workers, workers.length + 1);
            more[workers.length] = worker;
            if (more.length > parked.length) {
                parked = Arrays.copyOf(parked, 2 * parked.length);
            }
            enlist(more, roster.retired);
            pushParked(worker);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes a parked carrier for good, if it can be spared.
     *
     * @return false if it has been woken, or is needed for an idle processor
     */
    boolean retire(Worker worker, boolean evenIfNeeded) {
        lock.lock();
        try {
            if (!worker.parked || (!evenIfNeeded && parkedCount <= processors.length)) {
                return false;
            }
            delist(worker);
            removeParked(worker);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes a carrier whose thread could not be started. As it was parked, somebody may have given it a processor, and
     * counts on it.
     */
    void withdraw(Worker worker) {
        boolean wasSpinning;
        lock.lock();
        try {
            delist(worker);
            if (worker.parked) {
                removeParked(worker);
            }
            Processor held = worker.processor;
            if (held != null) {
                worker.processor = null;
                held.worker = null;
                pushIdle(held);
            }
            wasSpinning = worker.spinning;
            worker.spinning = false;
        } finally {
            lock.unlock();
        }
        if (wasSpinning) {
            SPINNING.getAndAdd(this, -1);
        }
        worker.loseMark();
        VarHandle.fullFence();
        if (isWorkVisible()) {
            wakeOne();
        }
    }

    // ---- the monitor's sleep ----

    /** The monitor is about to sleep for long. It looks at everything once more after this. */
    void monitorSleeps() {
        monitorSlow = true;
        VarHandle.fullFence();
    }

    /** The monitor is awake again; true if someone woke it. */
    boolean monitorWakes() {
        return !(boolean) MONITOR_SLOW.getAndSet(this, false);
    }

    /** Ends the monitor's sleep if it is a long one. */
    void alertMonitor() {
        if (monitorSlow && MONITOR_SLOW.compareAndSet(this, true, false)) {
            try {
                host.wakeMonitor();
            } catch (StackOverflowError e) {
                monitorSlow = true; // it still sleeps: the next one has to wake it
                throw e;
            }
        }
    }

    // ---- under the lock ----

    private void enlist(Worker[] all, CarrierStats retired) {
        roster = new Roster(all, retired); // first: it needs memory, and if there is none nothing has changed
        workers = all;
    }

    private void delist(Worker worker) {
        Worker[] all = workers;
        Worker[] fewer = new Worker[all.length - 1];
        int n = 0;
        for (Worker each : all) {
            if (each != worker) {
                fewer[n++] = each;
            }
        }
        enlist(fewer, roster.retired.plus(CarrierStats.of(worker)));
    }

    private void assign(Processor processor, Worker worker) {
        processor.worker = worker;
        worker.processor = processor;
    }

    private void pushIdle(Processor processor) {
        idle[idleCount] = processor;
        idleCount = idleCount + 1;
    }

    private Processor popIdle() {
        int n = idleCount - 1;
        idleCount = n;
        return idle[n];
    }

    /** Returns whether the carrier was counted as spinning: to be read before it can be woken, which sets it anew. */
    private boolean pushParked(Worker worker) {
        assert worker.processor == null && !worker.parked && worker.queue.isEmpty() : worker;
        parked[parkedCount++] = worker;
        worker.parked = true;
        worker.loseMark();
        boolean wasSpinning = worker.spinning;
        worker.spinning = false;
        return wasSpinning;
    }

    private Worker popParked() {
        Worker worker = parked[--parkedCount];
        worker.parked = false;
        return worker;
    }

    private void removeParked(Worker worker) {
        int at = 0;
        while (parked[at] != worker) {
            at++;
        }
        System.arraycopy(parked, at + 1, parked, at, --parkedCount - at);
        worker.parked = false;
    }
}
