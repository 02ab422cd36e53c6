// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.hogs;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;

/**
 * A service as anybody would write it: the JDK's HTTP server, a virtual thread for each request. It knows nothing of
 * Evenweave. {@code /light} answers at once; {@code /burn?N} computes N steps and then answers; {@code /speed} says how many
 * steps a second has; {@code /cpu} says how many nanoseconds of processor time this JVM has used. Prints its port, and ends
 * when its standard input does.
 */
public final class ServerProgram {

    private static final long CALIBRATION_STEPS = 50_000_000;

    private ServerProgram() {}

    public static void main(String[] args) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_024);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/light", exchange -> answer(exchange, "ok"));
        server.createContext("/burn", exchange -> {
            long steps = Long.parseLong(exchange.getRequestURI().getQuery());
            answer(exchange, Long.toString(burn(steps)));
        });
        server.createContext("/speed", exchange -> answer(exchange, Long.toString(stepsPerSecond())));
        server.createContext("/cpu", exchange -> answer(exchange, Long.toString(cpuNanos())));
        server.start();
        System.out.println("port " + server.getAddress().getPort());
        while (System.in.read() >= 0) {
            // whoever started this is still there
        }
        System.exit(0);
    }

    /** Work that neither blocks nor allocates nor calls anything. */
    static long burn(long steps) {
        long x = steps | 1;
        for (long i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    /** Measured on a platform thread of its own, so that no scheduler has a part in it; the best of some tries. */
    private static long stepsPerSecond() throws IOException {
        FutureTask<Long> task = new FutureTask<>(() -> {
            long best = Long.MAX_VALUE;
            for (int i = 0; i < 8; i++) {
                long start = System.nanoTime();
                if (burn(CALIBRATION_STEPS + i) == 0) {
                    throw new AssertionError("a step never leads to zero");
                }
                best = Math.min(best, System.nanoTime() - start);
            }
            return (long) (CALIBRATION_STEPS * 1e9 / best);
        });
        Thread.ofPlatform().daemon().start(task);
        try {
            return task.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IOException(e);
        }
    }

    private static long cpuNanos() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.US_ASCII);
        exchange.sendResponseHeaders(200, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }
}
