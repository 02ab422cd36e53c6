// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.hogs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/*
 * Purpose. Light requests at a fixed rate, whatever becomes of those before. The time of a request is counted from when it
 * was due and not from when it could be sent: a server that stops for a second makes all requests of that second late, and
 * counting from the sending would hide all but one of them (coordinated omission).
 */
/** Light requests at a fixed rate over some connections. */
final class LightLoad {
    private static final long LONGEST_NANOS = 600_000_000_000L;

    private LightLoad() {}

    /**
     * What became of them.
     *
     * @param nanos from when each request was due to its answer
     * @param seconds from the start to the last answer
     */
    record Result(Histogram nanos, double seconds) {}

    /**
     * Sends requests until all that are due within the time have been answered.
     *
     * @param perSecond requests a second over each connection
     */
    static Result run(int port, int connections, int perSecond, double seconds)
            throws IOException, InterruptedException {
        long interval = 1_000_000_000L / perSecond;
        int requests = (int) (seconds * perSecond);
        long start = System.nanoTime() + 50_000_000;
        List<FutureTask<Histogram>> tasks = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            // The connections do not send in step.
            long first = start + interval * i / connections;
            FutureTask<Histogram> task = new FutureTask<>(() -> client(port, first, interval, requests));
            tasks.add(task);
            Thread.ofPlatform().name("client-" + i).daemon().start(task);
        }
        Histogram all = new Histogram(LONGEST_NANOS, 3);
        for (FutureTask<Histogram> task : tasks) {
            try {
                all.add(task.get());
            } catch (ExecutionException e) {
                throw new IOException("a client failed: " + e.getCause(), e);
            }
        }
        return new Result(all, (System.nanoTime() - start) / 1e9);
    }

    private static Histogram client(int port, long first, long interval, int requests) throws IOException {
        Histogram nanos = new Histogram(LONGEST_NANOS, 3);
        try (Connection connection = new Connection(port)) {
            for (int i = 0; i < requests; i++) {
                long due = first + i * interval;
                for (long left; (left = due - System.nanoTime()) > 0; ) {
                    LockSupport.parkNanos(left);
                }
                connection.get("/light");
                nanos.recordValue(System.nanoTime() - due);
            }
        }
        return nanos;
    }
}
