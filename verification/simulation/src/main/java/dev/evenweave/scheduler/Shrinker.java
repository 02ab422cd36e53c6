// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import dev.evenweave.scheduler.Scenario.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Makes a failing scenario smaller for as long as it still fails. */
final class Shrinker {
    private final Predicate<Scenario> fails;

    Shrinker(Predicate<Scenario> fails) {
        this.fails = fails;
    }

    /** A scenario that fails, out of which nothing more can be taken without its ceasing to. */
    Scenario shrink(Scenario failing) {
        Scenario best = failing;
        boolean smaller = true;
        while (smaller) {
            smaller = false;
            for (int i = 0; i < best.threads().size(); i++) {
                Script thread = best.threads().get(i);
                if (!thread.steps().isEmpty() || thread.startAt() >= 0) {
                    Scenario without = replace(best, i, new Script(-1, List.of()));
                    if (fails.test(without)) {
                        best = without;
                        smaller = true;
                        continue;
                    }
                }
                for (int step = thread.steps().size() - 1; step >= 0; step--) {
                    Scenario without = replace(best, i, dropStep(best.threads().get(i), step));
                    if (fails.test(without)) {
                        best = without;
                        smaller = true;
                    }
                }
            }
            while (best.nanos() > 1_000_000 && fails.test(best.withNanos(best.nanos() / 2))) {
                best = best.withNanos(best.nanos() / 2);
                smaller = true;
            }
        }
        return best;
    }

    private static Scenario replace(Scenario scenario, int index, Script thread) {
        List<Script> threads = new ArrayList<>(scenario.threads());
        threads.set(index, thread);
        return scenario.withThreads(List.copyOf(threads));
    }

    private static Script dropStep(Script thread, int index) {
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < thread.steps().size(); i++) {
            Step step = thread.steps().get(i);
            if (i == index) {
                continue;
            }
            if (step.op() == Step.Op.REPEAT) {
                int to = step.target() > index ? step.target() - 1 : step.target();
                if (to >= steps.size()) {
                    continue; // a loop around nothing
                }
                step = Step.repeat(to, step.nanos());
            }
            steps.add(step);
        }
        return new Script(thread.startAt(), steps);
    }
}
