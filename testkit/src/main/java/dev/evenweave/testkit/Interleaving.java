// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. One run of a test's virtual threads in an order that a seed decides.
 *
 * States.   building --runAll()--> running --all threads ended, or none can run--> over
 *
 * Why on the calling thread. The thread that drives is the only carrier: while it runs a virtual thread nothing else
 * happens, and between two steps nothing but what the test asked for. So a run depends on the seed alone.
 */
/**
 * Runs virtual threads one at a time, in an order that a seed decides: the same seed gives the same order again.
 *
 * <p>A step is what a thread does from where it is resumed until it parks, yields or ends. Threads change places only
 * between steps. So a thread can be overtaken where it waits for a lock, a channel or a time, where it yields, and at a
 * {@link #point()}, which a test puts where code reads something, decides and acts.
 *
 * <p>Needs {@code --add-opens java.base/java.lang=ALL-UNNAMED}. To be used by one platform thread, which drives the run.
 *
 * <p>The order is not the seed's where a thread waits for a monitor ({@code synchronized}, {@code Object.wait}) or for
 * input and output: there the JDK wakes it from a thread of its own.
 */
public final class Interleaving {
    private static final ScopedValue<Interleaving> CURRENT = ScopedValue.newInstance();

    /** How long a thread may be on its way back from a monitor or from input before the run counts as stuck. */
    private static final long STUCK_NANOS = 5_000_000_000L;

    private static final long DEFAULT_STEP_LIMIT = 1_000_000;

    private final long seed;
    private final SplittableRandom random;
    private final OneCarrier carrier = new OneCarrier();
    private final List<Thread> threads = new ArrayList<>();
    private final Map<Long, List<Runnable>> actions = new LinkedHashMap<>();
    private @Nullable Throwable failure;
    private long steps;
    private long stepLimit = DEFAULT_STEP_LIMIT;

    private Interleaving(long seed) {
        this.seed = seed;
        random = new SplittableRandom(seed);
    }

    /**
     * Prepares a run.
     *
     * @param seed decides the order
     * @return the run, without threads
     */
    public static Interleaving ofSeed(long seed) {
        return new Interleaving(seed);
    }

    /**
     * Runs a test once for each step at which something can be done to it: {@code body} is called with a fresh run of the
     * same seed and the number of a step, from 0 on, until a run has ended before that step.
     *
     * @param seed decides the order of every run
     * @param body prepares a run, with {@link #atStep}, {@link #interruptAt} or {@link #timeOutAt} for the step that it is
     *     given, runs it and checks what came of it
     * @return in how many runs the step was reached
     * @throws AssertionError if a run fails; the message names the seed and the step
     */
    public static long sweep(long seed, SweepBody body) {
        Objects.requireNonNull(body, "body");
        for (long step = 0; ; step++) {
            Interleaving run = ofSeed(seed);
            try {
                body.run(run, step);
            } catch (Throwable e) {
                throw new AssertionError("fails with seed " + seed + " and step " + step + ": " + e, e);
            }
            if (run.steps <= step) {
                return step;
            }
        }
    }

    /** What {@link #sweep} repeats. */
    @FunctionalInterface
    public interface SweepBody {
        /**
         * Does one run.
         *
         * @param run a fresh run
         * @param step where to disturb it
         * @throws Exception if the test fails
         */
        void run(Interleaving run, long step) throws Exception;
    }

    /**
     * Lets another thread of the same run go first, if the seed says so. On a thread that belongs to no run it has no
     * effect, so it may stand in code that is also used otherwise.
     */
    public static void point() {
        if (CURRENT.isBound() && Thread.currentThread().isVirtual()) {
            Thread.yield();
        }
    }

    /**
     * Adds a thread, which can run once {@link #runAll} is called.
     *
     * @param name for the message of a failure
     * @param body what it does; what it throws fails the run
     * @return the thread
     */
    public Thread start(String name, Body body) {
        Objects.requireNonNull(body, "body");
        Thread thread = carrier.threads()
                .name(name)
                .unstarted(() -> ScopedValue.where(CURRENT, this).run(() -> {
                    try {
                        body.run();
                    } catch (Throwable e) {
                        if (failure == null) {
                            failure = e;
                        }
                    }
                }));
        threads.add(thread);
        thread.start();
        return thread;
    }

