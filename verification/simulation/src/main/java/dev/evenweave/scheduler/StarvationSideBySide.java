// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The public write-up's experiment, simulated and measured: {@code verification/simulation/run starvation}.
 *
 * <p>A pair that wakes each other and a thread that reads the clock, on one processor. How late this machine ends a sleep of
 * the monitor's is measured first, and the simulation draws from that: it is the one cost that a gap is made of, three times,
 * and no round figure has its tail.
 */
final class StarvationSideBySide {
    private static final int RUNS = 6;
    private static final Duration LENGTH = Duration.ofSeconds(1);
    private static final int SLEEPS = 400;

    /** As in the lab: longer than an interrupt of the operating system, shorter than any slice. */
    private static final long GAP_NANOS = 50_000;

    private StarvationSideBySide() {}

    /**
     * One run.
     *
     * @param worstGap the longest time off the processor, in nanoseconds
     * @param offShare the share of the time off the processor
     */
    private record Result(double worstGap, double offShare) {}

    public static void main(String[] args) throws InterruptedException {
        long[] oversleeps = measureOversleeps();
        System.out.printf(
                Locale.ROOT,
                "A sleep of %d ms is late by %.2f ms (median), %.2f ms (one in a hundred), %.2f ms (the most of %d).%n%n",
                sleepNanos() / 1_000_000,
                oversleeps[SLEEPS / 2] / 1e6,
                oversleeps[SLEEPS * 99 / 100] / 1e6,
                oversleeps[SLEEPS - 1] / 1e6,
                SLEEPS);
        System.out.println(
                "| honour | worst gap ms, simulated | measured | apart | off CPU %, simulated | measured | apart |");
        System.out.println("|---|---|---|---|---|---|---|");
        measure(Honour.ON); // warms up, not counted
        for (Honour honour : Honour.values()) {
            Result[] simulated = new Result[RUNS];
            Result[] measured = new Result[RUNS];
            for (int run = 0; run < RUNS; run++) {
                simulated[run] = simulate(honour, run, oversleeps);
                measured[run] = measure(honour);
            }
            double gap = median(simulated, true);
            double realGap = median(measured, true);
            double off = median(simulated, false);
            double realOff = median(measured, false);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.1f | %.1f | %.0f %% | %.1f | %.1f | %.0f %% |%n",
                    honour,
                    gap / 1e6,
                    realGap / 1e6,
                    apart(gap, realGap),
                    100 * off,
                    100 * realOff,
                    apart(off, realOff));
        }
        System.out.printf(Locale.ROOT, "%nMedians of %d runs of %d s.%n", RUNS, LENGTH.toSeconds());
        Runtime.getRuntime().halt(0);
    }

    private static double apart(double simulated, double measured) {
        return 100 * Math.abs(simulated - measured) / measured;
    }

    private static double median(Result[] results, boolean gap) {
        double[] sorted = Arrays.stream(results)
                .mapToDouble(result -> gap ? result.worstGap : result.offShare)
                .sorted()
                .toArray();
        return (sorted[(RUNS - 1) / 2] + sorted[RUNS / 2]) / 2;
    }

    private static Policy policy(Honour honour) {
        // As in the lab: a hand-over would mend what is measured.
        return Policy.defaults().toBuilder().honour(honour).handOver(false).build();
    }

    private static Result simulate(Honour honour, int seed, long[] oversleeps) {
        Duration length = LENGTH.plusNanos(Directed.SPINNER_STARTS);
        Waits waits = new Waits();
        Scenario scenario = Directed.pairAndSpinner(policy(honour), 1, length).withSeed(seed);
        Simulation run = new Simulation(scenario, waits, oversleeps);
        run.run();
        SimulatedThread reader = run.threads.get(2);
        long cpu = reader.cpu;
        if (reader.state == SimulatedThread.State.RUNNING) {
            cpu += run.now() - reader.mountedAt;
        }
        return new Result(waits.worstOf(2), 1 - (double) cpu / LENGTH.toNanos());
    }

    // ---- measured
    // ----------------------------------------------------------------------------------------------------

    private static long sleepNanos() {
        return Policy.defaults().timeSlice().toNanos() / 2;
    }

    /** Sorted. One core is busy meanwhile, as it is in the experiment. */
    private static long[] measureOversleeps() throws InterruptedException {
        boolean[] stop = new boolean[1];
        Thread busy = Thread.ofPlatform().daemon().start(() -> {
            while (!stop[0]) {
                Thread.onSpinWait();
            }
        });
        long[] late = new long[SLEEPS];
        for (int i = 0; i < SLEEPS; i++) {
            long start = System.nanoTime();
            LockSupport.parkNanos(sleepNanos());
            late[i] = Math.max(0, System.nanoTime() - start - sleepNanos());
        }
        stop[0] = true;
        busy.join(1_000);
        Arrays.sort(late);
        return late;
    }

    private static Result measure(Honour honour) throws InterruptedException {
        Scheduler scheduler =
                Scheduler.builder().parallelism(1).policy(policy(honour)).build();
        ThreadFactory threads = scheduler.newThreadFactory();
        Pair pair = new Pair();
        pair.start(threads);
        TimeUnit.MILLISECONDS.sleep(200);
        long begin = System.nanoTime() + 200_000_000;
        Reader reader = new Reader(begin, begin + LENGTH.toNanos());
        Thread thread = threads.newThread(reader);
        thread.start();
        long left;
        while ((left = reader.end - System.nanoTime()) > 0) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
        pair.stop();
        thread.join(5_000);
        scheduler.close();
        return new Result(reader.worst, (double) reader.off / LENGTH.toNanos());
    }

    /** Two threads that wake each other. */
    private static final class Pair {
        private volatile boolean stopped;
        private volatile boolean firstsTurn = true;
        private Thread first = Thread.currentThread();
        private Thread second = Thread.currentThread();

        void start(ThreadFactory threads) {
            first = threads.newThread(() -> play(true));
            second = threads.newThread(() -> play(false));
            first.start();
            second.start();
        }

        void stop() {
            stopped = true;
            LockSupport.unpark(first);
            LockSupport.unpark(second);
        }

        private void play(boolean isFirst) {
            while (!stopped) {
                if (firstsTurn == isFirst) {
                    firstsTurn = !isFirst;
                    LockSupport.unpark(isFirst ? second : first);
                }
                LockSupport.park(this);
            }
        }
    }

    /** Takes each gap between two readings of the clock for time off the processor. Its fields are read after its end. */
    private static final class Reader implements Runnable {
        private final long begin;
        private final long end;
        private long worst;
        private long off;

        Reader(long begin, long end) {
            this.begin = begin;
            this.end = end;
        }

        @Override
        public void run() {
            long last = begin;
            while (last - end < 0) {
                long now = System.nanoTime();
                if (now - begin > 0) {
                    long time = now - end < 0 ? now : end;
                    if (time - last > GAP_NANOS) {
                        off += time - last;
                        worst = Math.max(worst, time - last);
                    }
                    last = time;
                }
                Scheduler.checkpoint();
            }
        }
    }
}
