// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks.sync;

import dev.evenweave.sync.Semaphore;
import dev.evenweave.sync.Waiter;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One thread drives a waiter through the callback face. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(5)
@State(Scope.Benchmark)
public class CallbackBenchmark {
    private final Semaphore semaphore = new Semaphore(0);
    private final Counting waiter = new Counting();

    private static final class Counting extends Waiter {
        long calls;

        @Override
        protected void completed(@Nullable Throwable failure) {
            calls++;
        }
    }

    /** Queue, release, callback. */
    @Benchmark
    public long reusedHandOff() {
        boolean now = semaphore.acquire(1, waiter);
        semaphore.release();
        return now ? -1 : waiter.calls;
    }

    /** Queue, leave. */
    @Benchmark
    public boolean reusedCancel() {
        return semaphore.acquire(1, waiter) || semaphore.cancel(waiter);
    }
}
