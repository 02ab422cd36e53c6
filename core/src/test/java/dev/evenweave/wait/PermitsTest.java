// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import static dev.evenweave.wait.WaitQueue.FOREVER;
import static dev.evenweave.wait.WaitQueue.GRANTED;
import static dev.evenweave.wait.WaitQueue.WAITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.wait.WaitQueue.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PermitsTest {
    private final Permits permits = new Permits(0, Long.MAX_VALUE, Parker.THREADS);
    private final List<String> called = new ArrayList<>();

    /** Notes its name when it is called. */
    private final class Noting extends CallbackWaiter {
        final String name;

        Noting(String name) {
            this.name = name;
        }

        @Override
        protected void completed(WaitQueue queue, long result) {
            called.add(result == GRANTED ? name : name + " closed");
        }
    }

    @Test
    void somebodyStandsInTheQueueIfAndOnlyIfTheStateIsQueued_I1() {
        Noting a = new Noting("a");
        assertThat(permits.acquire(2, a)).isEqualTo(WAITING);
        permits.release(1);
        assertThat(permits.available()).isZero();
        assertThat(permits.tryAcquire(1)).isFalse();
        assertThat(permits.tryAcquire(0)).isTrue();
        permits.release(2);
        assertThat(called).containsExactly("a");
        assertThat(permits.available()).isEqualTo(1);
        assertThat(permits.waiting()).isZero();
    }

    @Test
    void onlyTheHeadHasAPart_I3() {
        permits.acquire(3, new Noting("a"));
        permits.acquire(1, new Noting("b"));
        permits.release(2);
        assertThat(called).isEmpty();
        permits.release(1);
        assertThat(called).containsExactly("a");
        permits.release(1);
        assertThat(called).containsExactly("a", "b");
    }

    @Test
    void whoLeavesGivesItsPartToTheNext_I4() {
        Noting a = new Noting("a");
        permits.acquire(5, a);
        permits.acquire(2, new Noting("b"));
        permits.release(3);
        assertThat(permits.cancel(a)).isTrue();
        assertThat(permits.cancel(a)).isFalse();
        assertThat(called).containsExactly("b");
        assertThat(permits.available()).isEqualTo(1);
    }

    @Test
    void theBalanceNeverExceedsMax_I5() {
        Permits one = new Permits(1, 1, Parker.THREADS);
        assertThat(one.release(1)).isFalse();
        assertThat(one.available()).isEqualTo(1);
        one.releaseUpToMax(1);
        assertThat(one.available()).isEqualTo(1);
    }

    @Test
    void aWaiterThatWaitsCannotWaitElsewhere() {
        Noting a = new Noting("a");
        permits.acquire(1, a);
        Permits other = new Permits(0, 1, Parker.THREADS);
        assertThatThrownBy(() -> other.acquire(1, a)).isInstanceOf(IllegalStateException.class);
        assertThat(other.waiting()).isZero();
        assertThat(other.release(1)).isTrue();
        permits.release(1);
        assertThat(called).containsExactly("a");
    }

    @Test
    void threadsAndCallbacksAreServedInTheOrderInWhichTheyCame() throws Exception {
        List<String> order = java.util.Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            int number = i;
            int before = permits.waiting();
            switch (i % 3) {
                case 0 ->
                    permits.acquire(1, new CallbackWaiter() {
                        @Override
                        protected void completed(WaitQueue queue, long result) {
                            order.add("callback " + number);
                            permits.release(1);
                        }
                    });
                case 1 ->
                    threads.add(Thread.ofVirtual().start(() -> {
                        permits.acquire(1, Mode.UNINTERRUPTIBLE, FOREVER);
                        order.add("virtual " + number);
                        permits.release(1);
                    }));
                default ->
                    threads.add(Thread.ofPlatform().start(() -> {
                        permits.acquire(1, Mode.UNINTERRUPTIBLE, FOREVER);
                        order.add("platform " + number);
                        permits.release(1);
                    }));
            }
            while (permits.waiting() == before) {
                Thread.onSpinWait();
            }
        }
        permits.release(1);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(order)
                .containsExactly(
                        "callback 0",
                        "virtual 1",
                        "platform 2",
                        "callback 3",
                        "virtual 4",
                        "platform 5",
                        "callback 6",
                        "virtual 7",
                        "platform 8");
    }

    @Test
    void waitingMakesAndLosesNoPermits_I2() throws Exception {
        Permits shared = new Permits(5, 5, Parker.THREADS);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            Thread.Builder builder = t % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
            threads.add(builder.start(() -> {
                ThreadLocalRandom random = ThreadLocalRandom.current();
                for (int i = 0; i < 5_000; i++) {
                    long n = random.nextLong(1, 6);
                    if (random.nextInt(8) == 0) {
                        Thread.currentThread().interrupt();
                    }
                    long nanos = random.nextInt(4) == 0 ? random.nextLong(20_000) : FOREVER;
                    long result = shared.acquire(n, Mode.INTERRUPTIBLE, nanos);
                    Thread.interrupted();
                    if (result == GRANTED) {
                        shared.release(n);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(shared.available()).isEqualTo(5);
        assertThat(shared.waiting()).isZero();
    }

    @Test
    void closingEndsEveryWaitAndKeepsTheParts() {
        Noting a = new Noting("a");
        permits.acquire(5, a);
        permits.acquire(1, new Noting("b"));
        permits.release(2);
        assertThat(permits.close(null)).isTrue();
        assertThat(permits.close(null)).isFalse();
        assertThat(called).containsExactly("a closed", "b closed");
        assertThat(permits.available()).isEqualTo(2);
        assertThat(permits.acquire(1, a)).isNegative();
        assertThat(permits.acquire(1, Mode.UNINTERRUPTIBLE, FOREVER)).isNegative();
        assertThat(permits.tryAcquire(0)).isFalse();
        assertThat(permits.release(3)).isTrue();
        assertThat(permits.available()).isEqualTo(5);
    }
}
