// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.fray;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pastalab.fray.junit.plain.FrayInTestLauncher;

/** Fray is at work in this module: it finds the lost update of a counter that reads and writes in two steps. */
class FrayFindsRacesTest {

    @Test
    void aLostUpdateIsFound() {
        assertThatThrownBy(() -> FrayInTestLauncher.INSTANCE.launchFrayTest(() -> {
                    AtomicInteger counter = new AtomicInteger();
                    runTwice(() -> counter.set(counter.get() + 1));
                    assertThat(counter).hasValue(2);
                }))
                .hasStackTraceContaining("Expecting");
    }

    @Test
    void anAtomicUpdateIsNotLost() {
        FrayInTestLauncher.INSTANCE.launchFrayTest(() -> {
            AtomicInteger counter = new AtomicInteger();
            runTwice(counter::incrementAndGet);
            assertThat(counter).hasValue(2);
        });
    }

    private static void runTwice(Runnable step) {
        Thread one = new Thread(step);
        Thread two = new Thread(step);
        one.start();
        two.start();
        try {
            one.join();
            two.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
