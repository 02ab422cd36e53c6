// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import dev.evenweave.scheduler.Scenario.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Scenarios that chance would take long to make up. */
final class Directed {
    static final long FOR_EVER = 1L << 40;

    /** When the spinner of {@link #pairAndSpinner} comes to the pair. */
    static final long SPINNER_STARTS = 5_000_000;

    private Directed() {}

    static List<Scenario> all() {
        return List.of(crowdedRing(), oneBehindEachHog());
    }

    /**
     * One thread wakes three, of which the last but one wakes it again: whenever run-next is free the ring is not, no slice
     * lasts long, and a sleeper has to get in from the global queue.
     */
    static Scenario crowdedRing() {
        Step work = Step.compute(10_000, 0);
        return on(
                1,
                Policy.defaults(),
                List.of(
                        new Script(
                                1_000, Step.wake(1), Step.wake(2), Step.wake(3), Step.park(), Step.repeat(0, FOR_EVER)),
                        new Script(0, Step.park(), work, Step.repeat(0, FOR_EVER)),
                        new Script(0, Step.park(), work, Step.wake(0), Step.repeat(0, FOR_EVER)),
                        new Script(0, Step.park(), work, Step.repeat(0, FOR_EVER)),
                        new Script(1_000, Step.sleep(2_000_000), work, Step.repeat(0, FOR_EVER))),
                Duration.ofMillis(500));
    }

    /** Half of many processors compute with one thread behind each, which only a thief can help: many thieves, many victims. */
    static Scenario oneBehindEachHog() {
        List<Script> threads = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            int next = threads.size() + 1;
            threads.add(new Script(1_000, Step.compute(2_000_000, 0), Step.wake(next), Step.compute(100_000_000, 0)));
            threads.add(new Script(0, Step.park(), Step.compute(1_000, 0)));
        }
        return on(64, Policy.defaults(), threads, Duration.ofMillis(100));
    }

    /** The experiment of the public write-up: a pair that wakes each other beside a thread that computes and polls. */
    static Scenario pairAndSpinner(Policy policy, int parallelism, Duration length) {
        long poll = 1_000;
        return on(
                parallelism,
                policy,
                List.of(
                        new Script(0, Step.wake(1), Step.park(), Step.repeat(0, FOR_EVER)),
                        new Script(0, Step.park(), Step.wake(0), Step.repeat(0, FOR_EVER)),
                        new Script(SPINNER_STARTS, Step.compute(length.toNanos(), poll), Step.repeat(0, FOR_EVER))),
                length);
    }

    static Scenario on(int parallelism, Policy policy, List<Script> threads, Duration length) {
        return new Scenario(
                1,
                parallelism,
                Integer.MAX_VALUE,
                Dispatcher.RING_CAPACITY,
                policy,
                Costs.MEASURED,
                20,
                List.copyOf(threads),
                length.toNanos(),
                Long.MAX_VALUE);
    }
}
