// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OsThreadTest {

    @ParameterizedTest
    @CsvSource({
        "12 (java) S 1 2 3, true",
        "12 (java) D 1 2 3, true",
        "12 (java) R 1 2 3, false",
        "12 (a) S b) R 1 2, false",
        "12 (carrier 1) S 1, true",
        "12 (, false",
        "12 (x), false",
        "'', false"
    })
    void theLetterBehindTheNameCounts(String stat, boolean blocked) {
        assertThat(OsThread.isBlocked(stat)).isEqualTo(blocked);
    }

    @Test
    void theUnknownIsNeverBlocked() {
        assertThat(OsThread.UNKNOWN.isBlocked()).isFalse();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aThreadThatWaitsIsBlockedAndOneThatRunsIsNot() throws Exception {
        AtomicBoolean spins = new AtomicBoolean(true);
        CountDownLatch known = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicReference<OsThread> seen = new AtomicReference<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            seen.set(OsThread.current());
            known.countDown();
            while (spins.get()) {
                Thread.onSpinWait();
            }
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        known.await();
        OsThread os = seen.get();
        // A garbage collection may stop it for a moment: not every look has to see it run, but one must.
        while (os.isBlocked()) {
            Thread.onSpinWait();
        }
        spins.set(false);
        while (!os.isBlocked()) {
            Thread.onSpinWait();
        }
        end.countDown();
        thread.join();
        assertThat(os.isBlocked()).as("a thread that has ended").isFalse();
    }
}
