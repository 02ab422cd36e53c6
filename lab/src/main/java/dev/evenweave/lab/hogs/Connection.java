// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.hogs;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One connection that is kept and asked again: as little as a client can do, so that it takes little of the machine. */
public final class Connection implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    /** Connects to a server on this machine. */
    public Connection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** Asks for a path and returns the body of the answer. */
    public String get(String path) throws IOException {
        out.write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        String status = line();
        if (!status.startsWith("HTTP/1.1 200")) {
            throw new IOException(path + " was answered with " + status);
        }
        int length = 0;
        for (String header; !(header = line()).isEmpty(); ) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(
                        lower.substring("content-length:".length()).strip());
            }
        }
        return new String(in.readNBytes(length), StandardCharsets.US_ASCII);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int c = in.read();
            if (c < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (c == '\n') {
                return line.toString();
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
