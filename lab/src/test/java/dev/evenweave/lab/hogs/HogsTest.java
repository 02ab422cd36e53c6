// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.hogs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.engine.Laboratory;
import dev.evenweave.lab.engine.Outcome;
import dev.evenweave.lab.engine.Progress;
import dev.evenweave.lab.engine.Sample;
import dev.evenweave.lab.engine.Settings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HogsTest {

    @ParameterizedTest
    @ValueSource(strings = {HogsExperiment.JDK, HogsExperiment.EVENWEAVE})
    void aRunMeasuresEveryMetric(String arm) throws Exception {
        HogsExperiment experiment = new HogsExperiment(List.of(1), 0.02, 2, 20, 0.3, 0.1, List.of());
        assertThat(experiment.run("hogs=1", arm))
                .allSatisfy(sample -> assertThat(sample.value()).isPositive())
                .extracting(Sample::metric)
                .containsExactly("p50Ms", "p99Ms", "worstMs", "requestsPerSecond", "hogStepsPerCpuSecond");
    }

    @Test
    void allThatWasDueIsCounted() throws Exception {
        // A server that answers nothing before the last request was due: every request is there, and the first is the
        // worst.
        var server = com.sun.net.httpserver.HttpServer.create(
                new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0), 10);
        List<Long> arrivals = new ArrayList<>();
        server.createContext("/light", exchange -> {
            if (arrivals.isEmpty()) {
                java.util.concurrent.locks.LockSupport.parkNanos(100_000_000);
            }
            arrivals.add(System.nanoTime());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        try {
            LightLoad.Result result = LightLoad.run(server.getAddress().getPort(), 1, 100, 0.1);
            assertThat(result.nanos().getTotalCount()).isEqualTo(10);
            assertThat(arrivals).hasSize(10);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void theTableOfTheDemoNamesBothSchedulers() {
        HogsExperiment numbers = new HogsExperiment(List.of(4), 1, 1, 1, 1, 1, List.of());
        Outcome outcome = new Laboratory(new Settings(1, 0, false, 100, 0), Progress.SILENT)
                .carryOut(new FakeExperiment(numbers));
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        DemoCommand.table(outcome, out);
        out.flush();
        assertThat(text.toString())
                .containsPattern("half of light requests within +2\\.50 s +2\\.5 ms")
                .containsPattern("the worst +- +-");
    }

    private record FakeExperiment(HogsExperiment like) implements dev.evenweave.lab.engine.Experiment {
        @Override
        public String name() {
            return like.name();
        }

        @Override
        public String question() {
            return like.question();
        }

        @Override
        public List<String> arms() {
            return like.arms();
        }

        @Override
        public List<String> scenarios() {
            return like.scenarios();
        }

        @Override
        public List<Sample> run(String scenario, String arm) {
            return List.of(new Sample("p50Ms", "ms", Better.LOWER, arm.equals(HogsExperiment.JDK) ? 2_500 : 2.5));
        }
    }
}
