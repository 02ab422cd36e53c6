// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static dev.evenweave.scheduler.Testing.joinAll;
import static dev.evenweave.scheduler.Testing.run;
import static dev.evenweave.scheduler.Testing.scheduler;
import static dev.evenweave.scheduler.Testing.start;
import static dev.evenweave.scheduler.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import dev.evenweave.scheduler.Testing.Task;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the JDK offers to virtual threads works as on its own scheduler. */
@Timeout(120)
class WorksWithTest {
    private static Scheduler scheduler;

    @BeforeAll
    static void build() {
        scheduler = scheduler(2);
    }

    @AfterEach
    void nothingReachedTheScheduler() {
        assertThat(scheduler.stats().faults()).isZero();
    }

    /** Also the proof that the JDK's socket pollers are not threads of this scheduler: they never end. */
    @AfterAll
    static void closeEnds() {
        scheduler.close();
    }

    private static void assertOurs() {
        assertThat(Scheduler.current()).isSameAs(scheduler);
    }

    // ---- who runs here

    @Test
    void aThreadKnowsItsScheduler() throws InterruptedException {
        run(scheduler, WorksWithTest::assertOurs);
        assertThat(Scheduler.current()).isNull();
        Thread other =
                Thread.ofVirtual().start(() -> assertThat(Scheduler.current()).isNull());
        other.join();
    }

