// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch.behaviour;

import dev.evenweave.scheduler.Scheduler;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A program that knows nothing of how it was started: it uses virtual threads in every way the JDK offers, and prints for each
 * kind of use whether it works. A test starts it on Evenweave and reads the lines.
 */
public final class Behaviours {
    /** Guards against hangs: far longer than any of them takes. */
    static final long LIMIT_SECONDS = 60;

    interface Behaviour {
        void check() throws Exception;
    }

    private Behaviours() {}

    static Map<String, Behaviour> all() {
        Map<String, Behaviour> all = new LinkedHashMap<>();
        all.put("sockets", Blocking::sockets);
        all.put("socket timeouts", Blocking::socketTimeouts);
        all.put("HTTP client and server", Blocking::http);
        all.put("process I/O", Blocking::process);
        all.put("file I/O", Blocking::files);
        all.put("DNS", Blocking::dns);
        all.put("sleep", Waiting::sleep);
        all.put("timed waits", Waiting::timedWaits);
        all.put("monitors", Waiting::monitors);
        all.put("yield", Waiting::yield);
        all.put("interrupt", Waiting::interrupt);
        all.put("join", Waiting::join);
        all.put("thread dump", Seeing::threadDump);
        all.put("management bean", Seeing::managementBean);
        all.put("flight recorder", Seeing::flightRecorder);
        all.put("uncaught exceptions", Seeing::uncaughtExceptions);
        all.put("deep stacks", Seeing::deepStacks);
        all.put("thread locals", Carrying::threadLocals);
        all.put("scoped values", Carrying::scopedValues);
        all.put("structured scopes", Carrying::structuredScopes);
        all.put("class initialization", Carrying::classInitialization);
        all.put("collection of finished threads", Carrying::collection);
        return all;
    }

    /** The names of all behaviours, in their order. */
    public static Stream<String> names() {
        return all().keySet().stream();
    }

    public static void main(String[] args) throws InterruptedException {
        for (Map.Entry<String, Behaviour> each : all().entrySet()) {
            FutureTask<Void> task = new FutureTask<>(() -> {
                each.getValue().check();
                return null;
            });
            Thread.ofPlatform().name("checks " + each.getKey()).daemon().start(task);
            try {
                task.get(LIMIT_SECONDS, TimeUnit.SECONDS);
                System.out.println("ok " + each.getKey());
            } catch (Exception e) {
                System.out.println("FAILED " + each.getKey());
                (e.getCause() == null ? e : e.getCause()).printStackTrace(System.out);
                System.out.println(String.valueOf(Scheduler.ofJvm()));
            }
        }
        System.out.println("done");
        System.exit(0); // a thread that hangs must not keep the test waiting
    }

    // ---- for the behaviours
    // ------------------------------------------------------------------------------------------

    /** Runs on a new virtual thread, which must be one of Evenweave's, and returns the result. */
    static <T> T onVirtualThread(Callable<T> body) throws Exception {
        FutureTask<T> task = new FutureTask<>(() -> {
            requireEvenweave();
            T result = body.call();
            requireEvenweave();
            return result;
        });
        Thread.startVirtualThread(task);
        return get(task);
    }

    static <T> T get(FutureTask<T> task) throws Exception {
        return task.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    static void await(CountDownLatch latch) throws InterruptedException {
        require(latch.await(LIMIT_SECONDS, TimeUnit.SECONDS), "a latch was not opened in time");
    }

    /** Runs the same body on several virtual threads at a time and waits for all of them. */
    static void onMany(int count, Behaviour body) throws Exception {
        List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FutureTask<Void> task = new FutureTask<>(() -> {
                body.check();
                requireEvenweave();
                return null;
            });
            tasks.add(task);
            Thread.startVirtualThread(task);
        }
        for (FutureTask<Void> task : tasks) {
            get(task);
        }
    }

    static void requireEvenweave() {
        require(Thread.currentThread().isVirtual(), "not a virtual thread: " + Thread.currentThread());
        require(
                Scheduler.current() != null && Scheduler.current() == Scheduler.ofJvm(),
                Thread.currentThread() + " does not run on the scheduler of the JVM");
    }

    static void require(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }
}
