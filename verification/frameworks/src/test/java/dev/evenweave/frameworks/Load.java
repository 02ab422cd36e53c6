// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.frameworks;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.FutureTask;

/**
 * Starts a server, keeps some connections busy with one request after the other, and prints how many were answered in a
 * second, and how much processor time the server took for each.
 */
public final class Load {
    private Load() {}

    /** Connections, seconds of warm-up, seconds, and the command of the server. */
    public static void main(String[] args) throws Exception {
        int connections = Integer.parseInt(args[0]);
        double warm = Double.parseDouble(args[1]);
        double seconds = Double.parseDouble(args[2]);
        try (Service service = new Service(List.of(args).subList(3, args.length))) {
            int port = service.port();
            perSecond(port, connections, warm);
            long before = cpuMicros(service.process);
            double perSecond = perSecond(port, connections, seconds);
            double micros = cpuMicros(service.process) - before;
            System.out.printf(Locale.ROOT, "requestsPerSecond %.1f 1/s%n", perSecond);
            System.out.printf(Locale.ROOT, "cpuPerRequest %.2f us%n", micros / (perSecond * seconds));
            service.endInput();
            service.process.toHandle().destroy();
            service.await();
        }
        System.exit(0);
    }

    /** Whatever else uses the machine, this tells what a request costs the server. */
    private static long cpuMicros(Process process) {
        return process.info().totalCpuDuration().orElseThrow().toNanos() / 1_000;
    }

    private static double perSecond(int port, int connections, double seconds) throws Exception {
        long start = System.nanoTime();
        List<FutureTask<Long>> clients = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            FutureTask<Long> client = new FutureTask<>(() -> requests(port, start + (long) (seconds * 1e9)));
            clients.add(client);
            Thread.ofPlatform().daemon().start(client);
        }
        long requests = 0;
        for (FutureTask<Long> client : clients) {
            requests += client.get();
        }
        return requests * 1e9 / (System.nanoTime() - start);
    }

    private static long requests(int port, long end) throws IOException {
        byte[] request = "GET /thread HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        long count = 0;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            while (System.nanoTime() < end) {
                out.write(request);
                skipAnswer(in);
                count++;
            }
        }
        return count;
    }

    private static void skipAnswer(InputStream in) throws IOException {
        String status = line(in);
        if (!status.startsWith("HTTP/1.1 200")) {
            throw new IOException("answered with " + status);
        }
        int length = -1;
        for (String header; !(header = line(in)).isEmpty(); ) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(
                        header.substring("content-length:".length()).strip());
            }
        }
        if (length < 0) {
            throw new IOException("an answer without a length");
        }
        in.skipNBytes(length);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c; (c = in.read()) != '\n'; ) {
            if (c < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
