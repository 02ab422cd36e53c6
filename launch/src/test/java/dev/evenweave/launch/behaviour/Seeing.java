// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch.behaviour;

import static dev.evenweave.launch.behaviour.Behaviours.LIMIT_SECONDS;
import static dev.evenweave.launch.behaviour.Behaviours.await;
import static dev.evenweave.launch.behaviour.Behaviours.onMany;
import static dev.evenweave.launch.behaviour.Behaviours.onVirtualThread;
import static dev.evenweave.launch.behaviour.Behaviours.require;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.evenweave.scheduler.Scheduler;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Event;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import jdk.management.VirtualThreadSchedulerMXBean;

/** What tools and handlers see of virtual threads. */
final class Seeing {
    private Seeing() {}

    static void threadDump() throws Exception {
        CountDownLatch ready = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread shown = Thread.ofVirtual().name("shown-in-the-dump").start(() -> {
            ready.countDown();
            waitHere(end);
        });
        await(ready);
        Path folder = Files.createTempDirectory("evenweave-dump");
        Path file = folder.resolve("dump.json");
        try {
            var bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            bean.dumpThreads(file.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.JSON);
            String dump = Files.readString(file);
            require(dump.contains("shown-in-the-dump"), "the thread is not in the dump");
            require(dump.contains("Seeing.waitHere"), "its stack is not in the dump");
            boolean inStack = false;
            for (StackTraceElement frame : shown.getStackTrace()) {
                inStack |= frame.getMethodName().equals("waitHere");
            }
            require(inStack, "getStackTrace does not show where the thread is");
        } finally {
            Files.deleteIfExists(file);
            Files.delete(folder);
            end.countDown();
        }
        shown.join();
    }

    private static void waitHere(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void managementBean() throws Exception {
        var bean = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        Scheduler scheduler = Scheduler.ofJvm();
        require(bean.getParallelism() == scheduler.parallelism(), "parallelism " + bean.getParallelism());
        require(bean.getPoolSize() >= scheduler.parallelism(), "pool size " + bean.getPoolSize());
        int mounted = onVirtualThread(bean::getMountedVirtualThreadCount);
        require(mounted >= 1, "no mounted thread is seen by a mounted thread");
        require(bean.getQueuedVirtualThreadCount() >= 0, "queued " + bean.getQueuedVirtualThreadCount());
    }

    static void flightRecorder() throws Exception {
        Path file = Files.createTempFile("evenweave", ".jfr");
        long id;
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadStart").withoutThreshold();
            recording.enable("jdk.VirtualThreadEnd").withoutThreshold();
            recording.enable(Passed.class).withoutThreshold();
            recording.start();
            Thread watched = Thread.ofVirtual().name("watched-by-jfr").unstarted(() -> {
                Passed passed = new Passed();
                passed.begin();
                LockSupport.parkNanos(5_000_000);
                passed.commit();
            });
            id = watched.threadId();
            watched.start();
            watched.join();
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        Files.delete(file);
        require(hasEvent(events, "jdk.VirtualThreadStart", id), "no start event of the thread");
        require(hasEvent(events, "jdk.VirtualThreadEnd", id), "no end event of the thread");
        require(hasEvent(events, Passed.class.getName(), id), "no event of the program by the thread");
    }

    /** An event that the thread itself writes, after it has been on and off its carrier. */
    private static final class Passed extends Event {}

    private static boolean hasEvent(List<RecordedEvent> events, String type, long threadId) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(type))
                .map(RecordedEvent::getThread)
                .anyMatch(thread -> thread != null && thread.getJavaThreadId() == threadId && isVirtual(thread));
    }

    private static boolean isVirtual(RecordedThread thread) {
        return thread.isVirtual() && "watched-by-jfr".equals(thread.getJavaName());
    }

    static void uncaughtExceptions() throws Exception {
        AtomicReference<Throwable> own = new AtomicReference<>();
        CountDownLatch caught = new CountDownLatch(1);
        Thread failing = Thread.ofVirtual()
                .uncaughtExceptionHandler((thread, e) -> {
                    own.set(e);
                    caught.countDown();
                })
                .start(() -> {
                    throw new IllegalStateException("wanted");
                });
        await(caught);
        failing.join();
        require("wanted".equals(own.get().getMessage()), "another exception: " + own.get());

        AtomicReference<Thread> byDefault = new AtomicReference<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> byDefault.set(thread));
        try {
            Thread other = Thread.startVirtualThread(() -> {
                throw new IllegalStateException("wanted, too");
            });
            other.join();
            require(byDefault.get() == other, "the default handler saw " + byDefault.get());
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        require(Scheduler.ofJvm().stats().faults() == 0, "an exception got as far as a carrier");
    }

    static void deepStacks() throws Exception {
        onMany(4, () -> {
            require(depth(2_000) == 2_000, "a deep stack was lost over a park");
            boolean overflown = false;
            try {
                endless(0);
            } catch (StackOverflowError expected) {
                overflown = true;
            }
            require(overflown, "endless recursion ended");
        });
        // The carriers still work.
        CountDownLatch after = new CountDownLatch(100);
        onMany(100, after::countDown);
        require(after.await(LIMIT_SECONDS, TimeUnit.SECONDS), "threads do not run after a stack overflow");
    }

    private static int depth(int more) {
        if (more == 0) {
            LockSupport.parkNanos(100_000);
            return 0;
        }
        return 1 + depth(more - 1);
    }

    @SuppressWarnings("InfiniteRecursion")
    private static int endless(int n) {
        return endless(n + 1) + 1;
    }
}
