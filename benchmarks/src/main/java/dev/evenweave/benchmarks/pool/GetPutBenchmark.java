// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks.pool;

import dev.evenweave.benchmarks.pool.Shape.Thing;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One get and one put, with nothing in between and with a call in between, for each pool.
 *
 * <p>The threads are platform threads; with {@code -Djmh.executor=VIRTUAL} they are virtual threads of the JDK, and with
 * {@code -Djmh.executor=CUSTOM -Djmh.executor.class=dev.evenweave.benchmarks.pool.OnCarriers} virtual threads of Evenweave.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgs = "--add-opens=java.base/java.lang=ALL-UNNAMED")
@State(Scope.Benchmark)
public class GetPutBenchmark {
    @Param({
        "evenweave",
        "ThreadLocal",
        "ConcurrentLinkedQueue",
        "MpmcArrayQueue",
        "Recycler",
        "Stormpot",
        "commons-pool2"
    })
    String pool = "";

    private Shape shape = Shape.of("evenweave");
    private final Thing thing = new Thing(null);

    @Setup
    public void setUp() {
        shape = Shape.of(pool);
    }

    @Benchmark
    public Thing pair() {
        Thing taken = shape.get();
        taken.uses++;
        shape.put(taken);
        return taken;
    }

    @Benchmark
    public Thing pairAroundCall() {
        Thing taken = shape.get();
        use(taken);
        shape.put(taken);
        return taken;
    }

    /** What pairAroundCall costs without a pool. */
    @Benchmark
    public Thing call() {
        use(thing);
        return thing;
    }

    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    private void use(Thing taken) {
        taken.uses++;
    }
}
