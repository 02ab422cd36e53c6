// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch.behaviour;

import static dev.evenweave.launch.behaviour.Behaviours.LIMIT_SECONDS;
import static dev.evenweave.launch.behaviour.Behaviours.await;
import static dev.evenweave.launch.behaviour.Behaviours.get;
import static dev.evenweave.launch.behaviour.Behaviours.onMany;
import static dev.evenweave.launch.behaviour.Behaviours.onVirtualThread;
import static dev.evenweave.launch.behaviour.Behaviours.require;
import static dev.evenweave.launch.behaviour.Behaviours.requireEvenweave;

import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.ReentrantLock;

/** What belongs to a thread and goes where it goes. */
final class Carrying {
    private static final ThreadLocal<String> LOCAL = ThreadLocal.withInitial(() -> "initial");
    private static final InheritableThreadLocal<String> INHERITED = new InheritableThreadLocal<>();
    private static final ScopedValue<String> SCOPED = ScopedValue.newInstance();

    /** Held by a virtual thread while others initialize {@link Slow}. */
    static final ReentrantLock GATE = new ReentrantLock();

    static final CountDownLatch INITIALIZING = new CountDownLatch(1);

    private Carrying() {}

    static void threadLocals() throws Exception {
        onMany(100, () -> {
            String mine = Thread.currentThread().toString();
            require(LOCAL.get().equals("initial"), "a thread local of another thread: " + LOCAL.get());
            LOCAL.set(mine);
            INHERITED.set(mine);
            Thread.sleep(1);
            require(LOCAL.get().equals(mine), "the thread local has changed over a sleep");
            FutureTask<String> child = new FutureTask<>(INHERITED::get);
            Thread.startVirtualThread(child);
            require(get(child).equals(mine), "the child did not inherit");
        });
    }

    static void scopedValues() throws Exception {
        onMany(100, () -> {
            String mine = Thread.currentThread().toString();
            ScopedValue.where(SCOPED, mine).run(() -> {
                Thread.yield();
                require(SCOPED.get().equals(mine), "the scoped value has changed over a yield");
            });
            require(!SCOPED.isBound(), "a scoped value is left");
        });
    }

    /** By reflection, since the API is a preview: the JVM was started with {@code --enable-preview}. */
    static void structuredScopes() throws Exception {
        Class<?> type = Class.forName("java.util.concurrent.StructuredTaskScope");
        Method open = type.getMethod("open");
        Method fork = type.getMethod("fork", Callable.class);
        Method join = type.getMethod("join");
        Method close = type.getMethod("close");
        Method get = Class.forName("java.util.concurrent.StructuredTaskScope$Subtask")
                .getMethod("get");
        onVirtualThread(() -> ScopedValue.where(SCOPED, "bound").call(() -> {
            Object scope = open.invoke(null);
            try {
                List<Object> subtasks = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    int number = i;
                    Callable<Integer> subtask = () -> {
                        requireEvenweave();
                        require(SCOPED.get().equals("bound"), "the scoped value did not reach the subtask");
                        Thread.sleep(1);
                        return number;
                    };
                    subtasks.add(fork.invoke(scope, subtask));
                }
                join.invoke(scope);
                int sum = 0;
                for (Object subtask : subtasks) {
                    sum += (int) get.invoke(subtask);
                }
                require(sum == 45, "sum " + sum);
                return null;
            } finally {
                close.invoke(scope);
            }
        }));
    }

    /**
     * As many threads as there are processors, and more, wait in a class initializer, where they cannot leave their carriers,
     * for a lock whose owner has no carrier.
     */
    static void classInitialization() throws Exception {
        CountDownLatch locked = new CountDownLatch(1);
        Thread owner = Thread.startVirtualThread(() -> {
            GATE.lock();
            try {
                locked.countDown();
                await(INITIALIZING); // gives its carrier away
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            } finally {
                GATE.unlock();
            }
        });
        await(locked);
        int users = 2 * Runtime.getRuntime().availableProcessors() + 1;
        onMany(users, () -> require(Slow.value() == 1, "the class is not initialized"));
        require(owner.join(java.time.Duration.ofSeconds(LIMIT_SECONDS)), "the lock's owner does not run");
    }

    private static final class Slow {
        private static final int VALUE = initialize();

        private static int initialize() {
            INITIALIZING.countDown();
            GATE.lock();
            GATE.unlock();
            return 1;
        }

        static int value() {
            return VALUE;
        }
    }

    static void collection() throws Exception {
        List<WeakReference<Object>> references = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            references.add(runAndForget());
        }
        onMany(2_000, Thread::yield); // passes through every queue
        for (int i = 0; i < 100; i++) {
            System.gc();
            references.removeIf(reference -> reference.get() == null);
            if (references.isEmpty()) {
                return;
            }
            onMany(100, Thread::yield);
        }
        throw new AssertionError(references.size() + " of 200 finished threads are kept");
    }

    private static WeakReference<Object> runAndForget() throws InterruptedException {
        Object held = new Object();
        Thread thread = Thread.startVirtualThread(() -> {
            Thread.yield();
            java.util.Objects.requireNonNull(held);
        });
        thread.join();
        return new WeakReference<>(thread);
    }
}
