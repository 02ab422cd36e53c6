// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import dev.evenweave.scheduler.Scenario.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Makes up scenarios: every seed one of its own. */
final class ScenarioGenerator {
    private static final long FOR_EVER = 1L << 40;
    private static final int[] PARALLELISM = {1, 1, 1, 2, 2, 3, 4, 8, 16, 64};

    private final SplittableRandom random;
    private final List<Script> threads = new ArrayList<>();
    private final long slice;

    private ScenarioGenerator(long seed) {
        random = new SplittableRandom(seed);
        slice = between(500_000, 10_000_000);
    }

    /** The scenario of a seed. */
    static Scenario scenario(long seed, long maxEvents) {
        return new ScenarioGenerator(seed).make(seed, 0, maxEvents);
    }

    /** The scenario of a seed with so many processors. */
    static Scenario scenario(long seed, int parallelism, long maxEvents) {
        return new ScenarioGenerator(seed).make(seed, parallelism, maxEvents);
    }

    private Scenario make(long seed, int fixed, long maxEvents) {
        int parallelism = fixed > 0 ? fixed : PARALLELISM[random.nextInt(PARALLELISM.length)];
        int groups = random.nextInt(1, 6) + random.nextInt(parallelism + 1);
        for (int i = 0; i < groups; i++) {
            addGroup();
        }
        Policy policy = Policy.defaults().toBuilder()
                .timeSlice(Duration.ofNanos(slice))
                .handOverAfter(Duration.ofNanos(slice + slice / 2))
                .monitorSlow(Duration.ofNanos(Math.max(20_000, random.nextInt(4) == 0 ? slice / 2 : slice)))
                .keepAlive(Duration.ofMillis(random.nextInt(2) == 0 ? 30 : 30_000))
                .build();
        int ring = random.nextInt(3) == 0 ? 8 : 256;
        return new Scenario(
                seed,
                parallelism,
                Integer.MAX_VALUE,
                ring,
                policy,
                Costs.MEASURED,
                random.nextInt(2) * 100,
                List.copyOf(threads),
                between(20, 200) * slice,
                maxEvents);
    }

    private void addGroup() {
        int first = threads.size();
        long start = random.nextInt(3) == 0 ? between(0, 20 * slice) : between(0, 1_000_000);
        switch (random.nextInt(11)) {
            case 0, 1 -> {
                // A pair that wakes each other.
                long work = piece();
                long poll = poll();
                add(start, Step.wake(first + 1), Step.compute(work, poll), Step.park(), again(0));
                add(start, Step.park(), Step.compute(work, poll), Step.wake(first), again(0));
            }
            case 2, 3 -> add(start, Step.compute(between(slice, 30 * slice), between(1_000, slice / 4)), again(0));
            case 4 -> {
                // A hog that does not poll, and now and then sleeps.
                add(
                        start,
                        Step.compute(between(slice, 30 * slice), 0),
                        Step.sleep(between(10_000, 5 * slice)),
                        again(0));
            }
            case 5 -> add(start, Step.compute(piece(), poll()), Step.yields(), again(0));
            case 6 -> add(start, Step.compute(piece(), poll()), Step.sleep(between(1_000, 3 * slice)), again(0));
            case 7 -> {
                Step blocking = random.nextBoolean()
                        ? Step.block(between(1_000, 10 * slice))
                        : Step.pin(between(1_000, 10 * slice));
                add(start, Step.compute(piece(), 0), blocking, Step.yields(), again(0));
            }
            case 8 -> {
                // Starts a burst of short threads, which overflows small rings.
                int burst = random.nextInt(1, 40);
                add(
                        start,
                        Step.spawn(first + 1),
                        Step.repeat(0, burst),
                        Step.compute(piece(), poll()),
                        Step.sleep(between(100_000, 4 * slice)),
                        again(0));
                add(-1, Step.compute(between(100, 20_000), 0));
            }
            case 9 -> {
                // Wakes several, who wake it back.
                int others = random.nextInt(2, 6);
                List<Step> steps = new ArrayList<>();
                for (int i = 1; i <= others; i++) {
                    steps.add(Step.wake(first + i));
                }
                steps.add(Step.compute(piece(), poll()));
                steps.add(Step.park());
                steps.add(again(0));
                threads.add(new Script(start, steps));
                for (int i = 1; i <= others; i++) {
                    add(start, Step.park(), Step.compute(piece(), poll()), Step.wake(first), again(0));
                }
            }
            default -> {
                // A chain: each starts its successor and goes on for a while.
                add(start, Step.compute(piece(), 0), Step.spawn(first + 1), Step.compute(piece(), poll()));
                threads.set(
                        first,
                        new Script(
                                start,
                                Step.compute(piece(), 0),
                                Step.spawn(first + 1),
                                Step.compute(piece(), poll()),
                                Step.sleep(between(1_000, slice)),
                                again(0)));
                add(-1, Step.compute(piece(), 0), Step.spawn(first + 2));
                add(-1, Step.compute(piece(), 0));
            }
        }
    }

    private void add(long start, Step... steps) {
        threads.add(new Script(start, steps));
    }

    private static Step again(int from) {
        return Step.repeat(from, FOR_EVER);
    }

    private long piece() {
        return between(slice / 400 + 1, random.nextInt(4) == 0 ? 2 * slice : slice / 10);
    }

    private long poll() {
        return random.nextBoolean() ? 0 : between(1_000, slice / 8);
    }

    private long between(long least, long most) {
        return random.nextLong(least, Math.max(least + 1, most));
    }
}
