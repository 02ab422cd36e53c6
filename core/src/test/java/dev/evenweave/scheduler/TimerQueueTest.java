// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatObject;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerQueueTest {
    private final Timers.Shard shard = new Timers.Shard();
    private final TimerQueue queue = new TimerQueue();

    private Timer timer(long deadline) {
        return new Timer(shard, () -> {}, deadline);
    }

    private Timer add(long deadline) {
        Timer timer = timer(deadline);
        queue.add(timer);
        queue.check();
        return timer;
    }

    /** Go: TestAfterQueuing. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 64, 65, 1000})
    void timersFireInTheOrderOfTheirDeadlines_I1(int count) {
        List<Long> deadlines = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            deadlines.add(i * 10);
        }
        Collections.shuffle(deadlines, new Random(count));
        deadlines.forEach(this::add);
        for (long i = 0; i < count; i++) {
            assertThatObject(queue.pollExpired(i * 10 - 1)).isNull();
            Timer due = queue.pollExpired(i * 10);
            assertThat(due.deadline).isEqualTo(i * 10);
            assertThat(due.index).isEqualTo(-1);
            queue.check();
        }
        assertThatObject(queue.pollExpired(Long.MAX_VALUE)).isNull();
    }

    @Test
    void timersOfEqualDeadlineFireInTheOrderOfTheirAddition_I4() {
        List<Timer> added = new ArrayList<>();
        Random random = new Random(4);
        for (int i = 0; i < 500; i++) {
            added.add(add(random.nextInt(5)));
        }
        List<Timer> expected = new ArrayList<>(added);
        expected.sort(Comparator.comparingLong(timer -> timer.deadline)); // stable
        for (Timer timer : expected) {
            assertThatObject(queue.pollExpired(5)).isSameAs(timer);
        }
    }

    @Test
    void aTimerTakenOutFromAnywhereLeavesTheRestInOrder_I1_I2_I3() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            List<Timer> in = new ArrayList<>();
            int count = 1 + random.nextInt(40);
            for (int i = 0; i < count; i++) {
                in.add(add(random.nextInt(50)));
            }
            Collections.shuffle(in, random);
            int out = random.nextInt(count + 1);
            for (Timer timer : in.subList(0, out)) {
                assertThat(queue.remove(timer)).isTrue();
                queue.check();
                assertThat(queue.remove(timer)).as("once").isFalse();
            }
            assertThat(queue.size()).isEqualTo(count - out);
            long last = Long.MIN_VALUE;
            for (Timer due; (due = queue.pollExpired(100)) != null; ) {
                assertThat(due.deadline).isGreaterThanOrEqualTo(last);
                last = due.deadline;
                queue.check();
            }
            assertThat(queue.size()).isZero();
        }
    }

    /** Go: TestTimerModifiedEarlier: in the JDK a deadline moves by cancelling and scheduling anew. */
    @Test
    void aTimerAddedLaterWithAnEarlierDeadlineFiresFirst() {
        Timer late = add(100);
        Timer early = add(50);
        assertThatObject(queue.peek()).isSameAs(early);
        assertThatObject(queue.pollExpired(50)).isSameAs(early);
        assertThatObject(queue.pollExpired(99)).isNull();
        assertThatObject(queue.pollExpired(100)).isSameAs(late);
    }

    @Test
    void theHeapShrinksWhenItHasEmptied() throws Exception {
        List<Timer> timers = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            Timer timer = timer(i);
            queue.add(timer);
            timers.add(timer);
        }
        int longest = capacity();
        assertThat(longest).isGreaterThanOrEqualTo(10_000);
        for (Timer timer : timers) {
            queue.remove(timer);
        }
        assertThat(capacity()).isLessThanOrEqualTo(64);
        queue.check();
        add(1);
        assertThatObject(queue.pollExpired(1)).isNotNull();
    }

    // ---- Timer

    @Test
    void aCancelledTimerIsInNoHeapOnceCancelHasReturned() {
        AtomicInteger ran = new AtomicInteger();
        Timer timer = new Timer(shard, ran::incrementAndGet, 10);
        shard.add(timer);
        assertThat(shard.size()).isEqualTo(1);
        assertThat(timer.isDone()).isFalse();
        assertThat(timer.cancel(false)).isTrue();
        assertThat(shard.size()).isZero();
        assertThat(timer.isCancelled()).isTrue();
        assertThat(timer.isDone()).isTrue();
        assertThat(timer.cancel(false)).as("once").isFalse();
        timer.run();
        assertThat(ran.get()).isZero();
        assertThatObject(shard.pollExpired(Long.MAX_VALUE - 1)).isNull();
    }

    @Test
    void aTimerThatHasFiredCannotBeCancelledAndRunsOnce() {
        AtomicInteger ran = new AtomicInteger();
        Timer timer = new Timer(shard, ran::incrementAndGet, 10);
        shard.add(timer);
        assertThatObject(shard.pollExpired(9)).isNull();
        assertThatObject(shard.pollExpired(10)).isSameAs(timer);
        timer.run();
        timer.run();
        assertThat(ran.get()).isEqualTo(1);
        assertThat(timer.cancel(false)).isFalse();
        assertThat(timer.isCancelled()).isFalse();
        assertThat(timer.isDone()).isTrue();
    }

    @Test
    void onlyTheEarliestTimerOfAShardNeedsAWakeUp() {
        assertThat(shard.add(timer(100))).isTrue();
        assertThat(shard.add(timer(200))).isFalse();
        assertThat(shard.add(timer(100))).as("fires after its equal").isFalse();
        assertThat(shard.add(timer(50))).isTrue();
    }

    @Test
    void aTimerIsAFutureWithoutAResult() {
        Timer timer = timer(10);
        assertThat(timer.isPeriodic()).isFalse();
        assertThatThrownBy(timer::get).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> timer.get(1, TimeUnit.SECONDS)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(timer(5).isBefore(timer)).isTrue();
        assertThat(timer.isBefore(timer(5))).isFalse();
    }

    private int capacity() throws Exception {
        MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(TimerQueue.class, MethodHandles.lookup());
        return ((Timer[]) lookup.findVarHandle(TimerQueue.class, "heap", Timer[].class)
                        .get(queue))
                .length;
    }
}