    @Test
    void childrenInheritTheScheduler() throws InterruptedException {
        run(scheduler, () -> {
            List<Task> children = new ArrayList<>();
            children.add(start(WorksWithTest::assertOurs));
            children.add(start(Thread.ofVirtual().name("named"), WorksWithTest::assertOurs));
            children.add(start(
                    () -> start(() -> start(WorksWithTest::assertOurs).join()).join()));
            joinAll(children);
            Thread byFactory = Thread.ofVirtual().factory().newThread(WorksWithTest::assertOurs);
            byFactory.start();
            byFactory.join();
            try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
                executor.submit(WorksWithTest::assertOurs).get();
            }
            Task platform = start(Thread.ofPlatform(), () -> {
                assertThat(Scheduler.current()).isNull();
                start(() -> assertThat(Scheduler.current()).isNull()).join();
            });
            platform.join();
        });
    }

    /** The JDK asks the pool of the carrier it runs on to start a thread of the default scheduler. */
    @Test
    void aThreadMadeElsewhereRunsElsewhereThoughItIsStartedHere() throws InterruptedException {
        long started = scheduler.stats().started();
        CountDownLatch parkedOnce = new CountDownLatch(1);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread elsewhere = Thread.ofVirtual().unstarted(() -> {
            try {
                assertThat(Scheduler.current()).isNull();
                parkedOnce.countDown();
                LockSupport.parkNanos(1_000_000);
                assertThat(Scheduler.current()).isNull();
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        run(scheduler, () -> {
            elsewhere.start();
            parkedOnce.await();
        });
        elsewhere.join();
        assertThat(failure.get()).isNull();
        assertThat(scheduler.stats().started()).isEqualTo(started + 1);
    }

    @Test
    void twoSchedulersWakeEachOthersThreads() throws InterruptedException {
        try (Scheduler other = scheduler(1)) {
            BlockingQueue<Integer> ping = new ArrayBlockingQueue<>(1);
            BlockingQueue<Integer> pong = new ArrayBlockingQueue<>(1);
            Task here = start(scheduler, () -> {
                for (int i = 0; i < 1000; i++) {
                    ping.put(i);
                    assertThat(pong.take()).isEqualTo(i);
                }
                assertOurs();
            });
            Task there = start(other, () -> {
                for (int i = 0; i < 1000; i++) {
                    pong.put(ping.take());
                }
                assertThat(Scheduler.current()).isSameAs(other);
            });
            here.join();
            there.join();
        }
    }

    @Test
    void buildersFactoriesAndExecutorsMakeOrdinaryVirtualThreads() throws Exception {
        AtomicReference<Throwable> uncaught = new AtomicReference<>();
        Thread thread = scheduler
                .threadBuilder()
                .name("worker-", 7)
                .uncaughtExceptionHandler((t, e) -> uncaught.set(e))
                .start(() -> {
                    throw new IllegalStateException("as expected");
                });
        thread.join();
        assertThat(thread.getName()).isEqualTo("worker-7");
        assertThat(thread.isVirtual() && thread.isDaemon()).isTrue();
        assertThat(thread.getState()).isEqualTo(Thread.State.TERMINATED);
        assertThat(uncaught.get()).hasMessage("as expected");
        Thread made = scheduler.newThreadFactory().newThread(WorksWithTest::assertOurs);
        assertThat(made.getState()).isEqualTo(Thread.State.NEW);
        made.start();
        made.join(Duration.ofMinutes(1));
        assertThat(made.isAlive()).isFalse();
        List<Future<Integer>> results = new ArrayList<>();
        try (ExecutorService executor = scheduler.newThreadPerTaskExecutor()) {
            for (int i = 0; i < 100; i++) {
                int value = i;
                results.add(executor.submit(() -> {
                    assertOurs();
                    return value;
                }));
            }
        }
        for (int i = 0; i < 100; i++) {
            assertThat(results.get(i).get()).isEqualTo(i);
        }
        assertThat(scheduler.isShutdown())
                .as("closing the executor leaves the scheduler")
                .isFalse();
    }

    // ---- blocking

    @Test
    void contendedMonitorsAreEnteredByOneAtATime() throws InterruptedException {
        Object monitor = new Object();
        int[] count = new int[1];
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            tasks.add(start(scheduler, () -> {
                for (int round = 0; round < 500; round++) {
                    synchronized (monitor) {
                        count[0]++;
                        if (round % 50 == 0) {
                            Thread.yield();
                        }
                    }
                }
                assertOurs();
            }));
        }
        joinAll(tasks);
        assertThat(count[0]).isEqualTo(20 * 500);
    }

    @Test
    void waitAndNotifyPassTheTurn() throws InterruptedException {
        Object monitor = new Object();
        int[] turn = new int[1];
        int threads = 8;
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int me = i;
            tasks.add(start(scheduler, () -> {
                for (int round = 0; round < 50; round++) {
                    synchronized (monitor) {
                        while (turn[0] % threads != me) {
                            monitor.wait();
                        }
                        turn[0]++;
                        monitor.notifyAll();
                    }
                }
                assertOurs();
            }));
        }
        joinAll(tasks);
        assertThat(turn[0]).isEqualTo(threads * 50);
    }

    @Test
    void timedWaitsEndByTimeByNotifyAndByInterrupt() throws InterruptedException {
        Object monitor = new Object();
        AtomicBoolean notified = new AtomicBoolean();
        Task byTime = start(scheduler, () -> {
            synchronized (monitor) {
                monitor.wait(5);
            }
            assertOurs();
        });
        byTime.join();
        Task byNotify = start(scheduler, () -> {
                    synchronized (monitor) {
                        while (!notified.get()) {
                            monitor.wait(Duration.ofDays(1).toMillis());
                        }
                    }
                })
                .parked();
        synchronized (monitor) {
            notified.set(true);
            monitor.notifyAll();
        }
        byNotify.join();
        Task byInterrupt = start(scheduler, () -> {
                    synchronized (monitor) {
                        assertThatThrownBy(() -> monitor.wait(Duration.ofDays(1).toMillis()))
                                .isInstanceOf(InterruptedException.class);
                    }
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                })
                .parked();
        byInterrupt.thread.interrupt();
        byInterrupt.join();
        until(() -> scheduler.stats().timers() == 0);
    }

    @Test
    void parkReturnsForAPermitATimeoutAndAnInterrupt() throws InterruptedException {
        run(scheduler, () -> {
            LockSupport.unpark(Thread.currentThread());
            LockSupport.park();
            LockSupport.parkNanos(1_000);
            LockSupport.parkUntil(System.currentTimeMillis() + 1);
            Thread.currentThread().interrupt();
            LockSupport.park();
            assertThat(Thread.interrupted()).isTrue();
        });
        AtomicBoolean go = new AtomicBoolean();
        Task parked = start(scheduler, () -> {
                    while (!go.get()) {
                        LockSupport.park();
                    }
                    assertOurs();
                })
                .parked();
        go.set(true);
        LockSupport.unpark(parked.thread);
        parked.join();
    }

    @Test
    void locksAndConditionsOfTheJdkWork() throws InterruptedException {
        ReentrantLock lock = new ReentrantLock(true);
        AtomicInteger count = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            tasks.add(start(scheduler, () -> {
                for (int round = 0; round < 100; round++) {
                    lock.lockInterruptibly();
                    try {
                        count.set(count.get() + 1);
                        Thread.yield();
                    } finally {
                        lock.unlock();
                    }
                }
            }));
        }
        joinAll(tasks);
        assertThat(count.get()).isEqualTo(1000);
    }

    /** Class initialization pins, its frame being native: the carrier itself blocks, and another takes over. */
    @Test
    void aPinnedThreadBlocksItsCarrierOnly() throws InterruptedException {
        try (Scheduler one = scheduler(1)) {
            Task pinned = start(one, () -> assertThat(WaitsToBeInitialized.done).isTrue());
            Task other = start(one, PINNED_UNTIL::countDown);
            other.join();
            pinned.join();
        }
    }

    private static final CountDownLatch PINNED_UNTIL = new CountDownLatch(1);

    private static final class WaitsToBeInitialized {
        static boolean done;

        static {
            try {
                PINNED_UNTIL.await();
                done = true;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Netty-VirtualThread-Scheduler 4: threads end, on carriers, while others of the same executor start. */
    @Test
    void startsAndEndsInOneExecutorDoNotBlockEachOther() throws Exception {
        AtomicInteger ran = new AtomicInteger();
        try (ExecutorService executor = scheduler.newThreadPerTaskExecutor()) {
            for (int i = 0; i < 100; i++) {
                executor.execute(() -> {
                    for (int child = 0; child < 20; child++) {
                        executor.execute(ran::incrementAndGet);
                    }
                });
            }
            until(() -> ran.get() == 2000);
        }
    }

    // ---- sockets

    @Test
    void socketsEchoAndTimeOutAndAreInterruptedAndClosed() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            int clients = 20;
            Task acceptor = start(scheduler, () -> {
                for (int i = 0; i < clients; i++) {
                    Socket socket = server.accept();
                    start(() -> {
                        try (socket) {
                            byte[] buffer = new byte[64];
                            InputStream in = socket.getInputStream();
                            for (int n; (n = in.read(buffer)) > 0; ) {
                                socket.getOutputStream().write(buffer, 0, n);
                            }
                        }
                        assertOurs();
                    });
                }
            });
            List<Task> tasks = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                byte value = (byte) i;
                tasks.add(start(scheduler, () -> {
                    try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                        for (int round = 0; round < 20; round++) {
                            socket.getOutputStream().write(value);
                            assertThat(socket.getInputStream().read()).isEqualTo(value);
                        }
                        socket.setSoTimeout(1);
                        assertThatThrownBy(() -> socket.getInputStream().read())
                                .isInstanceOf(SocketTimeoutException.class);
                    }
                }));
            }
            joinAll(tasks);
            acceptor.join();
            Task interrupted = start(
                            scheduler, () -> assertThatThrownBy(server::accept).isInstanceOf(SocketException.class))
                    .parked();
            interrupted.thread.interrupt();
            interrupted.join();
        }
    }

    // ---- what belongs to a thread

    @Test
    void threadLocalsBelongToTheThreadNotToTheCarrier() throws InterruptedException {
        ThreadLocal<Integer> local = ThreadLocal.withInitial(() -> -1);
        InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            int value = i;
            tasks.add(start(scheduler, () -> {
                assertThat(local.get()).isEqualTo(-1);
                local.set(value);
                inherited.set("of " + value);
                for (int round = 0; round < 10; round++) {
                    Thread.yield();
                    assertThat(local.get()).isEqualTo(value);
                }
                start(() -> {
                            assertThat(inherited.get()).isEqualTo("of " + value);
                            assertThat(local.get()).isEqualTo(-1);
                        })
                        .join();
            }));
        }
        joinAll(tasks);
    }

    @Test
    void scopedValuesHoldAcrossParks() throws InterruptedException {
        ScopedValue<Integer> scoped = ScopedValue.newInstance();
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            int value = i;
            tasks.add(start(scheduler, () -> {
                ScopedValue.where(scoped, value).run(() -> {
                    for (int round = 0; round < 10; round++) {
                        LockSupport.parkNanos(1);
                        assertThat(scoped.get()).isEqualTo(value);
                    }
                });
                assertThat(scoped.isBound()).isFalse();
            }));
        }
        joinAll(tasks);
    }

    @Test
    void anInterruptStaysWithItsThread() throws InterruptedException {
        try (Scheduler one = scheduler(1)) {
            Task interrupted = start(one, () -> {
                Thread.currentThread().interrupt();
                Thread.yield();
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                assertThatThrownBy(() -> Thread.sleep(1)).isInstanceOf(InterruptedException.class);
            });
            List<Task> others = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                others.add(start(one, () -> {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    Thread.yield();
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                }));
            }
            interrupted.join();
            joinAll(others);
            for (Thread thread : Testing.platformThreads(one)) {
                assertThat(thread.isInterrupted()).isFalse();
            }
        }
    }

    // ---- seeing

    /** The trace suspends the thread and submits it again: nobody is lost, nobody runs twice. */
    @Test
    void stackTracesOfRunnableThreadsDisturbNobody() throws InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger steps = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            tasks.add(start(scheduler, () -> {
                while (!stop.get()) {
                    Thread.yield();
                    LockSupport.parkNanos(1);
                    steps.incrementAndGet();
                }
            }));
        }
        for (int i = 0; i < 2000; i++) {
            for (Task task : tasks) {
                StackTraceElement[] trace = task.thread.getStackTrace();
                assertThat(Arrays.stream(trace)).allMatch(frame -> frame.getMethodName() != null);
            }
        }
        int before = steps.get();
        until(() -> steps.get() > before + 100);
        stop.set(true);
        joinAll(tasks);
    }

    @Test
    void aThreadDumpShowsItsThreads(@TempDir Path directory) throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Task parked = start(scheduler.threadBuilder().name("seen in the dump"), go::await)
                .parked();
        Path file = directory.resolve("dump.json");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(file.toString(), ThreadDumpFormat.JSON);
        String dump = Files.readString(file);
        assertThat(dump).contains("seen in the dump").contains("CountDownLatch");
        go.countDown();
        parked.join();
    }

    @Test
    void flightRecorderSeesStartsAndEnds(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("events.jfr");
        long id;
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadStart");
            recording.enable("jdk.VirtualThreadEnd");
            recording.start();
            Task task = start(scheduler, () -> LockSupport.parkNanos(1));
            task.join();
            id = task.thread.threadId();
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        Set<String> seen = events.stream()
                .filter(event -> event.getLong("javaThreadId") == id)
                .map(event -> event.getEventType().getName())
                .collect(Collectors.toSet());
        assertThat(seen).containsExactlyInAnyOrder("jdk.VirtualThreadStart", "jdk.VirtualThreadEnd");
    }

    @Test
    void theSnapshotAddsUp() throws InterruptedException {
        try (Scheduler one = Scheduler.builder().name("counted").parallelism(2).build()) {
            List<Task> tasks = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                tasks.add(start(one, () -> start(Thread::yield).join()));
            }
            joinAll(tasks);
            Testing.untilIdle(one);
            SchedulerStats stats = one.stats();
            assertThat(stats.name()).isEqualTo("counted");
            assertThat(stats.parallelism()).isEqualTo(2);
            assertThat(stats.idleProcessors()).isEqualTo(2);
            assertThat(stats.started()).isEqualTo(200);
            assertThat(stats.living()).isZero();
            assertThat(stats.queued()).isZero();
            assertThat(stats.oldestRunnable()).isZero();
            assertThat(stats.total().ended()).isEqualTo(200);
            assertThat(stats.total().started()).as("by threads that run here").isEqualTo(100);
            assertThat(stats.total().switches())
                    .isGreaterThanOrEqualTo(stats.total().slices());
            assertThat(stats.total().slices()).isGreaterThanOrEqualTo(200);
            assertThatThrownBy(() -> stats.carriers().clear()).isInstanceOf(UnsupportedOperationException.class);
            assertThat(one.toString()).contains("counted").contains("parallelism 2");
        }
    }
}