    /** What a thread of a run does. */
    @FunctionalInterface
    public interface Body {
        /**
         * Does it.
         *
         * @throws Exception fails the run
         */
        void run() throws Exception;
    }

    /**
     * Has something done between two steps, by the thread that drives the run.
     *
     * @param step before which step, counted from 0; nothing is done if the run ends earlier
     * @param action what to do: close a channel, interrupt a thread, change a setting; it must not wait
     */
    public void atStep(long step, Runnable action) {
        if (step < 0) {
            throw new IllegalArgumentException("step " + step + ": steps are counted from 0");
        }
        actions.computeIfAbsent(step, number -> new ArrayList<>()).add(Objects.requireNonNull(action, "action"));
    }

    /**
     * Interrupts a thread before a step.
     *
     * @param step which step
     * @param thread the thread
     */
    public void interruptAt(long step, Thread thread) {
        atStep(step, thread::interrupt);
    }

    /**
     * Lets time pass before a step, until the next time limit that a thread waits for has come. Really waits so long: use
     * short limits.
     *
     * @param step which step
     */
    public void timeOutAt(long step) {
        atStep(step, carrier::expireNext);
    }

    /**
     * Limits the length of the run: one that goes on for longer fails. A million steps if none is set.
     *
     * @param limit how many steps
     */
    public void limitSteps(long limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit " + limit + ": must be at least 1");
        }
        stepLimit = limit;
    }

    /**
     * Runs the threads until all have ended. Time limits run out only when no thread can run, the earliest first.
     *
     * <p>What the threads did happens before this returns.
     *
     * @throws AssertionError if a thread has thrown something, if threads are left that nobody will ever wake, or if the run
     *     is longer than its limit; the message names the seed
     */
    public void runAll() {
        if (Thread.currentThread().isVirtual()) {
            throw new IllegalStateException("a run is driven by a platform thread, not by " + Thread.currentThread());
        }
        while (failure == null) {
            List<Runnable> due = actions.remove(steps);
            if (due != null) {
                due.forEach(Runnable::run);
            }
            Runnable next = carrier.pick(random);
            if (next != null) {
                if (steps == stepLimit) {
                    throw new AssertionError(describe("does not end within " + stepLimit + " steps"));
                }
                steps++;
                next.run();
            } else if (threads.stream().noneMatch(Thread::isAlive)) {
                break;
            } else if (!carrier.expireNext() && !carrier.awaitReady(mayBeOnItsWay() ? STUCK_NANOS : 0)) {
                throw new AssertionError(describe("stuck: " + waiting() + " wait, and nobody is left to wake them"));
            }
        }
        if (failure != null) {
            throw new AssertionError(describe("a thread has thrown " + failure), failure);
        }
    }

    /** Monitors and pollers wake from a thread of the JDK's. */
    private boolean mayBeOnItsWay() {
        return threads.stream().anyMatch(thread -> switch (thread.getState()) {
            case BLOCKED -> true;
            case RUNNABLE -> true; // freed by the JDK's thread, which has not yet brought it here
            case WAITING, TIMED_WAITING -> {
                StackTraceElement[] stack = thread.getStackTrace();
                yield Arrays.stream(stack)
                        .anyMatch(frame -> frame.getClassName().startsWith("sun.nio.ch.")
                                || frame.getClassName().equals("java.lang.Object")
                                        && frame.getMethodName().startsWith("wait"));
            }
            default -> false;
        });
    }

    private List<String> waiting() {
        return threads.stream().filter(Thread::isAlive).map(Thread::getName).toList();
    }

    private String describe(String what) {
        return "seed " + seed + ", step " + steps + ": " + what;
    }

    /**
     * Returns the seed.
     *
     * @return the seed of this run
     */
    public long seed() {
        return seed;
    }

    /**
     * Returns how many steps have been done.
     *
     * @return the number
     */
    public long steps() {
        return steps;
    }

    @Override
    public String toString() {
        return "Interleaving[seed " + seed + ", " + threads.size() + " threads, " + steps + " steps]";
    }
}
