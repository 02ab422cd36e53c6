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
 * Policies side by side, by number of processors and of threads per processor, and the starvation experiment simulated:
 * {@code verification/simulation/run}.
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
        if (args.length == 1 && args[0].equals("starvation")) {
            starvation();
            return;
        }
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

    private static void starvation() {
        System.out.println("| honour | worst gap ms | off CPU % | requests |");
        System.out.println("|---|---|---|---|");
        for (Honour honour : Honour.values()) {
            Policy policy =
                    Policy.defaults().toBuilder().honour(honour).handOver(false).build();
            Duration length = Duration.ofSeconds(4);
            Waits waits = new Waits();
            Simulation run = new Simulation(Directed.pairAndSpinner(policy, 1, length), waits);
            run.run();
            SimulatedThread spinner = run.threads.get(2);
            long cpu = spinner.cpu;
            if (spinner.state == SimulatedThread.State.RUNNING) {
                cpu += run.now() - spinner.mountedAt;
            }
            long window = length.toNanos() - Directed.SPINNER_STARTS;
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.1f | %.1f | %d |%n",
                    honour,
                    waits.worstOf(2) / 1e6,
                    100 - 100.0 * cpu / window,
                    run.carriers.get(0).worker.requests.get());
        }
    }

    /** Every wait from being queued until being mounted. */
    private static final class Waits implements Watch {
        private long[] waits = new long[1 << 16];
        private int count;
        private long[] worstOf = new long[16];

        @Override
        public void queues(Simulation run, SimulatedThread thread) {
            thread.queuedAt = run.now();
        }

        @Override
        public void mounts(Simulation run, SimulatedCarrier carrier, SimulatedThread thread) {
            note(thread, run.now() - thread.queuedAt);
        }

        @Override
        public void end(Simulation run) {
            for (SimulatedThread thread : run.threads) {
                if (thread.state == SimulatedThread.State.QUEUED) {
                    note(thread, run.now() - thread.queuedAt);
                }
            }
            Arrays.sort(waits, 0, count);
        }

        private void note(SimulatedThread thread, long wait) {
            if (count == waits.length) {
                waits = Arrays.copyOf(waits, 2 * count);
            }
            waits[count++] = wait;
            if (thread.id < worstOf.length) {
                worstOf[thread.id] = Math.max(worstOf[thread.id], wait);
            }
        }

        long worst() {
            return count == 0 ? 0 : waits[count - 1];
        }

        long worstOf(int thread) {
            return worstOf[thread];
        }

        long percentile(int percent) {
            return count == 0 ? 0 : waits[(int) ((long) count * percent / 100)];
        }
    }
}
