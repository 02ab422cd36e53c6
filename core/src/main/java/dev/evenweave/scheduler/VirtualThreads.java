// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import dev.evenweave.carrier.CurrentCarrier;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinTask;
import java.util.function.Consumer;
import java.util.stream.Stream;

/*
 * Purpose. The one class that knows how the JDK's virtual threads are made: everything in it would have to be looked at
 * again for a new JDK, nothing outside of it would.
 *
 * What it relies on (JDK 25).
 *   - ThreadBuilders.VirtualThreadBuilder(Executor): a complete Thread.Builder.OfVirtual for a given scheduler.
 *   - VirtualThread.runContinuation: one Runnable per thread for its whole life, a lambda that captured the thread. It is
 *     what execute() is called with, so the thread and its state can be read from it: two dependent loads.
 *   - VirtualThread.state, STARTED, TERMINATED. STARTED tells the first submission of a thread (which a closed scheduler
 *     must refuse) from the later ones (which it must never refuse); TERMINATED tells that it has ended.
 *   - VirtualThread.TIMED_PARKING, TIMED_WAITING, afterYield(): a thread that begins to wait with a limit keeps such a state
 *     until afterYield(), on its carrier, has set the timeout. If that fails for want of memory, it may be called again.
 *   - ForkJoinTask.adapt(): its class and the field that holds the Runnable.
 *   - jdk.internal.vm.ThreadContainers: all threads there are, to find those of one scheduler when it is closed.
 *
 * The handles are static final: only then do they compile to plain loads.
 */
/** The way to the JDK's virtual threads. */
final class VirtualThreads {
    private static final Handles HANDLES;
    private static final MethodHandle STATE_OF;
    private static final MethodHandle THREAD_OF;
    private static final Class<?> CONTINUATION_CLASS;
    private static final int STARTED;
    private static final int TERMINATED;
    private static final int TIMED_PARKING;
    private static final int TIMED_WAITING;

    static {
        HANDLES = Handles.find();
        STATE_OF = HANDLES.stateOf;
        THREAD_OF = HANDLES.threadOf;
        CONTINUATION_CLASS = HANDLES.continuationClass;
        STARTED = HANDLES.started;
        TERMINATED = HANDLES.terminated;
        TIMED_PARKING = HANDLES.timedParking;
        TIMED_WAITING = HANDLES.timedWaiting;
    }

    private VirtualThreads() {}

    static Thread.Builder.OfVirtual builder(Executor scheduler) {
        return HANDLES.newBuilder(scheduler);
    }

    /** Whether this is the continuation of a thread that has been started and never run. */
    static boolean isStarting(Runnable task) {
        return isContinuation(task) && state(task) == STARTED;
    }

    /** Whether this is the continuation of a thread that has ended. */
    static boolean isTerminated(Runnable task) {
        return isContinuation(task) && state(task) == TERMINATED;
    }

    /**
     * Whether this is the continuation of a thread that has been unmounted to wait for a limited time, and whose timeout has
     * not been set. To be asked only by the carrier on which its run() has just thrown: any other may see a passing state.
     */
    static boolean isUnsettled(Runnable task) {
        return isContinuation(task) && (state(task) == TIMED_PARKING || state(task) == TIMED_WAITING);
    }

