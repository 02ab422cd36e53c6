// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.handover;

import com.sun.net.httpserver.HttpServer;
import dev.evenweave.lab.engine.SampleLines;
import dev.evenweave.lab.hogs.Connection;
import dev.evenweave.lab.starvation.ClockReader;
import dev.evenweave.scheduler.Policy;
import dev.evenweave.scheduler.Scheduler;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One run: a scenario on one scheduler, printed as {@code name value unit} lines. */
public final class HandOverRun {
    static final double WARM_SECONDS = 1;

    private static final int CONNECTIONS = 16;
    private static final int NATIVE_CALLS = 10;

    /** A thread that has not run after this long is taken not to run at all. */
    private static final long NATIVE_LIMIT_MILLIS = 300;

    /** A computation between two checkpoints: some microseconds. */
    private static final int STEPS_PER_POLL = 1_000;

    private final ThreadFactory threads;
    private final @Nullable Scheduler scheduler;
    private volatile boolean stopped;
    private volatile Thread ping = Thread.currentThread();
    private volatile Thread pong = Thread.currentThread();
    private volatile boolean ballAtPong;

    private HandOverRun(Scenario scenario, String arm) {
        if (arm.equals(HandOverExperiment.JDK)) {
            scheduler = null;
            threads = Thread.ofVirtual().factory();
        } else {
            Policy policy = Policy.defaults().toBuilder()
                    .handOver(arm.equals(HandOverExperiment.ON))
                    .build();
            // Not closed: the JVM ends here, whatever the threads are at.
            scheduler = Scheduler.builder()
                    .parallelism(scenario.processors)
                    .policy(policy)
                    .build();
            threads = scheduler.newThreadFactory();
        }
    }

