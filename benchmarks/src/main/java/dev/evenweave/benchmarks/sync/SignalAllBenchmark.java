// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks.sync;

import dev.evenweave.scheduler.Scheduler;
import dev.evenweave.sync.Mutex;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * 10 000 virtual threads wait for one condition; one operation is: signal all, and all of them get the lock, one after the
 * other, and wait again for the next.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 5, jvmArgs = "--add-opens=java.base/java.lang=ALL-UNNAMED")
@State(Scope.Benchmark)
public class SignalAllBenchmark {
    private static final int WAITERS = 10_000;

    @Param({"evenweave", "jdk"})
    String scheduler = "";

    @Param({"evenweave", "jdk"})
    String lock = "";

    private AutoCloseable closing = () -> {};
    private Lock mutex = new ReentrantLock();
    private Condition condition = mutex.newCondition();
    private Condition allWait = mutex.newCondition();
    private final List<Thread> threads = new ArrayList<>();
    private int waiting;
    private long round;
    private boolean over;

    @Setup(Level.Trial)
    public void open() throws InterruptedException {
        ThreadFactory factory = Thread.ofVirtual().factory();
        if (scheduler.equals("evenweave")) {
            Scheduler opened = Scheduler.builder().build();
            closing = opened;
            factory = opened.newThreadFactory();
        }
        mutex = lock.equals("evenweave") ? new Mutex() : new ReentrantLock(true);
        condition = mutex.newCondition();
        allWait = mutex.newCondition();
        for (int i = 0; i < WAITERS; i++) {
            Thread thread = factory.newThread(this::waitForRounds);
            threads.add(thread);
            thread.start();
        }
        mutex.lock();
        while (waiting < WAITERS) {
            allWait.await();
        }
        mutex.unlock();
    }

    private void waitForRounds() {
        mutex.lock();
        try {
            long seen = round;
            while (!over) {
                if (++waiting == WAITERS) {
                    allWait.signal();
                }
                while (round == seen && !over) {
                    condition.awaitUninterruptibly();
                }
                seen = round;
            }
        } finally {
            mutex.unlock();
        }
    }

    @Benchmark
    public void signalAll() throws InterruptedException {
        mutex.lock();
        try {
            waiting = 0;
            round++;
            condition.signalAll();
            while (waiting < WAITERS) {
                allWait.await();
            }
        } finally {
            mutex.unlock();
        }
    }

    @TearDown(Level.Trial)
    public void close() throws Exception {
        mutex.lock();
        over = true;
        condition.signalAll();
        mutex.unlock();
        for (Thread thread : threads) {
            thread.join();
        }
        closing.close();
    }
}
