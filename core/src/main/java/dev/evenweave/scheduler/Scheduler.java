// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import dev.evenweave.carrier.Carrier;
import dev.evenweave.carrier.CurrentCarrier;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. The public face: builds the parts, classifies what the JDK submits, counts living threads, closes.
 *
 * How a submission is told apart (execute() runs with the submitting thread pinned, so its carrier cannot change).
 *   - the carrier is ours and the task is what it was running: the thread yielded, or was woken before it had parked. To the
 *     global queue's tail, never to run-next: code that spins with yield would be the only one to run.
 *   - the carrier is ours, another task: the running thread woke or started it. To run-next.
 *   - any other thread: to the global queue.
 *
 * States.   open --shutdown()--> closing --last thread ended--> stopped
 *
 * Invariants.
 * I1. A thread is refused only at its first submission; continuations of started threads are accepted in every state.
 * I2. started - ended is the number of living threads, except that a thread of which a stack trace was taken at the very
 *     moment of its end may be counted as ended twice, and one whose start failed for want of stack may stay counted. So the
 *     last thread's end is confirmed, and now and then looked for, by looking at the threads themselves.
 * I3. Nothing here parks, blocks, or takes a lock that a virtual thread can hold while it is unmounted.
 *
 * Class loading. SchedulerCarrier and its superclass cannot be loaded before CurrentCarrier has let them in, and not at all
 * without the flag, where checkpoint() and the message of build() must work all the same. So no code of this class makes
 * the verifier load them: it creates carriers through SchedulerCarrier.create and holds them as Thread.
 */
/**
 * Schedules virtual threads so that all of them get their turn.
 *
 * <p>The threads of {@link #threadBuilder()}, and the virtual threads that those create, run on this scheduler's carriers.
 * A thread that another one wakes runs next on the same carrier, which keeps hand-offs cheap; a chain of threads that wake
 * each other shares one time slice; when the slice is used up, everyone else who waits comes first. A thread that computes
 * without a pause loses its carrier's processor to the others, and goes on under the operating system's time sharing; at a
 * {@link #checkpoint()} it makes room at once.
 *
 * <p>Needs {@code --add-opens java.base/java.lang=ALL-UNNAMED} (or {@code =dev.evenweave} on the module path) on the command
 * line. Needs no change in the threads' code: locks, {@code LockSupport}, monitors, sleeps, sockets, thread locals, scoped
 * values, structured scopes, interrupts and thread dumps work as on the JDK's own scheduler.
 *
 * <p>Safe for use by any number of threads. The scheduler's own threads are daemons: they do not keep the JVM alive.
 */
public final class Scheduler implements AutoCloseable {
    private static final AtomicInteger UNNAMED = new AtomicInteger();

    private static final VarHandle OF_JVM;