    /** The scenario, the arm, and seconds. */
    public static void main(String[] args) throws Exception {
        Scenario scenario = Scenario.of(args[0]).orElseThrow();
        HandOverRun run = new HandOverRun(scenario, args[1]);
        double seconds = Double.parseDouble(args[2]);
        switch (scenario) {
            case SPIN_1 -> run.spin(1, seconds);
            case SPIN_4 -> run.spin(4, seconds);
            case NATIVE -> run.blockNatively();
            case POLLS -> run.poll(2 * scenario.processors, seconds);
            case PINGPONG -> run.playPingPong(seconds);
            case HTTP -> run.serve(seconds);
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    // ---- threads that do not make room

    private void spin(int hogs, double seconds) throws InterruptedException {
        spinOnce(0, WARM_SECONDS); // the reader's code is compiled before it counts
        ClockReader reader = spinOnce(hogs, seconds);
        SampleLines.print("worstGapMs", reader.worstNanos() / 1e6, "ms");
    }

    private ClockReader spinOnce(int hogs, double seconds) throws InterruptedException {
        stopped = false;
        for (int i = 0; i < hogs; i++) {
            threads.newThread(this::spinUntilStopped).start();
        }
        long begin = System.nanoTime();
        ClockReader reader = new ClockReader(begin, begin + nanos(seconds));
        Thread thread = threads.newThread(reader);
        thread.start();
        TimeUnit.NANOSECONDS.sleep(nanos(seconds));
        stopped = true;
        thread.join();
        return reader;
    }

    private void spinUntilStopped() {
        while (!stopped) {
            Thread.onSpinWait();
        }
    }

    private void blockNatively() throws InterruptedException, ExecutionException {
        long worstOther = 0;
        long worstReleased = 0;
        Pipe pipe = new Pipe();
        pipe.write(); // the calls are linked before they count
        pipe.read();
        for (int i = 0; i < NATIVE_CALLS; i++) {
            CompletableFuture<Boolean> reads = new CompletableFuture<>();
            CompletableFuture<Long> hasRead = new CompletableFuture<>();
            CompletableFuture<Long> other = new CompletableFuture<>();
            threads.newThread(() -> {
                        reads.complete(true);
                        pipe.read();
                        hasRead.complete(System.nanoTime());
                    })
                    .start();
            reads.get();
            TimeUnit.MILLISECONDS.sleep(5); // in the call by now
            long start = System.nanoTime();
            threads.newThread(() -> {
                        other.complete(System.nanoTime());
                        pipe.write();
                    })
                    .start();
            worstOther = Math.max(worstOther, within(other) - start);
            boolean stuck = !other.isDone();
            if (stuck) {
                pipe.write(); // so that it goes on
            }
            worstReleased = Math.max(worstReleased, hasRead.get() - start);
            if (stuck) {
                pipe.read(); // what the other writes after all
            }
        }
        SampleLines.print("otherRunsMs", worstOther / 1e6, "ms");
        SampleLines.print("releasedMs", worstReleased / 1e6, "ms");
    }

    private static long within(CompletableFuture<Long> time) throws InterruptedException, ExecutionException {
        try {
            return time.get(NATIVE_LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return System.nanoTime();
        }
    }

    // ---- threads that make room

    private void poll(int count, double seconds) throws InterruptedException {
        long[] warm = pollOnce(count, WARM_SECONDS);
        long[] steps = pollOnce(count, seconds);
        long least = Arrays.stream(steps).min().orElseThrow();
        long all = Arrays.stream(steps).sum();
        if (warm.length != count || all == 0) {
            throw new IllegalStateException("nothing was computed");
        }
        SampleLines.print("leastSharePercent", 100.0 * count * least / all, "%");
        handOvers(0, seconds);
    }

    private long[] pollOnce(int count, double seconds) throws InterruptedException {
        stopped = false;
        long[] steps = new long[count];
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int own = i;
            Thread thread = threads.newThread(() -> steps[own] = countPolls());
            all.add(thread);
            thread.start();
        }
        TimeUnit.NANOSECONDS.sleep(nanos(seconds));
        stopped = true;
        for (Thread thread : all) {
            thread.join();
        }
        return steps;
    }

    private long countPolls() {
        long polls = 0;
        long state = 1;
        while (!stopped) {
            for (int i = 0; i < STEPS_PER_POLL; i++) {
                state = state * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
            }
            polls += state == 0 ? 2 : 1; // the state is of use
            Scheduler.checkpoint();
        }
        return polls;
    }

    private void playPingPong(double seconds) throws InterruptedException {
        playOnce(WARM_SECONDS);
        long before = handOvers();
        long roundTrips = playOnce(seconds);
        SampleLines.print("roundTripsPerSecond", roundTrips / seconds, "1/s");
        handOvers(before, seconds);
    }

    private long playOnce(double seconds) throws InterruptedException {
        stopped = false;
        ballAtPong = false;
        long[] trips = new long[1];
        Thread second = threads.newThread(() -> {
            while (true) {
                while (!ballAtPong) {
                    LockSupport.park();
                }
                ballAtPong = false;
                LockSupport.unpark(ping);
                if (stopped) {
                    return;
                }
            }
        });
        Thread first = threads.newThread(() -> {
            while (second.isAlive()) {
                ballAtPong = true;
                LockSupport.unpark(second);
                while (ballAtPong && second.isAlive()) {
                    LockSupport.park();
                }
                trips[0]++;
            }
        });
        ping = first;
        pong = second;
        pong.start();
        first.start();
        TimeUnit.NANOSECONDS.sleep(nanos(seconds));
        stopped = true;
        second.join();
        LockSupport.unpark(first);
        first.join();
        return trips[0];
    }

    private void serve(double seconds) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(Executors.newThreadPerTaskExecutor(threads));
        server.createContext("/echo", exchange -> {
            byte[] body = exchange.getRequestURI().getQuery().getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        });
        server.start();
        int port = server.getAddress().getPort();
        ask(port, 3 * WARM_SECONDS);
        long before = handOvers();
        SampleLines.print("roundTripsPerSecond", ask(port, seconds) / seconds, "1/s");
        handOvers(before, seconds);
        server.stop(0);
    }

    private static long ask(int port, double seconds) throws Exception {
        long end = System.nanoTime() + nanos(seconds);
        List<FutureTask<Long>> clients = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            FutureTask<Long> client = new FutureTask<>(() -> {
                long count = 0;
                try (Connection connection = new Connection(port)) {
                    while (System.nanoTime() < end) {
                        connection.get("/echo?hello");
                        count++;
                    }
                }
                return count;
            });
            clients.add(client);
            Thread.ofPlatform().daemon().start(client);
        }
        long count = 0;
        for (FutureTask<Long> client : clients) {
            count += client.get();
        }
        return count;
    }

    private long handOvers() {
        return scheduler == null ? 0 : scheduler.stats().total().handOvers();
    }

    private void handOvers(long before, double seconds) {
        if (scheduler != null) {
            SampleLines.print("handOversPerSecond", (handOvers() - before) / seconds, "1/s");
        }
    }

    private static long nanos(double seconds) {
        return Math.round(seconds * 1e9);
    }
}
