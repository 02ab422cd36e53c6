// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.frameworks;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Programs as others write them, started with all their virtual threads on Evenweave. */
@Timeout(300)
@DisabledOnOs(OS.WINDOWS)
class FrameworksIT {
    private static final int REQUESTS = 300;
    private static final String ON_EVENWEAVE = "evenweave-carrier";

    @ParameterizedTest
    @EnumSource(names = {"RUN", "AGENT"})
    void jetty(Road road) throws Exception {
        endsWithItsInput(road, JettyProgram.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"RUN", "AGENT"})
    void helidon(Road road) throws Exception {
        endsWithItsInput(road, HelidonProgram.class);
    }

    /** Nested jars, which a class loader of Spring's own opens; Tomcat; a pool of database connections; a signal at the end. */
    @ParameterizedTest
    @EnumSource
    void springBootInOneJar(Road road) throws Exception {
        Path jar = Path.of("target", "spring-app-app.jar");
        try (Service service = new Service(road.command(List.of("-jar", jar.toString())))) {
            int port = service.port();
            assertThat(answers(port, i -> "/thread"))
                    .allSatisfy(answer -> assertThat(answer).contains(ON_EVENWEAVE));
            assertThat(answers(port, i -> "/order?id=" + i))
                    .allSatisfy(answer -> assertThat(answer).contains(ON_EVENWEAVE));
            assertThat(answers(port, i -> "/orders")).containsOnly(Integer.toString(REQUESTS));
            service.process.toHandle().destroy(); // SIGTERM, and its output stays open
            service.await();
            assertThat(service.process.exitValue()).as("%s", service.errors()).isEqualTo(143);
            assertThat(service.errors()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RUN", "AGENT"})
    void aPoolOfDatabaseConnections(Road road) throws Exception {
        try (Service service =
                new Service(road.command(List.of("-cp", classPath(), DatabaseProgram.class.getName(), "200", "20")))) {
            List<String> said = service.await().lines().toList();
            assertThat(service.process.exitValue()).as("%s", service.errors()).isZero();
            assertThat(said.stream().filter(line -> line.startsWith("thread ")))
                    .hasSize(200)
                    .allSatisfy(line -> assertThat(line).contains(ON_EVENWEAVE));
            assertThat(said).contains("sum 100000", "closed");
        }
    }

    private static void endsWithItsInput(Road road, Class<?> program) throws Exception {
        try (Service service = new Service(road.command(List.of("-cp", classPath(), program.getName())))) {
            int port = service.port();
            assertThat(answers(port, i -> "/thread"))
                    .allSatisfy(answer -> assertThat(answer).contains(ON_EVENWEAVE));
            service.endInput();
            assertThat(service.await()).as("%s", service.errors()).endsWith("stopped");
            assertThat(service.process.exitValue()).isZero();
        }
    }

    /** Asks for all at once, and waits for all. */
    private static List<String> answers(int port, IntFunction<String> path) {
        try (HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path.apply(i)))
                        .build();
                asked.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
            }
            return asked.stream()
                    .map(CompletableFuture::join)
                    .peek(response -> assertThat(response.statusCode()).isEqualTo(200))
                    .map(HttpResponse::body)
                    .toList();
        }
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }
}
