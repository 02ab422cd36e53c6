// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static dev.evenweave.scheduler.Testing.joinAll;
import static dev.evenweave.scheduler.Testing.oneProcessorOnly;
import static dev.evenweave.scheduler.Testing.run;
import static dev.evenweave.scheduler.Testing.scheduler;
import static dev.evenweave.scheduler.Testing.start;
import static dev.evenweave.scheduler.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.channel.Channel;
import dev.evenweave.channel.Select;
import dev.evenweave.scheduler.Testing.Task;
import java.io.FileOutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Everyone gets a turn, on real carriers: the situations of Go's own scheduler tests, and those that were reported against
 * schedulers of this kind. A test that only returns because somebody got a turn asserts nothing else.
 */
@Timeout(120)
class FairnessTest {
    /** Two threads that wake each other without a pause, and without a checkpoint. */
    private static final class Pair {
        final AtomicLong rounds = new AtomicLong();
        private final AtomicBoolean stop = new AtomicBoolean();
        private final AtomicInteger turn = new AtomicInteger();
        private final Task[] tasks = new Task[2];

        Pair(Scheduler scheduler) {
            tasks[0] = start(scheduler, () -> play(0));
            tasks[1] = start(scheduler, () -> play(1));
        }

        private void play(int me) throws InterruptedException {
            until(() -> tasks[1] != null);
            while (!stop.get()) {
                while (turn.get() != me) {
                    if (stop.get()) {
                        return;
                    }
                    LockSupport.park();
                }
                rounds.incrementAndGet();
                turn.set(1 - me);
                LockSupport.unpark(tasks[1 - me].thread);
            }
        }

        /** Returns once the two are at it. */
        Pair going() throws InterruptedException {
            until(() -> rounds.get() > 1000);
            return this;
        }

        void stop() throws InterruptedException {
            stop.set(true);
            for (Task task : tasks) {
                LockSupport.unpark(task.thread);
                task.join();
            }
        }
    }

    // ---- a pair that shares its slice for ever

