// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks.sync;

import dev.evenweave.sync.Lazy;
import dev.evenweave.sync.Once;
import dev.evenweave.sync.OnceCell;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Asking for what has been done already: one acquire load. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(5)
@State(Scope.Benchmark)
public class OnceBenchmark {
    private static final Runnable BODY = () -> {};

    private final Once once = new Once();
    private final OnceCell<String> cell = OnceCell.of("value");
    private final Lazy<String> lazy = Lazy.ofValue("value");

    @Setup
    public void complete() throws InterruptedException {
        once.run(BODY);
    }

    @Benchmark
    public boolean onceCompleted() throws InterruptedException {
        return once.run(BODY);
    }

    @Benchmark
    public String cellInitialized() throws InterruptedException {
        return cell.getOrInit(() -> "other");
    }

    @Benchmark
    public String lazyComplete() throws InterruptedException {
        return lazy.get();
    }
}
