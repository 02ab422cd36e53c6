// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.frameworks;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Jetty, embedded, with a virtual thread for each request. Prints its port; ends when its standard input does. */
public final class JettyProgram {
    private JettyProgram() {}

    public static void main(String[] args) throws Exception {
        QueuedThreadPool threads = new QueuedThreadPool();
        threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
        Server server = new Server(threads);
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                byte[] body = Thread.currentThread().toString().getBytes(StandardCharsets.UTF_8);
                response.write(true, ByteBuffer.wrap(body), callback);
                return true;
            }
        });
        server.start();
        System.out.println("port " + connector.getLocalPort());
        while (System.in.read() >= 0) {
            // whoever started this is still there
        }
        server.stop();
        System.out.println("stopped");
    }
}
