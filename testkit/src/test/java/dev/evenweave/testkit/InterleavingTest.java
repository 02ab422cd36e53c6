// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class InterleavingTest {
    @Test
    void theSameSeedGivesTheSameOrderAndOthersGiveOthers() {
        assertThat(order(7)).isEqualTo(order(7));
        List<String> orders = new ArrayList<>();
        for (long seed = 0; seed < 20; seed++) {
            orders.add(order(seed));
        }
        assertThat(orders.stream().distinct().count()).isGreaterThan(10);
    }

    private static String order(long seed) {
        StringBuilder order = new StringBuilder();
        Interleaving run = Interleaving.ofSeed(seed);
        for (String name : List.of("a", "b", "c")) {
            run.start(name, () -> {
                for (int i = 0; i < 4; i++) {
                    order.append(name);
                    Interleaving.point();
                }
            });
        }
        run.runAll();
        return order.toString();
    }

    @Test
    void whatAThreadThrowsFailsTheRun() {
        Interleaving run = Interleaving.ofSeed(3);
        run.start("a", () -> {
            throw new IllegalStateException("broken");
        });
        assertThatThrownBy(run::runAll)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("seed 3")
                .hasRootCauseMessage("broken");
    }

    @Test
    void threadsThatNobodyWakesAreReportedByName() {
        Interleaving run = Interleaving.ofSeed(3);
        run.start("the one that waits", LockSupport::park);
        assertThatThrownBy(run::runAll).hasMessageContaining("stuck").hasMessageContaining("the one that waits");
    }

    @Test
    void aRunThatDoesNotEndIsEnded() {
        Interleaving run = Interleaving.ofSeed(3);
        run.limitSteps(100);
        run.start("a", () -> {
            while (true) {
                Thread.yield();
            }
        });
        assertThatThrownBy(run::runAll).hasMessageContaining("100 steps");
    }

    @Test
    void timeLimitsRunOutWhenNobodyCanRunTheEarliestFirst() {
        List<String> order = new ArrayList<>();
        Interleaving run = Interleaving.ofSeed(1);
        run.start("late", () -> {
            Thread.sleep(Duration.ofMillis(20));
            order.add("late");
        });
        run.start("early", () -> {
            Thread.sleep(Duration.ofMillis(5));
            order.add("early");
        });
        run.runAll();
        assertThat(order).containsExactly("early", "late");
    }

    @Test
    void aTimeLimitCanRunOutAtAStep() {
        Interleaving run = Interleaving.ofSeed(1);
        Semaphore permits = new Semaphore(0);
        boolean[] got = new boolean[1];
        run.timeOutAt(1);
        run.start("a", () -> {
            got[0] = permits.tryAcquire(1, TimeUnit.MILLISECONDS);
            permits.release();
        });
        run.runAll();
        assertThat(got[0]).isFalse();
    }

    @Test
    void monitorsWorkToo() {
        Object monitor = new Object();
        int[] count = new int[1];
        Interleaving run = Interleaving.ofSeed(1);
        for (int i = 0; i < 4; i++) {
            run.start("t" + i, () -> {
                synchronized (monitor) {
                    count[0]++;
                    Interleaving.point();
                }
            });
        }
        run.runAll();
        assertThat(count[0]).isEqualTo(4);
    }

    @Test
    void aSweepEndsWithTheRun() {
        List<Long> seen = new ArrayList<>();
        long reached = Interleaving.sweep(5, (run, step) -> {
            seen.add(step);
            Thread thread = run.start("a", () -> {
                Thread.yield();
                Thread.yield();
            });
            run.interruptAt(step, thread);
            run.runAll();
        });
        assertThat(reached).isEqualTo(3);
        assertThat(seen).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void badArgumentsAreNamed() {
        Interleaving run = Interleaving.ofSeed(1);
        assertThatThrownBy(() -> run.atStep(-1, () -> {})).hasMessageContaining("-1");
        assertThatThrownBy(() -> run.limitSteps(0)).hasMessageContaining("limit 0");
    }
}
