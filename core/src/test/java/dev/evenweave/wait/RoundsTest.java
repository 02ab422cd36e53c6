// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import static dev.evenweave.wait.WaitQueue.CLOSED;
import static dev.evenweave.wait.WaitQueue.FOREVER;
import static dev.evenweave.wait.WaitQueue.GRANTED;
import static dev.evenweave.wait.WaitQueue.TIMED_OUT;
import static dev.evenweave.wait.WaitQueue.WAITING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.wait.WaitQueue.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RoundsTest {
    private static final class Counting extends CallbackWaiter {
        int calls;

        @Override
        protected void completed(WaitQueue queue, long result) {
            calls++;
        }
    }

    private static Rounds rounds(long left, long parties) {
        return new Rounds(0, left, parties, Parker.THREADS);
    }

    @Test
    void aRoundEndsOnceWithTheArrivalThatMakesTheCountZero_I1() {
        Rounds rounds = rounds(2, 0);
        Counting waiter = new Counting();
        assertThat(rounds.await(0, waiter)).isEqualTo(WAITING);
        assertThat(rounds.countDown(1)).isEqualTo(1);
        assertThat(rounds.period()).isZero();
        assertThat(rounds.countDown(5)).isEqualTo(1);
        assertThat(rounds.period()).isEqualTo(1);
        assertThat(rounds.countDown(1)).isZero();
        assertThat(rounds.tryCountDown(0)).isTrue();
        assertThat(rounds.period()).isEqualTo(1);
        assertThat(waiter.calls).isEqualTo(1);
    }

    @Test
    void noRoundEndsAfterClosing_I1() {
        Rounds rounds = rounds(2, 2);
        rounds.close(null);
        assertThat(rounds.countDown(2)).isEqualTo(2);
        assertThat(rounds.left()).isEqualTo(2);
        assertThat(rounds.arriveAndAwait(Mode.INTERRUPTIBLE, FOREVER)).isEqualTo(CLOSED);
        assertThat(rounds.arriveAndAwait(new Counting())).isEqualTo(CLOSED);
        assertThat(rounds.add(1, 1)).isEqualTo(CLOSED);
        assertThat(rounds.arrive(new Rounds.Party())).isEqualTo(CLOSED);
        assertThat(rounds.tryCountDown(2)).isTrue();
        assertThat(rounds.left()).isZero();
        assertThat(rounds.period()).isZero();
    }

    @Test
    void theCountNeverGoesBelowZero_I2() {
        Rounds rounds = rounds(2, 0);
        assertThat(rounds.tryCountDown(3)).isFalse();
        assertThat(rounds.left()).isEqualTo(2);
        assertThat(rounds.period()).isZero();
    }

    @Test
    void aPartyCountsOnceInEachRound_I3() {
        Rounds rounds = rounds(0, 0);
        assertThat(rounds.add(2, 2)).isEqualTo(GRANTED);
        Rounds.Party a = new Rounds.Party();
        Rounds.Party b = new Rounds.Party();
        assertThat(rounds.arrive(a)).isEqualTo(GRANTED);
        assertThat(rounds.arrive(a)).isEqualTo(GRANTED);
        assertThat(rounds.arriveUnlessPending(a)).isEqualTo(GRANTED);
        assertThat(rounds.left()).isEqualTo(1);
        assertThat(rounds.leave(a)).isTrue();
        assertThat(rounds.leave(a)).isFalse();
        assertThat(rounds.arrive(a)).isEqualTo(Rounds.GONE);
        assertThat(rounds.left()).isEqualTo(1);
        assertThat(rounds.parties()).isEqualTo(1);
        assertThat(rounds.leave(b)).isTrue();
        assertThat(rounds.period()).isEqualTo(1);
        assertThat(rounds.parties()).isZero();
    }

    @Test
    void anAdditionThatWouldOverflowChangesNothing_I4() {
        Rounds rounds = rounds(0, 0);
        assertThat(rounds.add(Long.MAX_VALUE - 1, 3)).isEqualTo(GRANTED);
        assertThat(rounds.add(2, 1)).isEqualTo(Rounds.FULL);
        assertThat(rounds.add(1, Long.MAX_VALUE - 2)).isEqualTo(Rounds.FULL);
        assertThat(rounds.addToThisRound(0, 2)).isFalse();
        assertThat(rounds.left()).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(rounds.parties()).isEqualTo(3);
    }

    @Test
    void arrivingWithoutTimeCountsAndDoesNotWait() {
        Rounds rounds = rounds(2, 2);
        assertThat(rounds.arriveAndAwait(Mode.INTERRUPTIBLE, 0)).isEqualTo(TIMED_OUT);
        assertThat(rounds.arriveAndAwait(Mode.INTERRUPTIBLE, 0)).isEqualTo(Rounds.LAST);
        assertThat(rounds.period()).isEqualTo(1);
    }

    @Test
    void roundsThatManyThreadsMeetInHaveOneLastArrivalEach_I1() throws Exception {
        int parties = 4;
        int generations = 2_000;
        Rounds rounds = rounds(parties, parties);
        AtomicInteger last = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < parties; t++) {
            threads.add((t % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform()).start(() -> {
                for (int i = 0; i < generations; i++) {
                    if (rounds.arriveAndAwait(Mode.UNINTERRUPTIBLE, FOREVER) == Rounds.LAST) {
                        last.incrementAndGet();
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(last).hasValue(generations);
        assertThat(rounds.period()).isEqualTo(generations);
    }
}
