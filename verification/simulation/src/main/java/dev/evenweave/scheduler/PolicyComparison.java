// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import dev.evenweave.scheduler.Scenario.Script;
import java.lang.classfile.TypeKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Policies side by side, by number of processors and of threads per processor: {@code verification/simulation/run}.
 */
final class PolicyComparison {
    private static final Map<String, Variant> VARIANTS = Map.of(
            "no-steal", new Variant().returnNothing("Decision", "steal", 2, TypeKind.REFERENCE),
            "fifo",
                    new Variant()
                            .changeCall(
                                    "Dispatcher",
                                    "submitNext",
                                    2,
                                    "replaceRunNext",
                                    (code, call) -> code.swap().pop())
                            .returnNothing("MonitorRules", "request", 1, TypeKind.VOID)
                            .returnNothing("MonitorRules", "handOver", 2, TypeKind.BOOLEAN));

    private PolicyComparison() {}

    public static void main(String[] args) throws ReflectiveOperationException {
        int[] processors = args.length == 0
                ? new int[] {1, 2, 8, 64, 256, 1024}
                : Arrays.stream(args).mapToInt(Integer::parseInt).toArray();
        System.out.println(
                "| policy | processors | threads per processor | worst wait ms | p99 wait ms | switches/s/processor"
                        + " | steals | wake-ups |");
        System.out.println("|---|---|---|---|---|---|---|---|");
        for (int threads : new int[] {2, 8}) {
            for (int parallelism : processors) {
                for (String policy : List.of("honour", "go-like", "local-only", "no-steal", "fifo")) {
                    Variant variant = VARIANTS.get(policy);
                    Class<?> home = variant == null
                            ? PolicyComparison.class
                            : variant.loadClass(PolicyComparison.class.getName());
                    var measure = home.getDeclaredMethod("measure", String.class, int.class, int.class);
                    measure.setAccessible(true);
                    System.out.println(measure.invoke(null, policy, parallelism, threads));
                }
            }
        }
    }

    static String measure(String name, int parallelism, int threads) {
        Policy policy = Policy.defaults().toBuilder()
                .honour(name.equals("go-like") ? Honour.OFF : name.equals("local-only") ? Honour.LOCAL_ONLY : Honour.ON)
                .handOver(!name.equals("go-like"))
                .build();
        Scenario scenario = Directed.on(parallelism, policy, load(parallelism, threads), Duration.ofMillis(300));
        Waits waits = new Waits();
        Simulation run = new Simulation(scenario, waits);
        run.run();
        long steals = 0;
        for (SimulatedCarrier carrier : run.carriers) {
            steals += carrier.worker.steals.get();
        }
        double seconds = run.now() / 1e9;
        return String.format(
                Locale.ROOT,
                "| %s | %d | %d | %.1f | %.2f | %.0f | %d | %d |",
                name,
                parallelism,
                threads,
                waits.worst() / 1e6,
                waits.percentile(99) / 1e6,
                run.decisions / seconds / parallelism,
                steals,
                run.wakeUps);
    }

    /**
     * Half of the threads in pairs that wake each other, an eighth hogs that do not poll, an eighth that do, the others
     * requests: they sleep and then compute for a moment. All come from outside within a millisecond.
     */
    private static List<Script> load(int parallelism, int threads) {
        List<Script> load = new ArrayList<>();
        int count = parallelism * threads;
        while (load.size() < count) {
            int i = load.size();
            long start = 1_000 + i * 1_000_000L / count;
            switch (i / 2 % 4) {
                case 0, 1 -> {
                    Step work = Step.compute(50_000, 0);
                    load.add(new Script(start, Step.wake(i + 1), work, Step.park(), again()));
                    load.add(new Script(start, Step.park(), work, Step.wake(i), again()));
                }
                case 2 -> {
                    load.add(new Script(start, Step.compute(40_000_000, 0), Step.sleep(5_000_000), again()));
                    load.add(new Script(start, Step.compute(40_000_000, 10_000), Step.sleep(5_000_000), again()));
                }
                default -> {
                    load.add(new Script(start, Step.sleep(2_000_000), Step.compute(100_000, 0), again()));
                    load.add(new Script(start, Step.sleep(3_000_000), Step.compute(200_000, 0), again()));
                }
            }
        }
        return load;
    }

    private static Step again() {
        return Step.repeat(0, Directed.FOR_EVER);
    }
}
