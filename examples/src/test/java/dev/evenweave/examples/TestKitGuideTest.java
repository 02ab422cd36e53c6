// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.testkit.Interleaving;
import dev.evenweave.testkit.Interleavings;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** The samples of docs/testkit.md. */
class TestKitGuideTest {
    /** Loads each value once. */
    private static final class Cache {
        private final ReentrantLock lock = new ReentrantLock();
        private final Map<String, String> values = new HashMap<>();
        private int loads;

        String get(String key) {
            lock.lock();
            try {
                String value = values.get(key);
                if (value == null) {
                    Interleaving.point(); // loading takes its time
                    value = "value " + ++loads;
                    values.put(key, value);
                }
                return value;
            } finally {
                lock.unlock();
            }
        }
    }

    @Interleavings(seeds = 50)
    void loadsOnce(Interleaving run) {
        Cache cache = new Cache();
        run.start("one", () -> cache.get("key"));
        run.start("two", () -> cache.get("key"));
        run.runAll();
        assertThat(cache.loads).isEqualTo(1);
    }

    @Test
    void aPermitSurvivesAnInterruptAtAnyStep() {
        long steps = Interleaving.sweep(1, (run, step) -> {
            Semaphore permits = new Semaphore(1);
            run.start("other", () -> use(permits));
            Thread worker = run.start("worker", () -> use(permits));
            run.interruptAt(step, worker);
            run.runAll();
            assertThat(permits.availablePermits()).isEqualTo(1);
        });
        assertThat(steps).isPositive();
    }

    static void use(Semaphore permits) {
        try {
            permits.acquire();
        } catch (InterruptedException e) {
            return; // without a permit
        }
        try {
            Interleaving.point();
        } finally {
            permits.release();
        }
    }
}
