// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks.sync;

import dev.evenweave.sync.ClosedException;
import dev.evenweave.sync.Semaphore;
import dev.evenweave.sync.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

/** 100 000 wait at a semaphore that is closed: one operation is the call of close, which wakes or calls them all. */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 10)
@Measurement(iterations = 10)
@Fork(3)
@State(Scope.Benchmark)
public class CloseBenchmark {
    private static final int WAITERS = 100_000;

    @Param({"callbacks", "virtual threads"})
    String kind = "";

    private Semaphore semaphore = new Semaphore(0);
    private final List<Thread> threads = new ArrayList<>();
    private final List<Counting> waiters = new ArrayList<>();

    private static final class Counting extends Waiter {
        private int calls;

        @Override
        protected void completed(@Nullable Throwable failure) {
            calls++;
        }
    }

    @Setup(Level.Invocation)
    public void wait100k() {
        semaphore = new Semaphore(0);
        if (kind.equals("callbacks")) {
            for (int i = 0; i < WAITERS; i++) {
                if (waiters.size() == i) {
                    waiters.add(new Counting());
                }
                if (semaphore.acquire(1, waiters.get(i))) {
                    throw new IllegalStateException("a permit from nowhere");
                }
            }
        } else {
            Semaphore waited = semaphore;
            for (int i = 0; i < WAITERS; i++) {
                threads.add(Thread.startVirtualThread(() -> {
                    try {
                        waited.acquireUninterruptibly();
                    } catch (ClosedException expected) {
                        // The end of the wait.
                    }
                }));
            }
            while (semaphore.queueLength() < WAITERS) {
                Thread.onSpinWait();
            }
        }
    }

    @Benchmark
    public int close() {
        semaphore.close();
        return semaphore.queueLength();
    }

    @TearDown(Level.Invocation)
    public void joinAll() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
        threads.clear();
    }
}
