// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks.sync;

import dev.evenweave.sync.Mutex;
import dev.evenweave.sync.RwLock;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One thread takes and gives back what nobody else wants. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(5)
@State(Scope.Benchmark)
public class UncontendedBenchmark {
    private final dev.evenweave.sync.Semaphore semaphore = new dev.evenweave.sync.Semaphore(1);
    private final Semaphore jdkSemaphore = new Semaphore(1);
    private final Mutex mutex = new Mutex();
    private final ReentrantLock reentrantLock = new ReentrantLock();
    private final Lock readLock = new RwLock().readLock();
    private final Lock jdkReadLock = new ReentrantReadWriteLock().readLock();

    @Benchmark
    public void semaphoreEvenweave() throws InterruptedException {
        semaphore.acquire();
        semaphore.release();
    }

    @Benchmark
    public void semaphoreJdk() throws InterruptedException {
        jdkSemaphore.acquire();
        jdkSemaphore.release();
    }

    @Benchmark
    public void mutexEvenweave() {
        mutex.lock();
        mutex.unlock();
    }

    @Benchmark
    public void mutexJdk() {
        reentrantLock.lock();
        reentrantLock.unlock();
    }

    @Benchmark
    public void readEvenweave() {
        readLock.lock();
        readLock.unlock();
    }

    @Benchmark
    public void readJdk() {
        jdkReadLock.lock();
        jdkReadLock.unlock();
    }
}
