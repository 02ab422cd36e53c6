// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Three bugs that a test kit should find, each found, replayed by its seed, and gone once repaired. */
class SamplesTest {
    private static final int SEEDS = 100;

    // ---- a lost wake-up
    // --------------------------------------------------------------------------------------------

    /** Opens once. The broken one looks whether it is open, and only then says that it waits. */
    static class Door {
        private final boolean broken;
        private boolean open;
        private @Nullable Thread waiter;

        Door(boolean broken) {
            this.broken = broken;
        }

        void await() {
            if (!broken) {
                waiter = Thread.currentThread();
            }
            while (!open) {
                Interleaving.point();
                waiter = Thread.currentThread();
                if (broken || !open) {
                    LockSupport.park();
                }
            }
        }

        void open() {
            open = true;
            Interleaving.point();
            LockSupport.unpark(waiter);
        }
    }

    @Test
    void aLostWakeUpIsFoundAndReplayed() {
        findsAndReplays(seed -> runDoor(seed, true), "stuck");
        forAllSeeds(seed -> runDoor(seed, false));
    }

    private static void runDoor(long seed, boolean broken) {
        Interleaving run = Interleaving.ofSeed(seed);
        Door door = new Door(broken);
        run.start("waiter", door::await);
        run.start("opener", door::open);
        run.runAll();
    }

    // ---- a permit that is lost to an interrupt
    // --------------------------------------------------------------------

    @Test
    void aPermitLeakOnInterruptIsFoundAndReplayed() {
        assertThatThrownBy(() -> sweepInterrupts(true))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("seed 1")
                .hasMessageContaining("step");
        assertThat(sweepInterrupts(false)).isPositive();
    }

    /** Interrupts a worker at every step; the broken one gives its permit back only if nothing goes wrong. */
    private static long sweepInterrupts(boolean broken) {
        return Interleaving.sweep(1, (run, step) -> {
            Semaphore permits = new Semaphore(1);
            Thread worker = run.start("worker", () -> {
                try {
                    work(permits, broken);
                } catch (InterruptedException e) {
                    // asked to end
                }
            });
            run.interruptAt(step, worker);
            run.runAll();
            assertThat(permits.availablePermits()).as("permits left").isEqualTo(1);
        });
    }

    private static void work(Semaphore permits, boolean broken) throws InterruptedException {
        permits.acquire();
        if (broken) {
            Thread.sleep(1);
            permits.release();
        } else {
            try {
                Thread.sleep(1);
            } finally {
                permits.release();
            }
        }
    }

    // ---- check, then act
    // -------------------------------------------------------------------------------------------

    @Test
    void aCheckThenActRaceIsFoundAndReplayed() {
        findsAndReplays(seed -> runCache(seed, true), "loaded 2 times");
        forAllSeeds(seed -> runCache(seed, false));
    }

    private static void runCache(long seed, boolean broken) {
        Interleaving run = Interleaving.ofSeed(seed);
        Map<String, String> cache = new HashMap<>();
        Semaphore lock = new Semaphore(1);
        int[] loads = new int[1];
        for (String name : new String[] {"one", "two"}) {
            run.start(name, () -> {
                if (!broken) {
                    lock.acquire();
                }
                if (!cache.containsKey("key")) {
                    Interleaving.point(); // loading takes its time
                    loads[0]++;
                    cache.put("key", name);
                }
                if (!broken) {
                    lock.release();
                }
            });
        }
        run.runAll();
        if (loads[0] != 1) {
            throw new AssertionError("loaded " + loads[0] + " times");
        }
    }

    // ----

    private interface Trial {
        void run(long seed);
    }

    private static void findsAndReplays(Trial trial, String message) {
        long found = -1;
        for (long seed = 0; seed < SEEDS && found < 0; seed++) {
            try {
                trial.run(seed);
            } catch (AssertionError e) {
                assertThat(e).hasMessageContaining(message);
                found = seed;
            }
        }
        assertThat(found).as("a seed that fails").isNotNegative();
        long seed = found;
        for (int again = 0; again < 3; again++) {
            assertThatThrownBy(() -> trial.run(seed)).hasMessageContaining(message);
        }
    }

    private static void forAllSeeds(Trial trial) {
        for (long seed = 0; seed < SEEDS; seed++) {
            trial.run(seed);
        }
    }
}
