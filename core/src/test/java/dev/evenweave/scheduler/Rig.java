// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The scheduler's rules without threads: a test takes every step and turns the clock. */
final class Rig implements Host {
    /** A task that is never run, only moved. */
    record Task(String name) implements Runnable {
        @Override
        public void run() {
            throw new AssertionError("a rig runs nothing");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    final Policy policy;
    final Dispatcher dispatcher;
    final Decision decision;
    final MonitorRules monitor;
    final List<Worker> workers = new ArrayList<>();

    /** Carriers that were woken, in order. */
    final List<Worker> woken = new ArrayList<>();

    final List<String> warnings = new ArrayList<>();
    int monitorWakeUps;

    /** How many spare carriers the machine gives. */
    int spares = Integer.MAX_VALUE;

    long now = 1_000_000_000L;

    Rig(int parallelism) {
        this(parallelism, Policy.defaults());
    }

    Rig(int parallelism, Policy policy) {
        this.policy = policy;
        dispatcher = new Dispatcher(parallelism, policy.honour(), policy.preemption(), this);
        decision = new Decision(dispatcher, policy);
        monitor = new MonitorRules(dispatcher, policy, warnings::add);
        for (int i = 0; i < parallelism; i++) {
            newWorker();
        }
    }

    static Task task(String name) {
        return new Task(name);
    }

    static Task task(int number) {
        return new Task(String.valueOf(number));
    }

    private Worker newWorker() {
        Worker worker = new Worker(workers.size() + 1, Dispatcher.RING_CAPACITY, policy.globalQueueInterval());
        workers.add(worker);
        dispatcher.addParked(worker);
        return worker;
    }

    // ---- Host

    @Override
    public void wake(Worker worker) {
        assertThat(dispatcher.lock.isHeld())
                .as("a carrier is woken without the lock")
                .isFalse();
        woken.add(worker);
    }

    @Override
    public void wakeMonitor() {
        monitorWakeUps++;
    }

    @Override
    public @Nullable Worker newSpare() {
        if (spares == 0) {
            return null;
        }
        spares--;
        return newWorker();
    }

    // ---- steps

    void pass(long time, TimeUnit unit) {
        now += unit.toNanos(time);
    }

    /** A carrier that has been given a processor runs {@code task}, which came from outside. */
    Worker busyWith(Runnable task) {
        int before = woken.size();
        dispatcher.submitGlobal(task);
        assertThat(woken).as("one more carrier was woken").hasSize(before + 1);
        Worker worker = woken.get(before);
        assertThat(step(worker)).isSameAs(task);
        // It has woken the next one, as whoever finds work does. That one finds nothing.
        for (Worker next : woken.subList(before + 1, woken.size())) {
            idle(next);
        }
        woken.subList(before + 1, woken.size()).clear();
        return worker;
    }

    /** What the carrier's loop does between two tasks, without looking at other carriers: null if there is nothing. */
    @Nullable
    Runnable step(Worker worker) {
        worker.switchOut();
        Runnable task = decision.next(worker);
        return task == null ? null : started(worker, task);
    }

    /** As {@link #step}, but looks at other carriers too, as a spinning carrier may. */
    @Nullable
    Runnable stepOrSteal(Worker worker) {
        Runnable task = step(worker);
        if (task != null) {
            return task;
        }
        if (!dispatcher.tryToSpin(worker)) {
            return null;
        }
        task = decision.look(worker, now);
        return task == null ? null : started(worker, task);
    }

    private Runnable started(Worker worker, Runnable task) {
        if (worker.spinning) {
            dispatcher.stopSpinning(worker);
        }
        worker.switchIn(task);
        return task;
    }

    /** The running thread ends or parks, and nothing is left: the carrier parks. */
    void idle(Worker worker) {
        worker.switchOut();
        assertThat(decision.next(worker)).isNull();
        assertThat(dispatcher.goIdle(worker)).as("nothing left to do").isTrue();
    }

    /** The running thread yields. */
    void yield(Worker worker) {
        dispatcher.submitYielded(worker, running(worker));
    }

    Runnable running(Worker worker) {
        Runnable task = worker.current();
        assertThat(task).as("what %s runs", worker).isNotNull();
        return task;
    }

    long look() {
        return monitor.look(now);
    }

    /** Leaves nothing behind that other tests in this JVM would see. */
    void end() {
        check();
        workers.forEach(Worker::loseMark);
    }

    /** What must hold between any two steps. */
    void check() {
        int held = 0;
        for (Processor processor : dispatcher.processors) {
            Worker worker = processor.worker;
            if (worker != null) {
                held++;
                assertThat(worker.processor).isSameAs(processor);
                assertThat(worker.parked).isFalse();
            }
        }
        assertThat(held + dispatcher.idleCount()).as("Dispatcher I1").isEqualTo(dispatcher.parallelism());
        int parked = 0;
        int spinning = 0;
        for (Worker worker : dispatcher.workers) {
            if (worker.parked) {
                parked++;
                assertThat(worker.processor).as("Worker I2").isNull();
                assertThat(worker.queue.isEmpty()).as("Dispatcher I2").isTrue();
            } else if (worker.processor == null) {
                assertThat(worker.current())
                        .as("Dispatcher I1: demoted inside a task")
                        .isNotNull();
            }
            spinning += worker.spinning ? 1 : 0;
            assertThat(worker.requests.get())
                    .as("Worker I1")
                    .isEqualTo(worker.caught.get() + worker.lost.get() + (worker.isMarked() ? 1 : 0));
        }
        assertThat(parked).as("Dispatcher I2").isGreaterThanOrEqualTo(dispatcher.idleCount());
        assertThat(dispatcher.spinningCount()).isEqualTo(spinning);
        assertThat(dispatcher.lock.isHeld()).isFalse();
    }
}
