// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks.sync;

import dev.evenweave.scheduler.Scheduler;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Two virtual threads on one carrier hand a turn back and forth through a pair of semaphores; each hand-off blocks. One
 * operation is a round trip: two hand-offs. Needs {@code -prof gc} to show the bytes.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
        value = 5,
        jvmArgs = {"--add-opens=java.base/java.lang=ALL-UNNAMED", "-Djdk.virtualThreadScheduler.parallelism=1"})
@State(Scope.Benchmark)
public class RoundTripBenchmark {
    private static final int BATCH = 20_000;

    @Param({"evenweave", "jdk"})
    String scheduler = "";

    private ThreadFactory factory = Thread.ofVirtual().factory();
    private AutoCloseable closing = () -> {};

    private final dev.evenweave.sync.Semaphore ping = new dev.evenweave.sync.Semaphore(0);
    private final dev.evenweave.sync.Semaphore pong = new dev.evenweave.sync.Semaphore(0);
    private final Semaphore jdkPing = new Semaphore(0, true);
    private final Semaphore jdkPong = new Semaphore(0, true);

    @Setup(Level.Trial)
    public void open() {
        if (scheduler.equals("evenweave")) {
            Scheduler opened = Scheduler.builder().parallelism(1).build();
            closing = opened;
            factory = opened.newThreadFactory();
        }
    }

    @TearDown(Level.Trial)
    public void close() throws Exception {
        closing.close();
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void semaphoreEvenweave() throws InterruptedException {
        run(
                () -> {
                    for (int i = 0; i < BATCH; i++) {
                        ping.release();
                        pong.acquireUninterruptibly();
                    }
                },
                () -> {
                    for (int i = 0; i < BATCH; i++) {
                        ping.acquireUninterruptibly();
                        pong.release();
                    }
                });
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void semaphoreJdkFair() throws InterruptedException {
        run(
                () -> {
                    for (int i = 0; i < BATCH; i++) {
                        jdkPing.release();
                        jdkPong.acquireUninterruptibly();
                    }
                },
                () -> {
                    for (int i = 0; i < BATCH; i++) {
                        jdkPing.acquireUninterruptibly();
                        jdkPong.release();
                    }
                });
    }

    private void run(Runnable one, Runnable other) throws InterruptedException {
        Thread a = factory.newThread(one);
        Thread b = factory.newThread(other);
        a.start();
        b.start();
        a.join();
        b.join();
    }
}
