// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks.sync;

import dev.evenweave.scheduler.Scheduler;
import dev.evenweave.sync.Mutex;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import kotlinx.coroutines.sync.MutexKt;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * Eight virtual threads per processor contend for one lock around a section of about 100 ns. One operation is lock, section
 * and unlock by one of them; there is no work outside the lock.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 5, jvmArgs = "--add-opens=java.base/java.lang=ALL-UNNAMED")
@State(Scope.Benchmark)
public class ContendedMutexBenchmark {
    private static final int THREADS = 8 * Runtime.getRuntime().availableProcessors();
    private static final int ROUNDS = 10_000;

    // An annotation cannot compute the number of processors: made for 2, checked in open().
    private static final int OPERATIONS = 16 * ROUNDS;

    @Param({"evenweave", "jdk"})
    String scheduler = "";

    private ThreadFactory factory = Thread.ofVirtual().factory();
    private AutoCloseable closing = () -> {};

    @Setup(Level.Trial)
    public void open() {
        if (THREADS * ROUNDS != OPERATIONS) {
            System.out.println("# times are for 16 threads; here are " + THREADS + ": multiply by 16 / " + THREADS);
        }
        if (scheduler.equals("evenweave")) {
            Scheduler opened = Scheduler.builder().build();
            closing = opened;
            factory = opened.newThreadFactory();
        }
    }

    @TearDown(Level.Trial)
    public void close() throws Exception {
        closing.close();
    }

    private static void section() {
        Blackhole.consumeCPU(TOKENS);
    }

    /** About 100 ns on the machine of the published figures. */
    private static final long TOKENS = Long.getLong("tokens", 50);

    @Benchmark
    public void sectionAlone() {
        section();
    }

    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void mutexEvenweave() throws InterruptedException {
        run(new Mutex());
    }

    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void reentrantLockFair() throws InterruptedException {
        run(new ReentrantLock(true));
    }

    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void reentrantLockUnfair() throws InterruptedException {
        run(new ReentrantLock());
    }

    /** On Kotlin's own dispatcher, whatever the scheduler says. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void mutexKotlin() throws InterruptedException {
        kotlinx.coroutines.sync.Mutex mutex = MutexKt.Mutex(false);
        CountDownLatch done = new CountDownLatch(THREADS);
        for (int t = 0; t < THREADS; t++) {
            new KotlinWorker(mutex, ContendedMutexBenchmark::section, ROUNDS, done).start();
        }
        done.await();
    }

    private void run(Lock lock) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            threads.add(factory.newThread(() -> {
                for (int i = 0; i < ROUNDS; i++) {
                    lock.lock();
                    try {
                        section();
                    } finally {
                        lock.unlock();
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
