// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.examples;

import dev.evenweave.scheduler.Scheduler;
import java.util.concurrent.ExecutorService;

/** The sample of the README, as a program. */
public final class QuickStart {
    private static volatile long sum;

    private QuickStart() {}

    /** Runs it. */
    public static void main(String[] args) {
        try (Scheduler scheduler = Scheduler.builder().build();
                ExecutorService threads = scheduler.newThreadPerTaskExecutor()) {
            threads.submit(() -> {
                for (int i = 0; i < 100_000_000; i++) {
                    step(i);
                    Scheduler.checkpoint(); // makes room here when others wait and the time slice is used up
                }
            });
            threads.submit(() -> System.out.println("not kept waiting"));
        }
    }

    private static void step(int i) {
        sum += i;
    }
}
