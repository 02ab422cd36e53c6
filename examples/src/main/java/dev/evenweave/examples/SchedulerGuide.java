// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.examples;

import dev.evenweave.scheduler.Honour;
import dev.evenweave.scheduler.Policy;
import dev.evenweave.scheduler.Scheduler;
import dev.evenweave.scheduler.SchedulerStats;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;

/** The samples of docs/scheduler.md. */
public final class SchedulerGuide {
    private SchedulerGuide() {}

    static String threeWays() throws Exception {
        try (Scheduler scheduler = Scheduler.builder().name("orders").build()) {
            // One thread, with everything that Thread.ofVirtual() offers.
            Thread worker = scheduler.threadBuilder().name("worker-", 0).start(() -> {});
            worker.join();

            // An executor that starts a thread per task.
            try (ExecutorService tasks = scheduler.newThreadPerTaskExecutor()) {
                Future<String> answer = tasks.submit(() -> "done");
                answer.get();
            }

            // A factory, for executors, structured scopes and frameworks.
            ThreadFactory factory = scheduler.newThreadFactory();
            Thread other = factory.newThread(() -> {});
            other.start();
            other.join();

            return scheduler.toString();
        }
    }

    static Policy tuned() {
        Policy policy = Policy.defaults().toBuilder()
                .timeSlice(Duration.ofMillis(5))
                .handOverAfter(Duration.ofMillis(8))
                .maxCarriers(64)
                .build();
        try (Scheduler scheduler =
                Scheduler.builder().parallelism(2).policy(policy).build()) {
            scheduler.honour(Honour.OFF); // while it runs
            return scheduler.policy();
        }
    }

    static SchedulerStats watched(Scheduler scheduler) {
        SchedulerStats stats = scheduler.stats();
        if (stats.oldestRunnable().toMillis() > 100 || stats.handOversRefused() > 0) {
            System.err.println("threads are kept waiting: " + stats);
        }
        return stats;
    }

    static boolean closedInTime(Scheduler scheduler) throws InterruptedException {
        scheduler.shutdown(); // no new threads
        if (!scheduler.awaitTermination(Duration.ofSeconds(10))) {
            scheduler.shutdownNow(); // interrupts those that are left
        }
        return scheduler.awaitTermination(Duration.ofSeconds(10));
    }
}
