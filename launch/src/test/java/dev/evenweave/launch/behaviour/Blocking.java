// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch.behaviour;

import static dev.evenweave.launch.behaviour.Behaviours.get;
import static dev.evenweave.launch.behaviour.Behaviours.onMany;
import static dev.evenweave.launch.behaviour.Behaviours.onVirtualThread;
import static dev.evenweave.launch.behaviour.Behaviours.require;
import static dev.evenweave.launch.behaviour.Behaviours.requireEvenweave;

import com.sun.net.httpserver.HttpServer;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls that wait for the world outside. */
final class Blocking {
    private Blocking() {}

    static void sockets() throws Exception {
        int clients = 50;
        int messages = 20;
        try (ServerSocket server = new ServerSocket(0, clients, InetAddress.getLoopbackAddress())) {
            FutureTask<Void> acceptor = new FutureTask<>(() -> {
                for (int i = 0; i < clients; i++) {
                    Socket socket = server.accept();
                    Thread.startVirtualThread(() -> echo(socket));
                }
                return null;
            });
            Thread.startVirtualThread(acceptor);
            onMany(clients, () -> {
                try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                    InputStream in = socket.getInputStream();
                    OutputStream out = socket.getOutputStream();
                    for (int i = 0; i < messages; i++) {
                        out.write(i);
                        require(in.read() == i, "another byte came back");
                    }
                }
            });
            get(acceptor);
        }
    }

    private static void echo(Socket socket) {
        requireEvenweave();
        try (socket) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            for (int b; (b = in.read()) >= 0; ) {
                out.write(b);
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static void socketTimeouts() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            onMany(10, () -> {
                try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                    socket.setSoTimeout(30);
                    long start = System.nanoTime();
                    try {
                        socket.getInputStream().read();
                        throw new AssertionError("read something from a server that says nothing");
                    } catch (SocketTimeoutException expected) {
                        require(System.nanoTime() - start >= 29_000_000, "the time-out came early");
                    }
                }
            });
        }
    }

    static void http() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        AtomicInteger served = new AtomicInteger();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                HttpClient client = HttpClient.newBuilder().executor(threads).build()) {
            server.setExecutor(threads);
            server.createContext("/", exchange -> {
                requireEvenweave();
                served.incrementAndGet();
                byte[] answer = exchange.getRequestURI().getPath().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, answer.length);
                try (OutputStream body = exchange.getResponseBody()) {
                    body.write(answer);
                }
            });
            server.start();
            URI address = URI.create("http://localhost:" + server.getAddress().getPort() + "/hello");
            onMany(100, () -> {
                HttpResponse<String> response =
                        client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
                require(response.body().equals("/hello"), "another answer: " + response.body());
            });
            require(served.get() == 100, "served " + served);
        } finally {
            server.stop(0);
        }
    }

    static void process() throws Exception {
        String java = ProcessHandle.current().info().command().orElseThrow();
        int code = onVirtualThread(() -> {
            Process process = new ProcessBuilder(java, "--version")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            require(said.contains(Integer.toString(Runtime.version().feature())), "it said: " + said);
            return process.waitFor();
        });
        require(code == 0, "exit code " + code);
    }

    static void files() throws Exception {
        Path folder = Files.createTempDirectory("evenweave-files");
        AtomicInteger name = new AtomicInteger();
        onMany(20, () -> {
            Path file = folder.resolve("file-" + name.incrementAndGet());
            byte[] written = new byte[100_000];
            java.util.Arrays.fill(written, (byte) 7);
            Files.write(file, written);
            try (InputStream in = Files.newInputStream(file)) {
                require(java.util.Arrays.equals(in.readAllBytes(), written), "read something else");
            }
            Files.delete(file);
        });
        Files.delete(folder);
    }

    static void dns() throws Exception {
        InetAddress[] found = onVirtualThread(() -> InetAddress.getAllByName("localhost"));
        require(found.length > 0 && found[0].isLoopbackAddress(), "localhost is elsewhere");
    }
}
