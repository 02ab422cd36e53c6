// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static dev.evenweave.scheduler.ChildJvm.MAIN_CLASSES;
import static dev.evenweave.scheduler.ChildJvm.OPENS;
import static dev.evenweave.scheduler.ChildJvm.java;
import static dev.evenweave.scheduler.ChildJvm.run;

import dev.evenweave.channel.Channel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What depends on the command line of the JVM, or on the JVM's end: each in a JVM of its own. */
@Timeout(300)
class ChildJvmTest {
    // ---- access to java.lang

    /** Without the flag: build() names it and the other ways; what needs no access works. */
    static final class WithoutOpens {
        public static void main(String[] args) throws Exception {
            Scheduler.checkpoint();
            Thread.ofVirtual().start(Scheduler::checkpoint).join();
            System.out.println("current " + Scheduler.current());
            System.out.println(Policy.defaults().timeSlice());
            Channel<Integer> channel = Channel.buffered(1);
            channel.send(1);
            System.out.println("received " + channel.receive());
            for (int i = 0; i < 2; i++) {
                try {
                    Scheduler.builder().build();
                } catch (IllegalStateException e) {
                    System.out.println(e.getMessage());
                }
            }
            Scheduler.checkpoint();
        }
    }

    @Test
    void withoutAccessTheMessageNamesTheFlagAndTheOtherWays() throws Exception {
        run(WithoutOpens.class)
                .assertPrints(
                        "current null",
                        "PT0.01S",
                        "received 1",
                        "--add-opens java.base/java.lang=ALL-UNNAMED",
                        "=dev.evenweave",
                        "Add-Opens: java.base/java.lang");
    }

    /** A program that uses what is exported only, so that it runs as a module of its own, too. */
    private static final String MODULE_PROGRAM = """
            package program;

            import dev.evenweave.scheduler.Scheduler;

            public class Program {
                public static void main(String[] args) throws Exception {
                    try (Scheduler scheduler = Scheduler.builder().parallelism(2).build()) {
                        Thread thread = scheduler.threadBuilder().start(() -> {
                            Thread.startVirtualThread(
                                    () -> System.out.println("child on " + (Scheduler.current() == scheduler)));
                            Thread.yield();
                        });
                        thread.join();
                    }
                    System.out.println(Scheduler.class.getModule());
                }
            }
            """;

    @Test
    void onTheModulePathItIsOpenedToTheModule(@TempDir Path directory) throws Exception {
        Path source = Files.createDirectories(directory.resolve("program")).resolve("Program.java");
        Files.writeString(source, MODULE_PROGRAM);
        java(List.of(
                        "--add-opens=java.base/java.lang=dev.evenweave",
                        "--module-path",
                        MAIN_CLASSES.toString(),
                        "--add-modules",
                        "dev.evenweave",
                        source.toString()))
                .assertPrints("child on true", "module dev.evenweave");
    }

    @Test
    void withoutContinuationsTheMessageSaysSo() throws Exception {
        run(WithoutContinuations.class, OPENS, "-XX:+UnlockExperimentalVMOptions", "-XX:-VMContinuations")
                .assertPrints("UnsupportedOperationException", "no continuations", "-XX:-VMContinuations");
    }

    static final class WithoutContinuations {
        public static void main(String[] args) {
            Scheduler.checkpoint();
            for (int i = 0; i < 2; i++) {
                try {
                    Scheduler.builder().build();
                    throw new AssertionError("built");
                } catch (UnsupportedOperationException e) {
                    System.out.println(e);
                }
            }
        }
    }

    // ---- the end of the JVM

    /** Returns from main with a scheduler that is not closed and threads that never end. */
    static final class NeverClosed {
        public static void main(String[] args) throws Exception {
            Scheduler scheduler = Scheduler.builder().parallelism(2).build();
            CountDownLatch running = new CountDownLatch(2);
            scheduler.threadBuilder().start(() -> {
                running.countDown();
                while (true) {
                    Thread.onSpinWait();
                }
            });
            scheduler.threadBuilder().start(() -> {
                running.countDown();
                LockSupport.park();
            });
            running.await();
            System.out.println("main returns");
        }
    }

    @Test
    void aSchedulerThatIsNeverClosedDoesNotKeepTheJvm() throws Exception {
        run(NeverClosed.class, OPENS).assertPrints("main returns");
    }

    // ---- options of the JVM

    /** Closing relies on a list of all threads; without it, on the count. */
    static final class NotTracked {
        public static void main(String[] args) throws Exception {
            Scheduler scheduler = Scheduler.builder().parallelism(2).build();
            for (int i = 0; i < 1000; i++) {
                scheduler.threadBuilder().start(Thread::yield);
            }
            scheduler.close();
            System.out.println("closed, living " + scheduler.stats().living());
        }
    }

    @Test
    void closeEndsWhenTheJdkDoesNotTrackThreads() throws Exception {
        run(NotTracked.class, OPENS, "-Djdk.trackAllThreads=false").assertPrints("closed, living 0");
    }

