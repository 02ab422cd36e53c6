// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static dev.evenweave.scheduler.Rig.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The queue of one carrier, by one thread except where emptiness is asked from aside. */
@Timeout(60)
class RunQueueTest {
    private static final int CAPACITY = Dispatcher.RING_CAPACITY;

    private final RunQueue queue = new RunQueue(CAPACITY);

    /** Go: TestSchedLocalQueue. */
    @Test
    void tasksComeOutInTheOrderInWhichTheyWentIn() {
        for (int count = 0; count < CAPACITY; count++) {
            assertThat(queue.isEmpty()).isTrue();
            assertThat(queue.poll()).isNull();
            for (int i = 0; i < count; i++) {
                assertThat(queue.offer(task(i))).isTrue();
            }
            assertThat(queue.size()).isEqualTo(count);
            for (int i = 0; i < count; i++) {
                assertThat(queue.isEmpty()).isFalse();
                assertThat(queue.poll()).isEqualTo(task(i));
            }
        }
    }

    /** Go: TestSchedLocalQueueSteal. */
    @Test
    void aThiefTakesTheOlderHalfAndEveryTaskComesOutOnce_I3() {
        RunQueue thief = new RunQueue(CAPACITY);
        for (int count = 0; count < CAPACITY; count++) {
            for (int i = 0; i < count; i++) {
                queue.offer(task(i));
            }
            List<Runnable> stolen = new ArrayList<>();
            Runnable last = thief.stealFrom(queue);
            for (Runnable task; (task = thief.poll()) != null; ) {
                stolen.add(task);
            }
            if (last != null) {
                stolen.add(last);
            }
            List<Runnable> kept = new ArrayList<>();
            for (Runnable task; (task = queue.poll()) != null; ) {
                kept.add(task);
            }
            assertThat(stolen).as("half of %d, rounded up", count).hasSize(count - count / 2);
            assertThat(stolen).isEqualTo(tasks(0, count - count / 2));
            assertThat(kept).isEqualTo(tasks(count - count / 2, count));
        }
    }

    @Test
    void aThiefOfAnEmptyRingLeavesRunNext() {
        queue.replaceRunNext(task("next"));
        RunQueue thief = new RunQueue(CAPACITY);
        assertThat(thief.stealFrom(queue)).isNull();
        assertThat(thief.isEmpty()).isTrue();
        assertThat(queue.peekRunNext()).isEqualTo(task("next"));
    }

    @Test
    void aFullRingTakesNoMoreAndLosesNothing_I2() {
        for (int i = 0; i < CAPACITY; i++) {
            assertThat(queue.offer(task(i))).isTrue();
        }
        assertThat(queue.offer(task("one too many"))).isFalse();
        assertThat(queue.size()).isEqualTo(CAPACITY);
        assertThat(queue.poll()).isEqualTo(task(0));
        assertThat(queue.offer(task(CAPACITY))).isTrue();
        for (int i = 1; i <= CAPACITY; i++) {
            assertThat(queue.poll()).isEqualTo(task(i));
        }
    }

    @Test
    void halfOfAFullRingIsTakenOnlyWhileItIsFull() {
        Runnable[] into = new Runnable[CAPACITY / 2 + 1];
        for (int i = 0; i < CAPACITY - 1; i++) {
            queue.offer(task(i));
        }
        // A thief made room meanwhile: half of what is left is no longer half of the ring.
        queue.poll();
        assertThat(queue.takeHalf(into)).isZero();
        queue.offer(task(CAPACITY - 1));
        queue.offer(task(CAPACITY));
        assertThat(queue.takeHalf(into)).isEqualTo(CAPACITY / 2);
        assertThat(into).startsWith(tasks(1, CAPACITY / 2 + 1).toArray(Runnable[]::new));
        assertThat(queue.size()).isEqualTo(CAPACITY / 2);
        assertThat(queue.poll()).isEqualTo(task(CAPACITY / 2 + 1));
    }

