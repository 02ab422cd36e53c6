// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.frameworks;

import io.helidon.webserver.WebServer;

/** Helidon's server, all of whose requests run on virtual threads. Prints its port; ends when its standard input does. */
public final class HelidonProgram {
    private HelidonProgram() {}

    public static void main(String[] args) throws Exception {
        WebServer server = WebServer.builder()
                .host("127.0.0.1")
                .port(0)
                .routing(routing -> routing.get(
                        "/thread",
                        (request, response) ->
                                response.send(Thread.currentThread().toString())))
                .build()
                .start();
        System.out.println("port " + server.port());
        while (System.in.read() >= 0) {
            // whoever started this is still there
        }
        server.stop();
        System.out.println("stopped");
    }
}
