// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.scheduler.Honour;
import dev.evenweave.scheduler.Scheduler;
import dev.evenweave.scheduler.SchedulerStats;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SchedulerGuideTest {
    @Test
    void theQuickStartRuns() {
        QuickStart.main(new String[0]);
    }

    @Test
    void threadsAreMadeInThreeWays() throws Exception {
        assertThat(SchedulerGuide.threeWays()).contains("orders").contains("living threads 0");
    }

    @Test
    void aTunedPolicyIsWhatTheSchedulerHas() {
        assertThat(SchedulerGuide.tuned().timeSlice()).isEqualTo(Duration.ofMillis(5));
        assertThat(SchedulerGuide.tuned().honour()).isEqualTo(Honour.OFF);
    }

    @Test
    void aParkedThreadCountsAsLivingAndEndsWhenInterrupted() throws InterruptedException {
        Scheduler scheduler = Scheduler.builder().parallelism(1).build();
        CountDownLatch running = new CountDownLatch(1);
        Thread thread = scheduler.threadBuilder().start(() -> {
            running.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // as asked
                return;
            }
        });
        running.await();
        SchedulerStats stats = SchedulerGuide.watched(scheduler);
        assertThat(stats.living()).isEqualTo(1);
        scheduler.shutdownNow();
        assertThat(SchedulerGuide.closedInTime(scheduler)).isTrue();
        thread.join();
    }
}