    /** The end of a stack, where everything is interpreted, or compiled in another way than here. */
    static final class EndOfStack {
        public static void main(String[] args) throws Exception {
            FaultsTest faults = new FaultsTest();
            faults.atTheEndOfAStackNothingIsLost(0);
            faults.atTheEndOfAStackNothingIsLost(255);
            faults.atTheEndOfAStackAnUnparkThatReturnsHasWoken();
            System.out.println("nothing lost");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation"})
    void atTheEndOfAStackNothingIsLost(String mode) throws Exception {
        run(EndOfStack.class, OPENS, mode).assertPrints("nothing lost");
    }

    /**
     * Uses up all memory again and again while threads wait with a limit, yield and start others, and looks whether each of
     * them goes on afterwards.
     */
    static final class OutOfMemory {
        private static final int THREADS = 30;

        public static void main(String[] args) throws Exception {
            Scheduler scheduler = Scheduler.builder().parallelism(2).build();
            AtomicLongArray passes = new AtomicLongArray(THREADS);
            AtomicBoolean stop = new AtomicBoolean();
            Object monitor = new Object();
            for (int i = 0; i < THREADS; i++) {
                int me = i;
                scheduler.threadBuilder().start(() -> {
                    while (!stop.get()) {
                        try {
                            pass(me, monitor);
                        } catch (OutOfMemoryError | InterruptedException e) {
                            // the first was to be expected, and the thread goes on
                        }
                        passes.incrementAndGet(me);
                    }
                });
            }
            byte[][] memory = new byte[1 << 20][];
            for (int round = 0; round < 3; round++) {
                int held = 0;
                int failures = 0;
                for (int size = 1 << 20; failures < 30; ) {
                    try {
                        memory[held] = new byte[size];
                        held++;
                    } catch (OutOfMemoryError e) {
                        failures++; // the others fail as often meanwhile
                        size = Math.max(16, size / 2);
                    }
                }
                while (held > 0) {
                    memory[--held] = null;
                }
                int[] before = new int[THREADS];
                for (int i = 0; i < THREADS; i++) {
                    before[i] = (int) passes.get(i);
                }
                for (int i = 0; i < THREADS; i++) {
                    while ((int) passes.get(i) == before[i]) {
                        Thread.onSpinWait(); // hangs if the thread is lost
                    }
                }
            }
            stop.set(true);
            scheduler.close();
            System.out.println("all went on");
        }

        private static void pass(int me, Object monitor) throws InterruptedException {
            switch (me % 5) {
                case 0 -> LockSupport.parkNanos(1_000);
                case 1 -> Thread.sleep(1);
                case 2 -> {
                    synchronized (monitor) {
                        monitor.wait(1);
                    }
                }
                case 3 -> Thread.yield();
                default -> Thread.ofVirtual().start(Thread::yield).join();
            }
        }
    }

    @Test
    void whenMemoryWasShortEveryThreadGoesOn() throws Exception {
        run(OutOfMemory.class, OPENS, "-Xmx32m").assertPrints("all went on");
    }

    /** Structured scopes are a preview in this JDK. */
    private static final String SCOPE_PROGRAM = """
            import dev.evenweave.scheduler.Scheduler;
            import java.util.concurrent.StructuredTaskScope;
            import java.util.concurrent.StructuredTaskScope.Joiner;

            public class Program {
                static int fork(int depth) throws InterruptedException {
                    if (Scheduler.current() == null) {
                        throw new IllegalStateException("not on the scheduler");
                    }
                    if (depth == 0) {
                        return 1;
                    }
                    try (var scope = StructuredTaskScope.open(Joiner.<Integer>allSuccessfulOrThrow())) {
                        for (int i = 0; i < 4; i++) {
                            scope.fork(() -> fork(depth - 1));
                        }
                        return scope.join().mapToInt(task -> task.get()).sum();
                    }
                }

                public static void main(String[] args) throws Exception {
                    try (Scheduler scheduler = Scheduler.builder().parallelism(2).build()) {
                        Thread thread = scheduler.threadBuilder().start(() -> {
                            try {
                                System.out.println("inherited: " + fork(4));
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });
                        thread.join();
                        try (var scope = StructuredTaskScope.open(
                                Joiner.<Integer>allSuccessfulOrThrow(),
                                configuration -> configuration.withThreadFactory(scheduler.newThreadFactory()))) {
                            scope.fork(() -> fork(3));
                            System.out.println("by factory: " + scope.join().findFirst().orElseThrow().get());
                        }
                        try (var scope = StructuredTaskScope.open(
                                Joiner.<Integer>anySuccessfulResultOrThrow(),
                                configuration -> configuration.withThreadFactory(scheduler.newThreadFactory()))) {
                            scope.fork(() -> {
                                Thread.sleep(Long.MAX_VALUE);
                                return 0;
                            });
                            scope.fork(() -> 7);
                            System.out.println("first: " + scope.join());
                        }
                    }
                }
            }
            """;

    @Test
    void structuredScopesForkOnTheScheduler(@TempDir Path directory) throws Exception {
        Path source = directory.resolve("Program.java");
        Files.writeString(source, SCOPE_PROGRAM);
        java(List.of(OPENS, "--enable-preview", "--source", "25", "-cp", MAIN_CLASSES.toString(), source.toString()))
                .assertPrints("inherited: 256", "by factory: 64", "first: 7");
    }

    /** jcmd writes what the JDK shows of a scheduler. */
    static final class DumpedByJcmd {
        public static void main(String[] args) throws Exception {
            try (Scheduler scheduler = Scheduler.builder().parallelism(1).build()) {
                CountDownLatch go = new CountDownLatch(1);
                Thread thread = scheduler.threadBuilder().name("seen by jcmd").start(() -> {
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
                while (thread.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
                Path dump = Files.createTempDirectory("evenweave").resolve("dump.txt");
                Process jcmd = new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                        .toString(),
                                String.valueOf(ProcessHandle.current().pid()),
                                "Thread.dump_to_file",
                                dump.toString())
                        .inheritIO()
                        .start();
                jcmd.waitFor();
                Files.readAllLines(dump).stream()
                        .filter(line -> line.contains("seen by jcmd"))
                        .forEach(System.out::println);
                Files.delete(dump);
                Files.delete(dump.getParent());
                go.countDown();
            }
        }
    }

    @Test
    void jcmdDumpsItsThreads() throws Exception {
        run(DumpedByJcmd.class, OPENS).assertPrints("\"seen by jcmd\"");
    }
}