    static {
        try {
            OF_JVM = MethodHandles.lookup().findStaticVarHandle(Scheduler.class, "ofJvm", Scheduler.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The one that all virtual threads of the JVM run on, once there is one. */
    private static volatile @Nullable Scheduler ofJvm;

    private static final Duration FOREVER = Duration.ofDays(36_500);

    private static final String HOW_TO_OPEN =
            "Evenweave's scheduler needs access to the package java.lang. Start java with"
                    + " --add-opens java.base/java.lang=ALL-UNNAMED (or =dev.evenweave when it is on the module path), or put"
                    + " 'Add-Opens: java.base/java.lang' into the manifest of the jar that java -jar starts";

    /** How long a closing thread waits between looks, should a notice get lost: see I2. */
    private static final long CLOSING_LOOK_NANOS = 20_000_000;

    /** Of how many such looks one does not trust the count. */
    private static final int CLOSING_LOOKS_PER_COUNT = 50;

    private final String name;
    private final Policy policy;
    private final Facade facade;
    private final Dispatcher dispatcher;
    private final CarrierLoop loop;
    private final MonitorRules rules;
    private final Monitor monitor;
    private final Timers timers;
    private final AtomicInteger carrierIds = new AtomicInteger();
    /** Threads that were started by threads which do not run here; the others are counted by their starter's carrier. */
    private final LongAdder startedOutside = new LongAdder();

    /** Not adders, which allocate: they count what goes wrong when there is no memory. */
    private final AtomicLong refused = new AtomicLong();

    private final AtomicLong faults = new AtomicLong();
    private final Queue<Thread> closers = new ConcurrentLinkedQueue<>();
    private volatile boolean closing;
    private volatile boolean stopped;

    private Scheduler(String name, int parallelism, Policy policy) {
        this.name = name;
        this.policy = policy;
        dispatcher = new Dispatcher(parallelism, policy.honour(), policy.preemption(), new RealHost());
        loop = new CarrierLoop(this, dispatcher, new Decision(dispatcher, policy), policy);
        rules = new MonitorRules(dispatcher, policy, this::warn);
        monitor = new Monitor(this, rules);
        timers = new Timers(this, parallelism);
        facade = new Facade(this, parallelism);
    }

    private void start() {
        try {
            List<Thread> carriers = new ArrayList<>();
            for (int i = 0; i < parallelism(); i++) {
                carriers.add(newCarrier().thread());
            }
            carriers.forEach(Thread::start);
            timers.start();
            monitor.start();
        } catch (Throwable e) {
            closing = true;
            stop(); // or those that have been started would stay
            throw e;
        }
    }

    /**
     * Starts to build a scheduler.
     *
     * @return a builder with a processor for each of the machine's and the default policy
     */
    public static Builder builder() {
        return new Builder();
    }

    // ---- threads ----

    /**
     * Returns a builder of virtual threads that run on this scheduler: the JDK's own, with all that it can do.
     *
     * <p>Virtual threads that such a thread creates by any of the JDK's means run here too.
     *
     * @return a new builder
     */
    public Thread.Builder.OfVirtual threadBuilder() {
        return VirtualThreads.builder(facade);
    }

    /**
     * Returns a factory of virtual threads that run on this scheduler, for executors, structured scopes and frameworks.
     *
     * @return the factory
     */
    public ThreadFactory newThreadFactory() {
        return threadBuilder().factory();
    }

    /**
     * Returns an executor that starts one virtual thread of this scheduler per task, as
     * {@link Executors#newVirtualThreadPerTaskExecutor()} does on the JDK's scheduler. Closing it does not close the
     * scheduler.
     *
     * @return the executor
     */
    public ExecutorService newThreadPerTaskExecutor() {
        return Executors.newThreadPerTaskExecutor(newThreadFactory());
    }

    /**
     * Lets others run if the calling thread has used up its time slice and was asked to make room: for the loops of code
     * that computes for long.
     *
     * <p>Costs a few instructions when there is nothing to do. Then, and on a thread that is not of an Evenweave scheduler,
     * it has no effect. Otherwise the thread yields, and runs on once its turn comes. It does nothing on a thread that cannot
     * be unmounted at this point (native frames on the stack), does not throw, and keeps the interrupt status. No memory
     * effects are promised.
     */
    public static void checkpoint() {
        if (Marks.any()) {
            makeRoom();
        }
    }

    private static void makeRoom() {
        Carrier carrier = CurrentCarrier.get();
        if (carrier instanceof SchedulerCarrier ours
                && ours.worker.isMarked()
                && Thread.currentThread().isVirtual()) {
            Thread.yield();
        }
    }

    /**
     * Returns the scheduler of the calling thread.
     *
     * @return the scheduler, or null if the caller is not a virtual thread of one
     */
    public static @Nullable Scheduler current() {
        return CurrentCarrier.get() instanceof SchedulerCarrier ours ? ours.scheduler : null;
    }

    /**
     * Returns the scheduler that every virtual thread of this JVM runs on, unless it was made for another.
     *
     * @return the scheduler, or null if the JVM was not started on one
     * @see Builder#buildForJvm
     */
    public static @Nullable Scheduler ofJvm() {
        return ofJvm;
    }

    // ---- settings ----

    /**
     * Returns the scheduler's name, with which its platform threads' names begin.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Returns how many threads can run at a time.
     *
     * @return the number of processors
     */
    public int parallelism() {
        return dispatcher.parallelism();
    }

    /**
     * Returns the policy as it is now.
     *
     * @return the policy
     */
    public Policy policy() {
        return policy.toBuilder()
                .honour(dispatcher.honour)
                .preemption(dispatcher.preemption)
                .build();
    }

    /**
     * Changes what becomes of requests that are lost, from each carrier's next decision on.
     *
     * @param honour the new setting
     */
    public void honour(Honour honour) {
        dispatcher.honour = Objects.requireNonNull(honour, "honour");
    }

    /**
     * Changes what a preemption request sets, from the monitor's next look on.
     *
     * @param preemption the new setting
     */
    public void preemption(Preemption preemption) {
        dispatcher.preemption = Objects.requireNonNull(preemption, "preemption");
    }

    /**
     * Returns what the scheduler has counted.
     *
     * @return a snapshot
     */
    public SchedulerStats stats() {
        long now = System.nanoTime();
        Dispatcher.Roster roster = dispatcher.roster;
        CarrierStats total = roster.retired();
        long oldest = rules.globalAge.age(now);
        List<CarrierStats> carriers = new ArrayList<>();
        for (Worker worker : roster.workers()) {
            CarrierStats carrier = CarrierStats.of(worker);
            carriers.add(carrier);
            total = total.plus(carrier);
            oldest = Math.max(oldest, worker.age.age(now));
        }
        return new SchedulerStats(
                name,
                parallelism(),
                dispatcher.idleCount(),
                dispatcher.spinningCount(),
                startedOn(roster),
                Math.max(0, startedOn(roster) - total.ended()),
                dispatcher.global.size(),
                timers.size(),
                Duration.ofNanos(oldest),
                rules.refused.get(),
                faults.get(),
                total,
                carriers);
    }

    // ---- closing ----

    /**
     * Refuses new threads from now on; those that have been started go on until they end. Starting a thread then throws
     * {@link RejectedExecutionException}, also where a thread of this scheduler starts another. Has no effect if done before.
     *
     * @throws UnsupportedOperationException if this is the scheduler of the JVM, which ends with it
     */
    public void shutdown() {
        if (ofJvm == this) {
            throw new UnsupportedOperationException(this + " is the scheduler of the whole JVM and ends with it");
        }
        closing = true;
        VarHandle.fullFence();
        if (living() <= 0) {
            notifyClosers();
        }
    }

    /**
     * As {@link #shutdown()}, and interrupts every thread of this scheduler once. A thread that ignores interrupts goes on.
     *
     * <p>With {@code -Djdk.trackAllThreads=false} the JDK knows only those threads that belong to an executor or a scope,
     * and only those are interrupted.
     */
    public void shutdownNow() {
        shutdown();
        VirtualThreads.forEachLiving(facade, Thread::interrupt);
    }

    /**
     * Tells whether new threads are refused.
     *
     * @return whether {@link #shutdown()} or {@link #close()} has been called
     */
    public boolean isShutdown() {
        return closing;
    }

    /**
     * Tells whether the scheduler has been shut down and all its threads have ended.
     *
     * @return whether nothing of it runs any more, but for platform threads on their way out
     */
    public boolean isTerminated() {
        return stopped;
    }

    /**
     * Waits until all threads have ended after a {@link #shutdown()}.
     *
     * @param limit how long to wait at most; zero or less only looks
     * @return whether the scheduler has terminated; false if it was not shut down or the time ran out
     * @throws InterruptedException if interrupted while waiting, or before
     * @throws IllegalStateException if called by a thread of this scheduler, which would wait for itself
     */
    public boolean awaitTermination(Duration limit) throws InterruptedException {
        refuseOwnThread("awaitTermination");
        long nanos = limit.compareTo(FOREVER) > 0 ? FOREVER.toNanos() : limit.toNanos();
        long start = System.nanoTime();
        Thread self = Thread.currentThread();
        closers.add(self);
        try {
            for (int look = 1; !stopIfDrained(look % CLOSING_LOOKS_PER_COUNT == 0); look++) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                long left = nanos - (System.nanoTime() - start);
                if (left <= 0) {
                    return false;
                }
                LockSupport.parkNanos(this, Math.min(left, CLOSING_LOOK_NANOS));
            }
            return true;
        } finally {
            closers.remove(self);
        }
    }

    /**
     * Shuts down and waits until all threads have ended. If interrupted while waiting, interrupts them as
     * {@link #shutdownNow()} does, waits on, and returns with the interrupt status set. Has no effect if the scheduler has
     * terminated.
     *
     * <p>Actions of the scheduler's threads happen before {@code close} returns.
     *
     * @throws IllegalStateException if called by a thread of this scheduler, which would wait for itself
     */
    @Override
    public void close() {
        refuseOwnThread("close");
        shutdown();
        boolean interrupted = false;
        while (true) {
            try {
                if (awaitTermination(FOREVER)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
                shutdownNow();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void refuseOwnThread(String what) {
        if (current() == this) {
            throw new IllegalStateException(what + " called by a thread of " + this
                    + ": it would wait for itself; call it from another thread," + " or use shutdown()");
        }
    }

    /** @param thorough whether to look at the threads though some should be living by the count: I2 */
    private boolean stopIfDrained(boolean thorough) {
        if (stopped) {
            return true;
        }
        if (!closing || living() > 0 && !(thorough && VirtualThreads.areAllTracked()) || anyLiving()) {
            return false;
        }
        stop();
        notifyClosers();
        return true;
    }

    private void stop() {
        stopped = true;
        timers.stop();
        monitor.wake();
        for (Worker worker : dispatcher.workers) {
            LockSupport.unpark(worker.thread());
        }
    }

    /** Threads that were started and have not ended; what ends between the readings counts as living. */
    private long living() {
        Dispatcher.Roster roster = dispatcher.roster;
        long ended = roster.retired().ended();
        for (Worker worker : roster.workers()) {
            ended += worker.ended.get();
        }
        return startedOn(dispatcher.roster) - ended;
    }

    private long startedOn(Dispatcher.Roster roster) {
        long notStarted = refused.get();
        long started = startedOutside.sum() + roster.retired().started();
        for (Worker worker : roster.workers()) {
            started += worker.started.get();
        }
        return started - notStarted;
    }

    private boolean anyLiving() {
        boolean[] any = new boolean[1];
        VirtualThreads.forEachLiving(facade, thread -> any[0] = true);
        return any[0];
    }

    private void notifyClosers() {
        closers.forEach(LockSupport::unpark);
    }

    // ---- for the parts ----

    /** What the JDK calls when a thread of this scheduler has become runnable. */
    void submit(Runnable task) {
        Worker worker = null;
        boolean starting = false;
        try {
            worker = CurrentCarrier.get() instanceof SchedulerCarrier ours && ours.scheduler == this
                    ? ours.worker
                    : null;
            if (VirtualThreads.isStarting(task)) {
                admit(worker);
                starting = true;
            }
            dispatcher.submit(worker, task);
        } catch (StackOverflowError e) {
            // The submitting thread has used up its stack, and will learn it at its next call. The woken one must not
            // be lost with it: its state says that it is queued. If it was queued before the stack ended, the second
            // entry does nothing. No call is possible here, not even a short one: it might fail where a longer one
            // just did.
            if (worker == null) {
                throw e;
            }
            Runnable[] rescued = worker.rescued;
            int count = worker.rescuedCount;
            if (count + 2 > rescued.length) {
                Runnable[] longer = new Runnable[2 * rescued.length];
                for (int i = 0; i < count; i++) {
                    longer[i] = rescued[i];
                }
                rescued = longer;
                worker.rescued = longer;
            }
            rescued[count++] = task;
            Runnable displaced = worker.displaced;
            if (displaced != null) {
                rescued[count++] = displaced;
                worker.displaced = null;
            }
            worker.rescuedCount = count;
        } catch (OutOfMemoryError e) {
            if (starting) {
                refused.incrementAndGet(); // the JDK tells the starter; for others it tries again
            }
            throw e;
        }
    }

    private void admit(@Nullable Worker worker) {
        if (worker != null) {
            worker.started.increment();
        } else {
            startedOutside.increment();
        }
        VarHandle.fullFence(); // counted before closing is read: whoever closes sees the thread, or it sees the closing
        if (closing) {
            refused.incrementAndGet();
            throw new RejectedExecutionException(this + " is closed: it starts no more threads");
        }
    }

    void afterRun(Worker worker, Runnable task) {
        if (VirtualThreads.isTerminated(task)) {
            worker.ended.increment();
            if (closing && living() <= 0) {
                notifyClosers();
            }
        }
    }

    /**
     * Something was thrown past the thread that it belongs to. Logged on a thread of its own: a logger may block. Throws
     * nothing, also if there is no memory left: the caller would end, and all that relies on it wait for ever.
     */
    void report(Throwable fault) {
        faults.incrementAndGet();
        try {
            log(logger -> logger.log(System.Logger.Level.ERROR, name + ": an exception reached the scheduler", fault));
        } catch (Throwable e) {
            // Not even the message could be made: the statistics still count it.
        }
    }

    private void warn(String warning) {
        log(logger -> logger.log(System.Logger.Level.WARNING, name + ": " + warning));
    }

    /** The logger is looked up only here: a program may have to choose its logging before anything uses it. */
    private void log(Consumer<System.Logger> entry) {
        try {
            Thread.ofPlatform()
                    .name(name + "-log")
                    .daemon()
                    .start(() -> entry.accept(System.getLogger(Scheduler.class.getName())));
        } catch (Throwable e) {
            // No thread to be had: the statistics still count it.
        }
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    Timers timers() {
        return timers;
    }

    boolean isStopped() {
        return stopped;
    }

    private Worker newCarrier() {
        Worker worker = SchedulerCarrier.create(this, facade, carrierIds.incrementAndGet(), loop);
        dispatcher.addParked(worker);
        return worker;
    }

    @Override
    public String toString() {
        return "Scheduler[" + name + ", parallelism " + parallelism() + ", living threads " + Math.max(0, living())
                + (stopped ? ", terminated" : closing ? ", closing" : "") + "]";
    }

    private final class RealHost implements Host {
        @Override
        public void wake(Worker worker) {
            LockSupport.unpark(worker.thread());
        }

        @Override
        public void wakeMonitor() {
            monitor.wake();
        }

        @Override
        public boolean isStalled(Worker worker) {
            return worker.thread().getState() != Thread.State.RUNNABLE || worker.osThread.isBlocked();
        }

        @Override
        public @Nullable Worker newSpare() {
            Worker worker = newCarrier();
            try {
                worker.thread().start();
                return worker;
            } catch (OutOfMemoryError e) {
                dispatcher.withdraw(worker);
                return null;
            }
        }
    }

    /** Builds schedulers. Not safe for use by several threads at a time. */
    public static final class Builder {
        private @Nullable String name;
        private int parallelism = Runtime.getRuntime().availableProcessors();
        private Policy policy = Policy.defaults();

        private Builder() {}

        /**
         * Sets the name with which the names of the scheduler's platform threads begin.
         *
         * @param value the name, not blank; {@code evenweave-N} if none is set
         * @return this builder
         * @throws IllegalArgumentException if the name is blank
         */
        public Builder name(String value) {
            if (value.isBlank()) {
                throw new IllegalArgumentException("name '" + value + "': must not be blank");
            }
            name = value;
            return this;
        }

        /**
         * Sets how many threads can run at a time.
         *
         * @param value from 1 to 32767; the number of the machine's processors if none is set
         * @return this builder
         * @throws IllegalArgumentException if the value is out of range
         */
        public Builder parallelism(int value) {
            if (value < 1 || value > 0x7fff) {
                throw new IllegalArgumentException("parallelism " + value + ": must be from 1 to 32767");
            }
            parallelism = value;
            return this;
        }

        /**
         * Sets all tunables and toggles.
         *
         * @param value the policy; {@link Policy#defaults()} if none is set
         * @return this builder
         */
        public Builder policy(Policy value) {
            policy = Objects.requireNonNull(value, "policy");
            return this;
        }

        /**
         * Sets {@link Policy#honour()} in the policy.
         *
         * @param value the setting
         * @return this builder
         */
        public Builder honour(Honour value) {
            policy = policy.toBuilder().honour(value).build();
            return this;
        }

        /**
         * Builds the scheduler and starts its carriers, which park until there is something to do.
         *
         * @return the scheduler
         * @throws IllegalStateException if {@code java.lang} is not open to Evenweave; the message names the flag and the
         *     other ways
         * @throws UnsupportedOperationException if this JVM has no virtual threads that can be scheduled
         */
        public Scheduler build() {
            requireVirtualThreads();
            Linkage.run();
            VirtualThreads.pinPollersToDefaultScheduler();
            Scheduler scheduler =
                    new Scheduler(name != null ? name : "evenweave-" + UNNAMED.incrementAndGet(), parallelism, policy);
            scheduler.start();
            return scheduler;
        }

        /**
         * Builds the scheduler of the whole JVM: from then on every virtual thread that is not made for another scheduler
         * runs on it, whoever creates it. It cannot be shut down. For launchers, which know how to replace the JDK's own.
         *
         * @param install makes the pool that it is given the JDK's default scheduler
         * @return the scheduler, also returned by {@link Scheduler#ofJvm()} from then on; {@code evenweave} is its name if
         *     none is set
         * @throws IllegalStateException if {@code java.lang} is not open to Evenweave, if the JVM has such a scheduler
         *     already, if the caller is a virtual thread, or if new virtual threads are not put on the scheduler after
         *     {@code install}
         * @throws UnsupportedOperationException if this JVM has no virtual threads that can be scheduled
         */
        public Scheduler buildForJvm(Consumer<? super ForkJoinPool> install) {
            requireVirtualThreads();
            if (Thread.currentThread().isVirtual()) {
                throw new IllegalStateException(
                        "the scheduler of the JVM must be built by a platform thread, before the"
                                + " program uses virtual threads; this is " + Thread.currentThread());
            }
            Linkage.run();
            Scheduler scheduler = new Scheduler(name != null ? name : "evenweave", parallelism, policy);
            if (!OF_JVM.compareAndSet(null, scheduler)) {
                throw new IllegalStateException("this JVM runs on " + ofJvm + " already");
            }
            boolean installed = false;
            try {
                install.accept(scheduler.facade);
                installed = VirtualThreads.isDefault(scheduler.facade);
                if (!installed) {
                    throw new IllegalStateException(
                            "new virtual threads still go to the JDK's own scheduler: this JVM (" + Runtime.version()
                                    + ") has compiled it into its code, or works otherwise than JDK 25");
                }
            } finally {
                if (!installed) {
                    OF_JVM.setVolatile(null);
                }
            }
            scheduler.start();
            return scheduler;
        }

        private static void requireVirtualThreads() {
            if (!CurrentCarrier.isVisible()) {
                throw new IllegalStateException(HOW_TO_OPEN);
            }
            try {
                VirtualThreads.builder(Runnable::run);
            } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
                throw unsupported(e);
            }
        }

        /** What kept VirtualThreads from being initialized; at the second try the JVM only quotes the first. */
        private static UnsupportedOperationException unsupported(LinkageError e) {
            Throwable cause = e;
            while (cause.getCause() != null && !(cause instanceof UnsupportedOperationException)) {
                cause = cause.getCause();
            }
            return new UnsupportedOperationException(cause.getMessage(), e);
        }
    }
}
