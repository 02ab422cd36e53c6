// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When the monitor gives a processor away: the rules alone, with carriers that are data and a clock that is a number. */
class HandOverRulesTest {
    private static final long MILLI = 1_000_000;
    private static final long SLICE = 10 * MILLI;
    private static final Runnable HOG = () -> {};
    private static final Runnable OTHER = () -> {};

    private final FakeHost host = new FakeHost();
    private final List<String> warnings = new ArrayList<>();

    private Policy policy = Policy.defaults().toBuilder()
            .timeSlice(Duration.ofNanos(SLICE))
            .handOverAfter(Duration.ofNanos(15 * MILLI))
            .stallAfter(Duration.ofNanos(MILLI))
            .build();

    private Dispatcher dispatcher = new Dispatcher(1, Honour.ON, Preemption.ON, host);
    private MonitorRules rules = rules();
    private final Worker first = carrier(1);
    private long now;

    @Test
    void aHogKeepsItsProcessorForASliceAndAHalf() {
        run(first, HOG);
        waiting(OTHER);
        lookUntil(15 * MILLI - 1);
        assertThat(first.processor).isNotNull();
        lookUntil(15 * MILLI);
        assertThat(first.processor).isNull();
        assertThat(host.spares).hasSize(1);
    }

    @Test
    void aHogKeepsItsProcessorWhileNobodyWaits() {
        run(first, HOG);
        lookUntil(100 * MILLI);
        assertThat(first.processor).isNotNull();
    }

    @Test
    void aHogKeepsItsProcessorWhileAnotherIsIdle() {
        dispatcher = new Dispatcher(2, Honour.ON, Preemption.ON, host);
        rules = rules();
        Worker two = carrier(2);
        Worker one = carrier(1); // the last to park is the first to be woken
        run(one, HOG);
        host.woken.clear();
        one.queue.replaceRunNext(OTHER);
        lookUntil(MILLI);
        assertThat(host.woken).containsExactly(two);
        dispatcher.stopSpinning(two);
        two.switchIn(one.queue.takeRunNext());
        lookUntil(100 * MILLI);
        assertThat(one.processor).isNotNull();
    }

    @Test
    void aBlockedCarrierLosesItsProcessorAtTheSecondProbe() {
        run(first, HOG);
        waiting(OTHER);
        host.stalled.add(first);
        lookUntil(MILLI);
        assertThat(host.probes).isEqualTo(1);
        assertThat(first.processor).isNotNull();
        lookUntil(MILLI + MILLI / 2);
        assertThat(host.probes).isEqualTo(2);
        assertThat(first.processor).isNull();
    }

    @Test
    void I3_probesGrowWithTheLogarithmOfTheTime() {
        policy = policy.toBuilder().handOverAfter(Duration.ofMillis(1_000)).build();
        rules = rules();
        run(first, HOG);
        waiting(OTHER);
        for (now = 0; now < 999 * MILLI; now += MILLI / 10) {
            rules.look(now);
        }
        assertThat(host.probes).isBetween(9, 11);
        assertThat(first.processor).isNotNull();
    }

    @Test
    void aCarrierThatMovesIsNotProbed() {
        run(first, HOG);
        waiting(OTHER);
        host.stalled.add(first);
        for (now = 0; now < 100 * MILLI; now += MILLI / 2) {
            first.switchOut();
            first.switchIn(HOG);
            rules.look(now);
        }
        assertThat(host.probes).isZero();
        assertThat(first.processor).isNotNull();
    }

    @Test
    void I2_workBehindACarrierThatLostItsProcessorCounts() {
        run(first, HOG);
        waiting(OTHER);
        lookUntil(20 * MILLI);
        Worker heir = holder();
        // What waited has run, blocks in its turn, and the only work left lies where the first hog will not come to.
        takeGlobal();
        run(heir, OTHER);
        first.queue.replaceRunNext(HOG);
        assertThat(heir.queue.isEmpty()).isTrue();
        long start = now;
        lookUntil(start + 30 * MILLI);
        assertThat(heir.processor).isNull();
    }

    @Test
    void atTheLimitOfCarriersTheRefusalIsCountedAndWarnedOfOnce() {
        policy = policy.toBuilder().maxCarriers(1).build();
        rules = rules();
        run(first, HOG);
        waiting(OTHER);
        lookUntil(100 * MILLI);
        assertThat(first.processor).isNotNull();
        assertThat(rules.refused.get()).isPositive();
        assertThat(warnings).singleElement().asString().contains("limit 1").contains("maxCarriers");
    }

    // ---- tools
    // -------------------------------------------------------------------------------------------------------

    private MonitorRules rules() {
        return new MonitorRules(dispatcher, policy, warnings::add);
    }

    private Worker carrier(int id) {
        Worker worker = new Worker(id, Dispatcher.RING_CAPACITY, 61);
        dispatcher.addParked(worker);
        return worker;
    }

    /** Gives a carrier a processor if it has none, and lets it run a task. */
    private void run(Worker worker, Runnable task) {
        if (worker.processor == null) {
            dispatcher.wakeOne();
            assertThat(worker.spinning).isTrue();
            int idle = dispatcher.idleCount();
            dispatcher.stopSpinning(worker); // wakes the next one, which finds nothing
            for (Worker each : dispatcher.workers) {
                if (each != worker && each.spinning) {
                    dispatcher.goIdle(each);
                }
            }
            assertThat(dispatcher.idleCount()).isEqualTo(idle);
        }
        worker.switchIn(task);
    }

    private void waiting(Runnable task) {
        dispatcher.lock.lock();
        dispatcher.global.add(task);
        dispatcher.lock.unlock();
    }

    private void takeGlobal() {
        dispatcher.lock.lock();
        dispatcher.global.poll();
        dispatcher.lock.unlock();
    }

    private Worker holder() {
        Worker holder = dispatcher.processors[0].worker;
        assertThat(holder).isNotNull();
        return holder;
    }

    /** Looks as often as the rules ask for, and at the very end. */
    private void lookUntil(long end) {
        while (now < end) {
            long sleep = rules.look(now);
            now = Math.min(end, now + Math.min(sleep, MILLI * 1_000));
        }
        rules.look(now);
    }

    private final class FakeHost implements Host {
        final Set<Worker> stalled = new HashSet<>();
        final List<Worker> woken = new ArrayList<>();
        final List<Worker> spares = new ArrayList<>();
        int probes;

        @Override
        public void wake(Worker worker) {
            woken.add(worker);
        }

        @Override
        public void wakeMonitor() {}

        @Override
        public boolean isStalled(Worker worker) {
            probes++;
            return stalled.contains(worker);
        }

        @Override
        public Worker newSpare() {
            Worker spare = carrier(100 + spares.size());
            spares.add(spare);
            return spare;
        }
    }
}