    @Test
    void aThirdThreadRunsBecauseRequestsAreHonoured() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1, oneProcessorOnly().build())) {
            Pair pair = new Pair(scheduler).going();
            AtomicInteger turns = new AtomicInteger();
            Task third = start(scheduler, () -> {
                for (int i = 0; i < 5; i++) {
                    turns.incrementAndGet();
                    Thread.yield();
                }
            });
            third.join();
            pair.stop();
            CarrierStats stats = scheduler.stats().total();
            // The pair never yields: each turn of the third was one that a lost request had made.
            assertThat(stats.honoured()).isGreaterThanOrEqualTo(turns.get());
            assertThat(stats.requests()).isGreaterThanOrEqualTo(stats.honoured());
        }
    }

    @ParameterizedTest
    @EnumSource
    void withoutTheProcessorsFlagNothingIsHonoured(Honour honour) throws InterruptedException {
        Policy policy = oneProcessorOnly()
                .honour(honour)
                .preemption(Preemption.THREAD_ONLY)
                .build();
        try (Scheduler scheduler = scheduler(1, policy)) {
            Pair pair = new Pair(scheduler).going();
            Task third = start(scheduler, () -> {});
            until(() -> scheduler.stats().total().requests() >= 5);
            pair.stop();
            third.join();
            assertThat(scheduler.stats().total().honoured()).isZero();
        }
    }

    @Test
    void honourCanBeSwitchedOnForThreadsThatStarve() throws InterruptedException {
        try (Scheduler scheduler =
                scheduler(1, oneProcessorOnly().honour(Honour.OFF).build())) {
            Pair pair = new Pair(scheduler).going();
            Task third = start(scheduler, () -> {});
            until(() -> scheduler.stats().total().requests() >= 3);
            assertThat(scheduler.stats().total().honoured()).isZero();
            assertThat(scheduler.policy().honour()).isEqualTo(Honour.OFF);
            scheduler.honour(Honour.ON);
            third.join();
            pair.stop();
            assertThat(scheduler.policy().honour()).isEqualTo(Honour.ON);
        }
    }

    @Test
    void requestsAreCaughtOrLost() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1, oneProcessorOnly().build())) {
            Pair pair = new Pair(scheduler).going();
            AtomicBoolean stop = new AtomicBoolean();
            Task polling = start(scheduler, () -> {
                while (!stop.get()) {
                    Scheduler.checkpoint();
                }
            });
            until(() -> scheduler.stats().total().caught() >= 3
                    && scheduler.stats().total().lost() >= 3);
            stop.set(true);
            polling.join();
            pair.stop();
            Testing.untilIdle(scheduler);
            CarrierStats stats = scheduler.stats().total();
            assertThat(stats.requests()).isEqualTo(stats.caught() + stats.lost());
        }
    }

    /** Pekko 661: messages from outside are answered though every carrier is busy with hand-offs. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void messagesFromOutsideAreAnsweredUnderHandOffsInside(int parallelism) throws InterruptedException {
        try (Scheduler scheduler = scheduler(parallelism, oneProcessorOnly().build())) {
            List<Pair> pairs = new ArrayList<>();
            for (int i = 0; i < parallelism; i++) {
                pairs.add(new Pair(scheduler).going());
            }
            AtomicInteger answers = new AtomicInteger();
            List<Task> pings = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                pings.add(start(scheduler, () -> {
                    LockSupport.parkNanos(1);
                    answers.incrementAndGet();
                }));
            }
            joinAll(pings);
            assertThat(answers.get()).isEqualTo(20);
            for (Pair pair : pairs) {
                pair.stop();
            }
        }
    }

    /** Go 73964: threads whose sleep is over before they have slept. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shortSleepersLetOthersRun(int parallelism) throws InterruptedException {
        try (Scheduler scheduler = scheduler(parallelism, oneProcessorOnly().build())) {
            AtomicBoolean stop = new AtomicBoolean();
            List<Task> sleepers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                sleepers.add(start(scheduler, () -> {
                    while (!stop.get()) {
                        Thread.sleep(Duration.ofNanos(30));
                    }
                }));
            }
            AtomicLong looks = new AtomicLong();
            Task reader = start(scheduler, () -> {
                while (!stop.get()) {
                    looks.incrementAndGet();
                    Scheduler.checkpoint();
                }
            });
            until(() -> looks.get() > 1000 && scheduler.stats().total().caught() >= 3);
            stop.set(true);
            joinAll(sleepers);
            reader.join();
        }
    }

    /** Go 52934: a thread that starts its successor and ends, for ever. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aChainOfSuccessorsLetsOthersRun(boolean fromInside) throws InterruptedException {
        try (Scheduler scheduler = scheduler(1, oneProcessorOnly().build())) {
            AtomicBoolean stop = new AtomicBoolean();
            AtomicLong generations = new AtomicLong();
            CountDownLatch waited = new CountDownLatch(1);
            Thread[] parked = new Thread[1];
            if (fromInside) {
                Task task = start(scheduler, () -> {
                            LockSupport.park();
                            waited.countDown();
                        })
                        .parked();
                parked[0] = task.thread;
            }
            Runnable[] link = new Runnable[1];
            link[0] = () -> {
                if (generations.incrementAndGet() == 1000 && parked[0] != null) {
                    LockSupport.unpark(parked[0]); // first in run-next, then displaced into the ring
                }
                if (!stop.get()) {
                    Thread.startVirtualThread(link[0]);
                }
            };
            scheduler.threadBuilder().start(link[0]);
            until(() -> generations.get() > 1000);
            if (!fromInside) {
                start(scheduler, waited::countDown);
            }
            waited.await();
            stop.set(true);
            until(() -> scheduler.stats().living() == 0);
        }
    }

    /**
     * Go: TestPingPongHog. A pair with long turns and one with short turns share the processor by slices, so the second makes
     * many turns in each of its own. A scheduler without inherited slices lets each of the two make one turn after the other.
     */
    @Test
    void pairsShareTheProcessorBySlicesNotByTurns() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1, oneProcessorOnly().build())) {
            AtomicBoolean stop = new AtomicBoolean();
            AtomicInteger changes = new AtomicInteger();
            AtomicInteger last = new AtomicInteger();
            long[] turns = new long[2];
            List<Task> tasks = new ArrayList<>();
            for (int p = 0; p < 2; p++) {
                int pair = p;
                int work = pair == 0 ? 1_000_000 : 1_000;
                Channel<Integer> ping = Channel.unbuffered();
                Channel<Integer> pong = Channel.unbuffered();
                tasks.add(start(scheduler, () -> {
                    for (int sum = 0; !stop.get(); ) {
                        ping.send(sum);
                        sum = turn(pair, pong.receive(), work, turns, last, changes);
                    }
                    ping.close();
                }));
                tasks.add(start(scheduler, () -> {
                    for (Integer sum; (sum = ping.receiveOrNull()) != null; ) {
                        pong.send(turn(pair, sum, work, turns, last, changes));
                    }
                }));
            }
            until(() -> changes.get() >= 20);
            stop.set(true);
            joinAll(tasks);
            assertThat(turns[1]).isGreaterThan(10L * changes.get());
            assertThat(turns[0]).isGreaterThanOrEqualTo(changes.get() / 2);
        }
    }

    private static int turn(int pair, int sum, int work, long[] turns, AtomicInteger last, AtomicInteger changes) {
        if (last.getAndSet(pair) != pair) {
            changes.incrementAndGet();
        }
        turns[pair]++;
        int result = sum;
        for (int i = 0; i < work; i++) {
            result = 31 * result + i;
        }
        return result;
    }

    // ---- threads that yield

    /** Go: TestYieldProgress. */
    @Test
    void aThreadThatPollsAndYieldsLetsTheSenderThrough() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1, oneProcessorOnly().build())) {
            run(scheduler, () -> {
                Channel<String> channel = Channel.unbuffered();
                Channel<String> done = Channel.unbuffered();
                start(() -> {
                    while (channel.tryReceive() == null) {
                        Thread.yield();
                    }
                    done.send("received");
                });
                Thread.sleep(10);
                channel.send("message");
                assertThat(done.receive()).isEqualTo("received");
            });
        }
    }

    /** JDK-8296896. But for the global queue's turns, submissions from outside run in the order of their arrival. */
    @Test
    void yieldersLetSubmissionsInInTheirOrder() throws InterruptedException {
        Policy withoutTurns =
                oneProcessorOnly().globalQueueInterval(Integer.MAX_VALUE).build();
        try (Scheduler scheduler = scheduler(1, withoutTurns)) {
            AtomicBoolean stop = new AtomicBoolean();
            List<Task> yielders = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                yielders.add(start(scheduler, () -> {
                    while (!stop.get()) {
                        Thread.yield();
                    }
                }));
            }
            Queue<Integer> order = new ConcurrentLinkedQueue<>();
            List<Integer> expected = new ArrayList<>();
            List<Task> submitted = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                int number = i;
                expected.add(i);
                submitted.add(start(scheduler, () -> order.add(number)));
            }
            joinAll(submitted);
            stop.set(true);
            joinAll(yielders);
            assertThat(order).containsExactlyElementsOf(expected);
        }
    }

    /** Kotlin 4752: every other carrier has local work without end, and the thread that would end it waits behind a hog. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void whatWaitsBehindAHogIsReachedThoughNobodyIsIdle(int parallelism) throws InterruptedException {
        try (Scheduler scheduler = scheduler(parallelism)) {
            AtomicBoolean released = new AtomicBoolean();
            List<Pair> pairs = new ArrayList<>();
            for (int i = 0; i < parallelism; i++) {
                pairs.add(new Pair(scheduler).going());
            }
            Task hog = start(scheduler, () -> {
                start(() -> {}); // displaced into the ring by the next one
                start(() -> released.set(true));
                while (!released.get()) {
                    Thread.onSpinWait();
                }
            });
            hog.join();
            for (Pair pair : pairs) {
                pair.stop();
            }
        }
    }

    /** Tokio 4941, 5712: the woken thread sits in the run-next slot of a carrier whose thread computes until it has run. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aRunNextBehindALongTurnIsReached(int parallelism) throws InterruptedException {
        try (Scheduler scheduler = scheduler(parallelism)) {
            run(scheduler, () -> {
                for (int i = 0; i < 5; i++) {
                    AtomicBoolean ran = new AtomicBoolean();
                    Task woken = start(() -> {
                        LockSupport.park();
                        ran.set(true);
                    });
                    woken.parked();
                    LockSupport.unpark(woken.thread);
                    while (!ran.get()) {
                        Thread.onSpinWait();
                    }
                    woken.join();
                }
            });
        }
    }

    // ---- threads that compute

    /** Go: TestPreemption. Each waits for its turn with nothing but checkpoints. */
    @Test
    void threadsThatPollPassTheTurnOnOneProcessor() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1, oneProcessorOnly().build())) {
            AtomicInteger turn = new AtomicInteger();
            List<Task> tasks = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                int me = i;
                tasks.add(start(scheduler, () -> {
                    for (int round = 0; round < 5; round++) {
                        while (turn.get() % 2 != me) {
                            Scheduler.checkpoint();
                        }
                        turn.incrementAndGet();
                    }
                }));
            }
            joinAll(tasks);
            assertThat(turn.get()).isEqualTo(10);
        }
    }

    /** softwaremill/ox PR 481: twice as many spinners as processors, all of which count. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void allOfManySpinnersGetTurns(int parallelism) throws InterruptedException {
        try (Scheduler scheduler = scheduler(parallelism, oneProcessorOnly().build())) {
            int spinners = 2 * parallelism;
            AtomicBoolean stop = new AtomicBoolean();
            int[] turns = new int[spinners];
            AtomicInteger last = new AtomicInteger(-1);
            List<Task> tasks = new ArrayList<>();
            for (int i = 0; i < spinners; i++) {
                int me = i;
                tasks.add(start(scheduler, () -> {
                    while (!stop.get()) {
                        if (last.getAndSet(me) != me) {
                            turns[me]++;
                        }
                        Scheduler.checkpoint();
                    }
                }));
            }
            until(() -> {
                for (int count : turns) {
                    if (count < 3) {
                        return false;
                    }
                }
                return true;
            });
            stop.set(true);
            joinAll(tasks);
        }
    }

    /** The same without a checkpoint: the processor goes to the next one, the hogs share the machine. */
    @Test
    void hogsThatNeverPollCannotKeepOthersWaiting() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1)) {
            AtomicBoolean stop = new AtomicBoolean();
            List<Task> hogs = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                hogs.add(start(scheduler, () -> {
                    while (!stop.get()) {
                        Thread.onSpinWait();
                    }
                }));
            }
            for (int i = 0; i < 3; i++) {
                start(scheduler, () -> {}).join();
            }
            assertThat(scheduler.stats().total().handOvers()).isPositive();
            stop.set(true);
            joinAll(hogs);
        }
    }

    /** Go: TestGoroutineParallelism. As many threads as processors take turns without ever making room. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void asManyThreadsAsProcessorsRunAtOnce(int parallelism) throws InterruptedException {
        try (Scheduler scheduler = scheduler(parallelism, oneProcessorOnly().build())) {
            takeTurns(scheduler, parallelism, 10);
            takeTurns(scheduler, parallelism, 5);
        }
    }

    private static void takeTurns(Scheduler scheduler, int parallelism, int rounds) throws InterruptedException {
        AtomicInteger turn = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int p = 0; p < parallelism; p++) {
            int me = p;
            tasks.add(start(scheduler, () -> {
                for (int round = 0; round < rounds; round++) {
                    while (turn.get() != round * parallelism + me) {
                        Thread.onSpinWait();
                    }
                    turn.incrementAndGet();
                }
            }));
        }
        joinAll(tasks);
    }

    /** Go: TestGoroutineParallelism2: started from within, after a time of load, with a socket that listens. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void asManyThreadsAsProcessorsRunAtOnceWhenStartedFromWithin(boolean withSocket) throws Exception {
        int parallelism = 3;
        try (Scheduler scheduler = scheduler(parallelism, oneProcessorOnly().build());
                ServerSocket server = withSocket ? new ServerSocket(0) : null) {
            Task acceptor = server == null
                    ? null
                    : start(scheduler, () -> {
                        try (Socket accepted = server.accept()) {
                            assertThat(accepted.isConnected()).isTrue();
                        }
                    });
            takeTurns(scheduler, parallelism, 5);
            AtomicInteger turn = new AtomicInteger();
            run(scheduler, () -> {
                List<Task> outer = new ArrayList<>();
                for (int p = 0; p < parallelism; p++) {
                    int me = p;
                    outer.add(start(() -> start(() -> {
                                for (int round = 0; round < 10; round++) {
                                    while (turn.get() != round * parallelism + me) {
                                        Thread.onSpinWait();
                                    }
                                    turn.incrementAndGet();
                                }
                            })
                            .join()));
                }
                joinAll(outer);
            });
            if (server != null && acceptor != null) {
                new Socket(server.getInetAddress(), server.getLocalPort()).close();
                acceptor.join();
            }
        }
    }

    /** Go: TestGCFairness. Threads that only write, and a sleeper that wants to get up. */
    @Test
    void aSleeperGetsUpBesideThreadsThatOnlyWrite() throws InterruptedException {
        Path sink = Path.of("/dev/null");
        if (!Files.isWritable(sink)) {
            return;
        }
        try (Scheduler scheduler = scheduler(1)) {
            AtomicBoolean stop = new AtomicBoolean();
            List<Task> writers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                writers.add(start(scheduler, () -> {
                    try (FileOutputStream out = new FileOutputStream(sink.toFile())) {
                        while (!stop.get()) {
                            out.write("The quick brown fox".getBytes());
                        }
                    }
                }));
            }
            run(scheduler, () -> Thread.sleep(10));
            stop.set(true);
            joinAll(writers);
        }
    }

    /** Go: TestStopTheWorldDeadlock. */
    @Test
    void collectionsGetOnBesideAChainOfStarts() throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            AtomicBoolean stop = new AtomicBoolean();
            Runnable[] link = new Runnable[1];
            link[0] = () -> {
                if (!stop.get()) {
                    Thread.startVirtualThread(link[0]);
                }
            };
            scheduler.threadBuilder().start(link[0]);
            for (int i = 0; i < 3; i++) {
                run(scheduler, System::gc);
            }
            stop.set(true);
            until(() -> scheduler.stats().living() == 0);
        }
    }

    // ---- timers

    /** Go: TestTimerFairness. A select that always has something ready still sees its timeout. */
    @Test
    void aTimerFiresBesideASelectThatIsAlwaysReady() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1, oneProcessorOnly().build())) {
            run(scheduler, () -> {
                Channel<Integer> data = Channel.unbuffered();
                Channel<Integer> timer = Channel.buffered(1);
                List<Task> senders = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    senders.add(start(() -> {
                        while (true) {
                            try {
                                data.send(1);
                            } catch (dev.evenweave.channel.ChannelClosedException e) {
                                return;
                            }
                        }
                    }));
                }
                Task sleeper = start(() -> {
                    Thread.sleep(20);
                    timer.send(1);
                });
                boolean fired = false;
                while (!fired) {
                    fired = new Select<Boolean>()
                            .receive(data, element -> false)
                            .receive(timer, element -> true)
                            .select();
                }
                data.close();
                joinAll(senders);
                sleeper.join();
            });
        }
    }

    /** Go: TestTimerFairness2. Two threads send to and receive from each other, each with a timer of its own. */
    @Test
    void bothOfTwoSelectingThreadsSeeTheirTimers() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1, oneProcessorOnly().build())) {
            Channel<Integer> channel = Channel.unbuffered();
            List<Task> tasks = new ArrayList<>();
            AtomicInteger fired = new AtomicInteger();
            for (int i = 0; i < 2; i++) {
                tasks.add(start(scheduler, () -> {
                    Channel<Integer> timer = Channel.buffered(1);
                    start(() -> {
                        Thread.sleep(20);
                        timer.send(1);
                    });
                    boolean done = false;
                    while (!done) {
                        done = new Select<Boolean>()
                                .send(channel, 1, () -> false)
                                .receive(channel, element -> false)
                                .receive(timer, element -> true)
                                .select();
                    }
                    fired.incrementAndGet();
                }));
            }
            joinAll(tasks);
            assertThat(fired.get()).isEqualTo(2);
        }
    }

    /** Go 38860: timers beside hogs, with and without checkpoints. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void timersFireBesideHogs(boolean polling) throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            AtomicBoolean stop = new AtomicBoolean();
            List<Task> hogs = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                hogs.add(start(scheduler, () -> {
                    while (!stop.get()) {
                        if (polling) {
                            Scheduler.checkpoint();
                        }
                    }
                }));
            }
            run(scheduler, () -> {
                for (int i = 0; i < 10; i++) {
                    Thread.sleep(3);
                }
            });
            stop.set(true);
            joinAll(hogs);
            assertThat(scheduler.stats().timers()).isZero();
        }
    }

    /** Go: TestAfterStress, TestOverflowSleep, TestSleepZeroDeadlock. */
    @Test
    void sleepsOfEveryLengthEndOrAreInterrupted() throws InterruptedException {
        try (Scheduler scheduler = scheduler(2)) {
            List<Task> tasks = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                long nanos = ThreadLocalRandom.current().nextLong(3_000_000);
                tasks.add(start(scheduler, () -> {
                    Thread.sleep(Duration.ofNanos(nanos));
                    Thread.sleep(0);
                    LockSupport.parkNanos(-1);
                    LockSupport.parkNanos(nanos);
                }));
            }
            CountDownLatch woken = new CountDownLatch(1);
            AtomicBoolean go = new AtomicBoolean();
            Task forever = start(scheduler, () -> {
                        try {
                            Thread.sleep(Duration.ofSeconds(Long.MAX_VALUE));
                        } catch (InterruptedException e) {
                            woken.countDown();
                        }
                        while (!go.get()) {
                            LockSupport.parkNanos(Long.MAX_VALUE);
                        }
                    })
                    .parked();
            joinAll(tasks);
            assertThat(scheduler.stats().timers()).isEqualTo(1);
            forever.thread.interrupt();
            woken.await();
            forever.parked();
            go.set(true);
            LockSupport.unpark(forever.thread);
            forever.join();
            assertThat(scheduler.stats().timers())
                    .as("a wait that ended early leaves nothing")
                    .isZero();
        }
    }

    // ---- sizes

    /** Go: TestBigGOMAXPROCS. */
    @Test
    void aThousandProcessorsStart() throws InterruptedException {
        try (Scheduler scheduler = scheduler(1024)) {
            List<Task> tasks = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                tasks.add(start(scheduler, () -> Thread.sleep(1)));
            }
            joinAll(tasks);
        }
    }

    /** openjdk/loom PR 59: 300 threads that park and wake each other in a chain. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aChainOfParkedThreadsIsPassedThrough(int parallelism) throws InterruptedException {
        try (Scheduler scheduler = scheduler(parallelism)) {
            int length = 300;
            AtomicBoolean[] go = new AtomicBoolean[length + 1];
            Task[] tasks = new Task[length];
            for (int i = 0; i <= length; i++) {
                go[i] = new AtomicBoolean();
            }
            for (int i = length - 1; i >= 0; i--) {
                int me = i;
                Task next = i + 1 < length ? tasks[i + 1] : null;
                tasks[i] = start(scheduler, () -> {
                    while (!go[me].get()) {
                        LockSupport.park();
                    }
                    go[me + 1].set(true);
                    if (next != null) {
                        LockSupport.unpark(next.thread);
                    }
                });
            }
            go[0].set(true);
            LockSupport.unpark(tasks[0].thread);
            joinAll(List.of(tasks));
            assertThat(go[length].get()).isTrue();
        }
    }
}
