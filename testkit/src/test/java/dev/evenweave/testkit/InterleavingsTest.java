// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;

class InterleavingsTest {
    /** A test as a user would write it. */
    @Interleavings(seeds = 20)
    void twoThreadsShareAPermit(Interleaving run) {
        Semaphore permits = new Semaphore(1);
        int[] inside = new int[1];
        for (int i = 0; i < 2; i++) {
            run.start("worker " + i, () -> {
                permits.acquire();
                assertThat(++inside[0]).isEqualTo(1);
                Interleaving.point();
                inside[0]--;
                permits.release();
            });
        }
        run.runAll();
    }

    @Test
    void eachSeedIsATestOfItsOwn() {
        EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(InterleavingsTest.class, "twoThreadsShareAPermit", Interleaving.class))
                .execute()
                .testEvents()
                .assertStatistics(events -> events.started(20).succeeded(20));
    }
}
