// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.examples;

import dev.evenweave.scheduler.Scheduler;

public final class QuickStart {
    static long sum;

    public static void main(String[] args) {
        try (Scheduler scheduler = Scheduler.builder().parallelism(1).build()) {
            long start = System.nanoTime();
            scheduler.threadBuilder().start(() -> {
                for (int i = 0; i < 1_000_000_000; i++) {
                    sum += i;
                    Scheduler.checkpoint(); // makes room when the time slice is used up and others wait
                }
                System.out.println("computed for " + millisSince(start) + " ms");
            });
            scheduler.threadBuilder().start(() -> System.out.println("kept waiting for " + millisSince(start) + " ms"));
        } // waits for both
    }

    static long millisSince(long start) {
        return (System.nanoTime() - start) / 1_000_000;
    }
}