    /** Sets the timeout of an {@link #isUnsettled unsettled} thread and does all else that is due after it has unmounted. */
    static void settle(Runnable continuation) {
        try {
            HANDLES.afterYield.invokeExact(thread(continuation));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static int state(Runnable continuation) {
        try {
            return (int) STATE_OF.invokeExact(continuation);
        } catch (RuntimeException | Error e) {
            throw e; // StackOverflowError, most likely
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** The thread that this continuation belongs to. */
    static Thread thread(Runnable continuation) {
        try {
            return (Thread) THREAD_OF.invokeExact(continuation);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** A facade may be handed other things than continuations. */
    private static boolean isContinuation(Runnable task) {
        return task.getClass() == CONTINUATION_CLASS;
    }

    /**
     * What a ForkJoinTask of the JDK's stands for: a thread of the JVM's default scheduler is wrapped in one when another
     * virtual thread starts it, whatever scheduler that one runs on.
     */
    static Runnable unwrap(ForkJoinTask<?> task) {
        if (task.getClass() == HANDLES.adapterClass) {
            try {
                return (Runnable) HANDLES.adapted.invokeExact((Object) task);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }
        return task::invoke;
    }

    /** The scheduler of the thread that this is the continuation of; {@code otherwise} if it is none. */
    static Executor ownerOf(Runnable task, Executor otherwise) {
        return isContinuation(task) ? HANDLES.schedulerOf(thread(task)) : otherwise;
    }

    /** Whether a virtual thread that a platform thread creates now is put on {@code scheduler}. */
    static boolean isDefault(Executor scheduler) {
        return HANDLES.schedulerOf(Thread.ofVirtual().unstarted(() -> {})) == scheduler;
    }

    /**
     * Settles where the JDK's socket pollers run: on the JVM's default scheduler. They are virtual threads that never end,
     * created by the first thread that blocks on a socket and scheduled where that one is, which must not be a scheduler that
     * can be closed. So they are created here, by a platform thread. Has no effect if they have been created before.
     */
    static void pinPollersToDefaultScheduler() {
        // At each build: the second time there is nothing to initialize, and the thread costs less than a flag would
        // explain.
        Thread starter = Thread.ofPlatform()
                .name("evenweave-poller-start")
                .daemon()
                .unstarted(VirtualThreads::initializePollers);
        starter.start();
        boolean interrupted = false;
        while (true) {
            try {
                starter.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void initializePollers() {
        try {
            Class.forName("sun.nio.ch.Poller", true, null);
        } catch (ClassNotFoundException | LinkageError e) {
            // No such class in this JDK, or no poller to be had on this machine: the JDK reports that to the first
            // thread that needs one.
        }
    }

    /**
     * Shows every living thread of {@code scheduler} that the JDK keeps track of: all of them, unless the JVM was started
     * with {@code -Djdk.trackAllThreads=false}, and then those that belong to an executor or a scope.
     */
    static void forEachLiving(Executor scheduler, Consumer<Thread> action) {
        HANDLES.forEachLiving(scheduler, action);
    }

    /** Whether {@link #forEachLiving} shows every thread. */
    static boolean areAllTracked() {
        return HANDLES.allTracked;
    }

    private static final class Handles {
        final Constructor<?> builder;
        final MethodHandle stateOf;
        final MethodHandle threadOf;
        final MethodHandle schedulerOf;
        final MethodHandle rootContainer;
        final MethodHandle childContainers;
        final MethodHandle containerThreads;
        final MethodHandle adapted;
        final Class<?> adapterClass;
        final Class<?> continuationClass;
        final int started;
        final int terminated;
        final int timedParking;
        final int timedWaiting;
        final MethodHandle afterYield;
        final boolean allTracked;

        private Handles() throws ReflectiveOperationException {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            builder = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                    .getDeclaredConstructor(Executor.class);
            builder.setAccessible(true);

            // A thread that is never started, to read its parts from.
            Thread sample = newBuilder(task -> {}).unstarted(() -> {});
            Class<?> threadClass = sample.getClass();
            Field runContinuation = accessible(threadClass.getDeclaredField("runContinuation"));
            Object continuation = runContinuation.get(sample);
            continuationClass = continuation.getClass();
            Field captured = accessible(continuationClass.getDeclaredFields()[0]);
            if (captured.get(continuation) != sample) {
                throw new NoSuchFieldException("the thread that a continuation has captured");
            }
            MethodHandle thread = lookup.unreflectGetter(captured);
            MethodHandle state = lookup.unreflectGetter(accessible(threadClass.getDeclaredField("state")));
            threadOf = thread.asType(MethodType.methodType(Thread.class, Runnable.class));
            stateOf = MethodHandles.filterReturnValue(
                            thread,
                            state.asType(state.type()
                                    .changeParameterType(0, thread.type().returnType())))
                    .asType(MethodType.methodType(int.class, Runnable.class));
            started = accessible(threadClass.getDeclaredField("STARTED")).getInt(null);
            terminated = accessible(threadClass.getDeclaredField("TERMINATED")).getInt(null);
            timedParking =
                    accessible(threadClass.getDeclaredField("TIMED_PARKING")).getInt(null);
            timedWaiting =
                    accessible(threadClass.getDeclaredField("TIMED_WAITING")).getInt(null);
            Method settle = threadClass.getDeclaredMethod("afterYield");
            settle.setAccessible(true);
            afterYield = lookup.unreflect(settle).asType(MethodType.methodType(void.class, Thread.class));
            schedulerOf = lookup.unreflectGetter(accessible(threadClass.getDeclaredField("scheduler")))
                    .asType(MethodType.methodType(Executor.class, Thread.class));

            CurrentCarrier.export("jdk.internal.vm");
            Class<?> containers = Class.forName("jdk.internal.vm.ThreadContainers");
            Class<?> container = Class.forName("jdk.internal.vm.ThreadContainer");
            allTracked = (boolean) containers.getMethod("trackAllThreads").invoke(null);
            rootContainer = lookup.unreflect(containers.getMethod("root")).asType(MethodType.methodType(Object.class));
            childContainers = lookup.unreflect(container.getMethod("children"))
                    .asType(MethodType.methodType(Stream.class, Object.class));
            containerThreads = lookup.unreflect(container.getMethod("threads"))
                    .asType(MethodType.methodType(Stream.class, Object.class));

            CurrentCarrier.open("java.util.concurrent");
            adapterClass = ForkJoinTask.adapt(() -> {}).getClass();
            adapted = lookup.unreflectGetter(accessible(adapterClass.getDeclaredField("runnable")))
                    .asType(MethodType.methodType(Runnable.class, Object.class));
        }

        static Handles find() {
            try {
                return new Handles();
            } catch (ReflectiveOperationException | InaccessibleObjectException e) {
                throw new UnsupportedOperationException(
                        "The virtual threads of this JDK (" + Runtime.version()
                                + ") are not built as Evenweave knows them: use JDK 25, or a newer Evenweave",
                        e);
            }
        }

        private static Field accessible(Field field) {
            field.setAccessible(true);
            return field;
        }

        Thread.Builder.OfVirtual newBuilder(Executor scheduler) {
            try {
                return (Thread.Builder.OfVirtual) builder.newInstance(scheduler);
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof UnsupportedOperationException) {
                    throw new UnsupportedOperationException(
                            "This JVM has no continuations (-XX:-VMContinuations, or a platform without them):"
                                    + " virtual threads are platform threads here and cannot be scheduled",
                            e.getCause());
                }
                throw new AssertionError(e);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }

        Executor schedulerOf(Thread thread) {
            try {
                return (Executor) schedulerOf.invokeExact(thread);
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        void forEachLiving(Executor scheduler, Consumer<Thread> action) {
            try {
                visit((Object) rootContainer.invokeExact(), scheduler, action);
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        private void visit(Object container, Executor scheduler, Consumer<Thread> action) throws Throwable {
            for (Object each : ((Stream<?>) (Stream) containerThreads.invokeExact(container)).toList()) {
                Thread thread = (Thread) each;
                if (thread.isVirtual() && schedulerOf(thread) == scheduler) {
                    action.accept(thread);
                }
            }
            for (Object child : ((Stream<?>) (Stream) childContainers.invokeExact(container)).toList()) {
                visit(child, scheduler, action);
            }
        }
    }
}
