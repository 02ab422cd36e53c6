// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.hogs;

import dev.evenweave.lab.engine.SampleLines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.HdrHistogram.Histogram;

/** One run: starts the server as its arm says, warms it up, loads it, prints the numbers. */
public final class HogsRun {
    private static final double WARM_BURN_SECONDS = 0.02;

    private HogsRun() {}

    /**
     * Makes the run.
     *
     * @param args hogs, seconds of work of each, connections, requests a second over each, seconds of load, seconds of
     *     warm-up, and then the command that starts the server
     */
    public static void main(String[] args) throws Exception {
        int hogs = Integer.parseInt(args[0]);
        double workSeconds = Double.parseDouble(args[1]);
        int connections = Integer.parseInt(args[2]);
        int perSecond = Integer.parseInt(args[3]);
        double loadSeconds = Double.parseDouble(args[4]);
        double warmSeconds = Double.parseDouble(args[5]);
        List<String> command = List.of(args).subList(6, args.length);
        Process server = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            int port = port(server);
            try (Connection control = new Connection(port)) {
                long speed = Long.parseLong(control.get("/speed"));
                control.get("/burn?" + (long) (speed * WARM_BURN_SECONDS));
                LightLoad.run(port, connections, perSecond, warmSeconds);

                long steps = (long) (speed * workSeconds);
                long cpuBefore = Long.parseLong(control.get("/cpu"));
                List<FutureTask<String>> burns = startHogs(port, hogs, steps);
                LightLoad.Result light = LightLoad.run(port, connections, perSecond, loadSeconds);
                for (FutureTask<String> burn : burns) {
                    burn.get();
                }
                double cpuSeconds = (Long.parseLong(control.get("/cpu")) - cpuBefore) / 1e9;
                print(light);
                if (hogs > 0) {
                    SampleLines.print("hogStepsPerCpuSecond", hogs * steps / cpuSeconds / 1e6, "M/s");
                }
            }
        } finally {
            server.getOutputStream().close(); // it ends by this
            server.waitFor();
        }
        System.exit(0);
    }

    private static List<FutureTask<String>> startHogs(int port, int hogs, long steps)
            throws IOException, InterruptedException, ExecutionException {
        List<FutureTask<String>> burns = new ArrayList<>();
        for (int i = 0; i < hogs; i++) {
            Connection connection = new Connection(port);
            FutureTask<String> burn = new FutureTask<>(() -> {
                try (connection) {
                    return connection.get("/burn?" + steps);
                }
            });
            burns.add(burn);
            Thread.ofPlatform().name("hog-" + i).daemon().start(burn);
        }
        return burns;
    }

    private static void print(LightLoad.Result light) {
        Histogram nanos = light.nanos();
        SampleLines.print("p50Ms", nanos.getValueAtPercentile(50) / 1e6, "ms");
        SampleLines.print("p99Ms", nanos.getValueAtPercentile(99) / 1e6, "ms");
        SampleLines.print("worstMs", nanos.getMaxValue() / 1e6, "ms");
        SampleLines.print("requestsPerSecond", nanos.getTotalCount() / light.seconds(), "1/s");
    }

    private static int port(Process server) throws IOException {
        BufferedReader out = new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
        for (String line; (line = out.readLine()) != null; ) {
            if (line.startsWith("port ")) {
                return Integer.parseInt(line.substring("port ".length()));
            }
        }
        throw new IOException("the server ended before it had a port");
    }
}