    @Test
    void runNextHoldsOneAndGivesBackWhatItHeld_I1() {
        assertThat(queue.replaceRunNext(task("a"))).isNull();
        assertThat(queue.isEmpty()).isFalse();
        assertThat(queue.isRingEmpty()).isTrue();
        assertThat(queue.size()).isZero();
        assertThat(queue.replaceRunNext(task("b"))).isEqualTo(task("a"));
        assertThat(queue.takeRunNext(task("b")))
                .as("another object, though equal")
                .isFalse();
        assertThat(queue.takeRunNext()).isEqualTo(task("b"));
        assertThat(queue.takeRunNext()).isNull();
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void runNextIsTakenByNameOnlyWhileItIsStillThere_I3() {
        Rig.Task a = task("a");
        Rig.Task b = task("b");
        queue.replaceRunNext(a);
        assertThat(queue.peekRunNext()).isSameAs(a);
        queue.replaceRunNext(b);
        assertThat(queue.takeRunNext(a)).isFalse();
        assertThat(queue.takeRunNext(b)).isTrue();
        assertThat(queue.peekRunNext()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE - 3, Integer.MAX_VALUE, -5, Integer.MIN_VALUE})
    void indicesMayWrap_I2(int start) throws Exception {
        RunQueue small = new RunQueue(4);
        MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(RunQueue.class, MethodHandles.lookup());
        for (String index : List.of("head", "tail", "cleared")) {
            VarHandle handle = lookup.findVarHandle(RunQueue.class, index, int.class);
            handle.set(small, start);
        }
        RunQueue thief = new RunQueue(4);
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 4; i++) {
                assertThat(small.offer(task(i))).isTrue();
            }
            assertThat(small.offer(task(4))).isFalse();
            assertThat(small.size()).isEqualTo(4);
            assertThat(thief.stealFrom(small)).isEqualTo(task(1));
            assertThat(thief.poll()).isEqualTo(task(0));
            assertThat(small.poll()).isEqualTo(task(2));
            assertThat(small.poll()).isEqualTo(task(3));
            assertThat(small.poll()).isNull();
            assertThat(small.isEmpty()).isTrue();
            small.clearTaken();
            assertThat(held(small)).isZero();
        }
    }

    /** After 2^31 tasks without a pause: a count through all of them would hold the carrier for seconds each time. */
    @Test
    void whatWasTakenIsForgottenAtOnceHoweverMuchItIs() throws Exception {
        MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(RunQueue.class, MethodHandles.lookup());
        for (int round = 0; round < 500; round++) {
            RunQueue small = new RunQueue(4);
            for (String index : List.of("head", "tail")) {
                lookup.findVarHandle(RunQueue.class, index, int.class).set(small, Integer.MIN_VALUE + 5);
            }
            RunQueue thief = new RunQueue(4);
            for (int i = 0; i < 4; i++) {
                small.offer(task(i));
            }
            thief.stealFrom(small);
            thief.poll();
            thief.stealFrom(small);
            small.poll();
            small.clearTaken();
            assertThat(held(small)).isZero();
        }
    }

    @Test
    void aReplacedRunNextIsRestoredUnlessTheNewOneWasTaken_I3() {
        queue.replaceRunNext(task("a"));
        Runnable old = queue.replaceRunNext(task("b"));
        assertThat(queue.restoreRunNext(queue.peekRunNext(), old)).isTrue();
        assertThat(queue.takeRunNext()).isEqualTo(task("a"));
        queue.replaceRunNext(task("a"));
        old = queue.replaceRunNext(task("b"));
        Runnable taken = queue.takeRunNext();
        assertThat(queue.restoreRunNext(taken, old)).isFalse();
        assertThat(queue.takeRunNext()).isEqualTo(task("a"));
    }

    @Test
    void takenTasksAreForgottenOnDemand() throws Exception {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < CAPACITY; i++) {
                queue.offer(task(i));
            }
            RunQueue thief = new RunQueue(CAPACITY);
            while (thief.stealFrom(queue) != null) {
                while (thief.poll() != null) {
                    // taken
                }
            }
            queue.clearTaken();
            assertThat(held(queue)).isZero();
            assertThat(held(thief)).isZero();
        }
        queue.offer(task("kept"));
        queue.clearTaken();
        assertThat(held(queue)).isEqualTo(1);
        assertThat(queue.poll()).isEqualTo(task("kept"));
    }

    @Test
    void theTakenCountMovesWithEachTaskTaken() {
        queue.offer(task(0));
        queue.offer(task(1));
        int before = queue.takenCount();
        queue.poll();
        assertThat(queue.takenCount()).isEqualTo(before + 1);
        queue.replaceRunNext(task("next"));
        queue.takeRunNext();
        assertThat(queue.takenCount()).isEqualTo(before + 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, 255})
    void aCapacityIsAPowerOfTwo(int capacity) {
        assertThatThrownBy(() -> new RunQueue(capacity))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(String.valueOf(capacity));
    }

    /**
     * Go: TestSchedLocalQueueEmpty. Two tasks are in the queue; the owner pushes one of them on through run-next and the ring
     * in all four combinations while another thread asks: there is never none.
     */
    @Test
    void emptinessIsNeverReportedWhileATaskIsQueued_I4() throws InterruptedException {
        Rig.Task a = task("a");
        Rig.Task b = task("b");
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger spurious = new AtomicInteger();
        CountDownLatch asking = new CountDownLatch(1);
        queue.offer(a);
        Thread asker = Thread.ofPlatform().daemon().start(() -> {
            while (!done.get()) {
                if (queue.isEmpty()) {
                    spurious.incrementAndGet();
                }
                asking.countDown();
            }
        });
        asking.await();
        for (int i = 0; i < 200_000; i++) {
            put(b, (i & 1) != 0);
            Runnable first = get();
            put(a, (i & 2) != 0);
            Runnable second = get();
            assertThat(first != null && second != null).isTrue();
            while (queue.size() > 1) {
                queue.poll();
            }
        }
        done.set(true);
        asker.join();
        assertThat(spurious.get()).isZero();
    }

    private void put(Runnable task, boolean next) {
        Runnable toRing = next ? queue.replaceRunNext(task) : task;
        if (toRing != null) {
            queue.offer(toRing);
        }
    }

    private Runnable get() {
        Runnable next = queue.takeRunNext();
        return next != null ? next : queue.poll();
    }

    /** How many references the ring holds. */
    private static int held(RunQueue queue) throws Exception {
        MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(RunQueue.class, MethodHandles.lookup());
        Runnable[] ring = (Runnable[])
                lookup.findVarHandle(RunQueue.class, "ring", Runnable[].class).get(queue);
        int held = 0;
        for (Runnable each : ring) {
            held += each == null ? 0 : 1;
        }
        return held;
    }

    private static List<Runnable> tasks(int from, int to) {
        List<Runnable> tasks = new ArrayList<>();
        for (int i = from; i < to; i++) {
            tasks.add(task(i));
        }
        return tasks;
    }
}
