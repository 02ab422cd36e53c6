// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks.scheduler;

import dev.evenweave.scheduler.Scheduler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
 * What a switch between virtual threads costs, here and on the JDK's scheduler with as many carriers. The two arms run in
 * JVMs of their own, one after the other; {@code -prof gc} shows the bytes per operation.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Benchmark)
public abstract class SwitchBenchmark {
    private static final int BATCH = 20_000;

    @Param({"evenweave", "jdk"})
    String scheduler = "";

    private ThreadFactory factory = Thread.ofVirtual().factory();
    private AutoCloseable closing = () -> {};
    private volatile boolean ballAtB;
    private volatile Thread a = Thread.currentThread();
    private volatile Thread b = Thread.currentThread();

    private final int processors;

    SwitchBenchmark(int processors) {
        this.processors = processors;
    }

    /** Runs a benchmark's body on one carrier. */
    @Fork(
            value = 3,
            jvmArgs = {
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-Djdk.virtualThreadScheduler.parallelism=1",
                "-XX:+UseSerialGC"
            })
    public static class OneProcessor extends SwitchBenchmark {
        public OneProcessor() {
            super(1);
        }
    }

    /** Runs a benchmark's body on two carriers. */
    @Fork(
            value = 3,
            jvmArgs = {
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-Djdk.virtualThreadScheduler.parallelism=2",
                "-XX:+UseSerialGC"
            })
    public static class TwoProcessors extends SwitchBenchmark {
        public TwoProcessors() {
            super(2);
        }
    }

    @Setup(Level.Trial)
    public void open() {
        if (scheduler.equals("evenweave")) {
            Scheduler ours = Scheduler.builder().parallelism(processors).build();
            factory = ours.newThreadFactory();
            closing = ours;
        }
    }

    @TearDown(Level.Trial)
    public void close() throws Exception {
        closing.close();
    }

    /** Two threads wake each other in turn: one operation is there and back. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void roundTrip() throws InterruptedException {
        ballAtB = false;
        b = factory.newThread(() -> {
            for (int i = 0; i < BATCH; i++) {
                while (!ballAtB) {
                    LockSupport.park();
                }
                ballAtB = false;
                LockSupport.unpark(a);
            }
        });
        a = factory.newThread(() -> {
            b.start();
            for (int i = 0; i < BATCH; i++) {
                ballAtB = true;
                LockSupport.unpark(b);
                while (ballAtB) {
                    LockSupport.park();
                }
            }
        });
        a.start();
        a.join();
        b.join();
    }

    /** A thread starts another one and waits for its end. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void startAndJoin() throws InterruptedException {
        Thread parent = factory.newThread(() -> {
            try {
                for (int i = 0; i < BATCH; i++) {
                    Thread child = factory.newThread(() -> {});
                    child.start();
                    child.join();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        parent.start();
        parent.join();
    }

    /** A thread yields while nothing else is runnable. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void yieldAlone() throws InterruptedException {
        Thread yielder = factory.newThread(() -> {
            for (int i = 0; i < BATCH; i++) {
                Thread.yield();
            }
        });
        yielder.start();
        yielder.join();
    }
}
