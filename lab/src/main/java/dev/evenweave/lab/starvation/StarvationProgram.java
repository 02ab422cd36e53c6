// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.starvation;

import dev.evenweave.channel.Channel;
import dev.evenweave.channel.ChannelClosedException;
import dev.evenweave.lab.engine.SampleLines;
import dev.evenweave.scheduler.CarrierStats;
import dev.evenweave.scheduler.Honour;
import dev.evenweave.scheduler.Policy;
import dev.evenweave.scheduler.Preemption;
import dev.evenweave.scheduler.Scheduler;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One run: threads that wake each other, and a clock reader beside them. Prints what the reader saw and what the scheduler
 * counted, as {@code name value unit} lines.
 */
final class StarvationProgram {

    private static final Duration SHORT_SLEEP = Duration.ofNanos(30);

    /** How long the reader gets to come back after the others were stopped. */
    private static final long GRACE_MILLIS = 2_000;

    private static final int ROUNDS_BEFORE_READER = 100;

    private final Setup setup;
    private final Channel<Integer> there = Channel.unbuffered();
    private final Channel<Integer> back = Channel.unbuffered();
    /** Rounds or sleeps; each has one writer. */
    private final AtomicLong first = new AtomicLong();

    private final AtomicLong second = new AtomicLong();
    private volatile boolean stopped;

    private StarvationProgram(Setup setup) {
        this.setup = setup;
    }

    public static void main(String[] args) throws InterruptedException {
        Setup setup = Setup.parse(args);
        if (setup.arm() == Setup.Arm.JDK) {
            new StarvationProgram(setup).measure(Thread.ofVirtual().factory(), null);
        } else {
            Policy policy = Policy.defaults().toBuilder()
                    .honour(honour(setup.arm()))
                    .preemption(setup.preemption() ? Preemption.ON : Preemption.THREAD_ONLY)
                    // When the operating system takes a carrier's processor for long, a hand-over would mend what is
                    // measured here, and mix the queues. A pinned thread that parks needs one.
                    .handOver(setup.pinned())
                    .build();
            // Not closed: the JVM ends here, whatever the threads are at.
            Scheduler scheduler = Scheduler.builder()
                    .parallelism(setup.processors())
                    .policy(policy)
                    .build();
            new StarvationProgram(setup).measure(scheduler.newThreadFactory(), scheduler);
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static Honour honour(Setup.Arm arm) {
        return switch (arm) {
            case ON -> Honour.ON;
            case LOCAL_ONLY -> Honour.LOCAL_ONLY;
            case OFF, JDK -> Honour.OFF;
        };
    }

    private void measure(ThreadFactory threads, @Nullable Scheduler scheduler) throws InterruptedException {
        if (setup.gc()) {
            Thread.ofPlatform().daemon().name("garbage").start(this::makeGarbage);
        }
        switch (setup.load()) {
            case PINGPONG -> {
                threads.newThread(setup.pinned() ? () -> Pinned.run(this::answer) : this::answer)
                        .start();
                threads.newThread(this::ask).start();
            }
            case SLEEPERS -> {
                threads.newThread(() -> sleepOften(first)).start();
                threads.newThread(() -> sleepOften(second)).start();
            }
        }
        // The reader comes when the others are at it, so that it waits where a preempted thread waits, in the global
        // queue.
        // Submitted together with them it could share their carrier's own queue once.
        while (first.get() + second.get() < ROUNDS_BEFORE_READER) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        long begin = System.nanoTime() + nanos(setup.warmup());
        long end = begin + nanos(setup.seconds());
        ClockReader reader = new ClockReader(begin, end);
        Thread readerThread = threads.newThread(reader);
        readerThread.start();

        sleepUntil(begin);
        long roundsBefore = first.get() + second.get();
        long collectionsBefore = collections();
        CarrierStats before = scheduler == null ? null : scheduler.stats().total();
        sleepUntil(end);
        double rounds = first.get() + second.get() - roundsBefore;
        CarrierStats after = scheduler == null ? null : scheduler.stats().total();
        long collections = collections() - collectionsBefore;

        stopped = true;
        there.close();
        back.close();
        readerThread.join(GRACE_MILLIS);

        double offSeconds = reader.offNanos() / 1e9;
        SampleLines.print("worstGapMs", reader.worstNanos() / 1e6, "ms");
        SampleLines.print("offCpuPercent", 100 * offSeconds / setup.seconds(), "%");
        if (setup.load() == Setup.Load.PINGPONG) {
            SampleLines.print("roundTripsPerSecond", rounds / setup.seconds(), "1/s");
            // With more processors the reader's absence is not the pair's time.
            if (setup.processors() == 1 && offSeconds > 0) {
                SampleLines.print("roundTripsPerCpuSecond", rounds / offSeconds, "1/s");
            }
        } else {
            SampleLines.print("sleepsPerSecond", rounds / setup.seconds(), "1/s");
        }
        if (before != null && after != null) {
            SampleLines.print("requests", after.requests() - before.requests(), "requests");
            SampleLines.print("caught", after.caught() - before.caught(), "requests");
            SampleLines.print("honoured", after.honoured() - before.honoured(), "requests");
        }
        if (setup.gc()) {
            SampleLines.print("collections", collections, "collections");
        }
    }

    private void ask() {
        long state = 1;
        long rounds = 0;
        try {
            while (true) {
                there.send(1);
                state = work(state, setup.work());
                back.receive();
                first.setOpaque(++rounds);
            }
        } catch (InterruptedException | ChannelClosedException e) {
            keep(state);
        }
    }

    private void answer() {
        long state = 2;
        try {
            while (true) {
                Integer value = there.receive();
                state = work(state, setup.work());
                back.send(value);
            }
        } catch (InterruptedException | ChannelClosedException e) {
            keep(state);
        }
    }

    private void sleepOften(AtomicLong counter) {
        long sleeps = 0;
        try {
            while (!stopped) {
                Thread.sleep(SHORT_SLEEP);
                counter.setOpaque(++sleeps);
            }
        } catch (InterruptedException e) {
            keep(sleeps);
        }
    }

    /** Each step needs the one before, so that the compiler can neither skip nor reorder the work. */
    private static long work(long state, int iterations) {
        long x = state;
        for (int i = 0; i < iterations; i++) {
            x = x * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
        }
        return x;
    }

    /** A result that might be needed must be computed. */
    private static void keep(long result) {
        if (result == 42) {
            System.err.println();
        }
    }

    /** About 160 MB a second: with a young generation of 16 MB some ten collections. */
    private void makeGarbage() {
        try {
            while (!stopped) {
                for (int i = 0; i < 10; i++) {
                    keep(new byte[32 * 1024].length);
                }
                TimeUnit.MILLISECONDS.sleep(2);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    private static void sleepUntil(long time) throws InterruptedException {
        long left = time - System.nanoTime();
        while (left > 0) {
            TimeUnit.NANOSECONDS.sleep(left);
            left = time - System.nanoTime();
        }
    }

    private static long nanos(double seconds) {
        return Math.round(seconds * 1e9);
    }

    /**
     * Runs something where the thread cannot be unmounted: under the frame of a class initializer, which is native. Once
     * for each JVM.
     */
    private static final class Pinned {

        private static @Nullable Runnable task;

        static void run(Runnable runnable) {
            task = runnable;
            Initializer.touch();
        }

        private static final class Initializer {
            static {
                Runnable runnable = task;
                if (runnable != null) {
                    runnable.run();
                }
            }

            static void touch() {}
        }
    }
}
