// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks.channel;

import dev.evenweave.channel.Channel;
import dev.evenweave.channel.ReceiveCase;
import dev.evenweave.channel.Selector;
import dev.evenweave.scheduler.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
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
 * Channels between virtual threads, on Evenweave's scheduler and on the JDK's, beside the JDK's queues. docs/go/channels
 * has the same rows in Go. {@code -p processors=1} for one carrier; {@code -prof gc} shows the bytes per operation.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 3,
        jvmArgs = {"--add-opens=java.base/java.lang=ALL-UNNAMED", "-Djdk.virtualThreadScheduler.parallelism=2"})
@State(Scope.Benchmark)
public class ChannelBenchmark {
    private static final int BATCH = 40_000;
    private static final int RING = 1000;
    private static final Integer ELEMENT = 7;

    @Param({"evenweave", "jdk"})
    String scheduler = "";

    /** For the JDK's scheduler give its number of carriers by the flag above. */
    @Param("2")
    int processors;

    private ThreadFactory factory = Thread.ofVirtual().factory();
    private AutoCloseable closing = () -> {};

    /** What may be interrupted. */
    private interface Body {
        void run() throws InterruptedException;
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

    private Thread thread(Body body) {
        return factory.newThread(() -> {
            try {
                body.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Runs all bodies, started by one virtual thread, and waits for their ends. */
    private void all(List<Body> bodies) throws InterruptedException {
        Thread starter = thread(() -> {
            List<Thread> threads = new ArrayList<>();
            for (Body body : bodies) {
                Thread one = thread(body);
                threads.add(one);
                one.start();
            }
            for (Thread one : threads) {
                one.join();
            }
        });
        starter.start();
        starter.join();
    }

    private static Body times(int n, Body body) {
        return () -> {
            for (int i = 0; i < n; i++) {
                body.run();
            }
        };
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void pingPong() throws InterruptedException {
        Channel<Integer> there = Channel.unbuffered();
        Channel<Integer> back = Channel.unbuffered();
        all(List.of(times(BATCH, () -> back.send(there.receive())), times(BATCH, () -> {
            there.send(ELEMENT);
            back.receive();
        })));
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void pingPongSynchronousQueue() throws InterruptedException {
        SynchronousQueue<Integer> there = new SynchronousQueue<>();
        SynchronousQueue<Integer> back = new SynchronousQueue<>();
        all(List.of(times(BATCH, () -> back.put(there.take())), times(BATCH, () -> {
            there.put(ELEMENT);
            back.take();
        })));
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void stream128() throws InterruptedException {
        channel(1);
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void fourToFour128() throws InterruptedException {
        channel(4);
    }

    private void channel(int pairs) throws InterruptedException {
        Channel<Integer> channel = Channel.buffered(128);
        List<Body> bodies = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            bodies.add(times(BATCH / pairs, channel::receive));
            bodies.add(times(BATCH / pairs, () -> channel.send(ELEMENT)));
        }
        all(bodies);
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void stream128ArrayBlockingQueue() throws InterruptedException {
        queue(1, new ArrayBlockingQueue<>(128));
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void stream128LinkedBlockingQueue() throws InterruptedException {
        queue(1, new LinkedBlockingQueue<>(128));
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void fourToFour128ArrayBlockingQueue() throws InterruptedException {
        queue(4, new ArrayBlockingQueue<>(128));
    }

    private void queue(int pairs, BlockingQueue<Integer> queue) throws InterruptedException {
        List<Body> bodies = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            bodies.add(times(BATCH / pairs, queue::take));
            bodies.add(times(BATCH / pairs, () -> queue.put(ELEMENT)));
        }
        all(bodies);
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void selectReady() throws InterruptedException {
        Channel<Integer> ready = Channel.buffered(1);
        Selector selector = new Selector();
        selector.receive(ready);
        selector.receive(Channel.unbuffered());
        all(List.of(times(BATCH, () -> {
            ready.send(ELEMENT);
            selector.select();
        })));
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void selectPingPong() throws InterruptedException {
        Channel<Integer> there = Channel.unbuffered();
        Channel<Integer> back = Channel.unbuffered();
        Selector answering = new Selector();
        ReceiveCase<Integer> question = answering.receive(there);
        answering.receive(Channel.unbuffered());
        Selector asking = new Selector();
        asking.receive(back);
        asking.receive(Channel.unbuffered());
        all(List.of(
                times(BATCH, () -> {
                    answering.select();
                    back.send(question.element());
                }),
                times(BATCH, () -> {
                    there.send(ELEMENT);
                    asking.select();
                })));
    }

    /** Per hop of a token round a ring of 1000 threads. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void ring1000() throws InterruptedException {
        List<Channel<Integer>> ring = new ArrayList<>();
        for (int i = 0; i < RING; i++) {
            ring.add(Channel.unbuffered());
        }
        List<Body> bodies = new ArrayList<>();
        for (int i = 1; i < RING; i++) {
            Channel<Integer> from = ring.get(i - 1);
            Channel<Integer> to = ring.get(i);
            bodies.add(times(BATCH / RING, () -> to.send(from.receive())));
        }
        bodies.add(times(BATCH / RING, () -> {
            ring.getFirst().send(ELEMENT);
            ring.getLast().receive();
        }));
        all(bodies);
    }
}
