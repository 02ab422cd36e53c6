// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import dev.evenweave.scheduler.SimulatedCarrier.Phase;
import dev.evenweave.scheduler.SimulatedThread.State;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. Runs the scheduler's own code (Dispatcher, Decision, MonitorRules, RunQueue, GlobalQueue, Worker) with carriers
 * that are no threads and a time that is a number. The same scenario gives the same run, event for event.
 *
 * What is the product's and what is not. Every decision is the product's: where a thread is queued, what runs next, when a
 * carrier looks around, parks and is woken, what the monitor does and how long it sleeps. The simulator supplies what the
 * JDK, the operating system and the clock do: a thread's states and its park permit, platform threads that wake up late,
 * sleeps that take longer, cores that are shared when there are more runnable platform threads than cores.
 *
 * Grain. One call of the product's code happens at one moment. What can go wrong inside of such a call is not looked for
 * here, but with Lincheck, jcstress and Fray.
 *
 * Two clocks. Timers, the monitor and wake-ups go by real time; whoever computes goes by work time, which passes more slowly
 * than real time when cores are shared. With a core for every carrier the two are the same.
 */
/** One simulated run. */
final class Simulation implements Host {
    private static final int MONITOR = 0;

    /** Steps that cost less than this in all happen at one moment, and their cost is added to the next one's. */
    private static final long GRAIN_NANOS = 1_000;

    final Scenario scenario;
    final Dispatcher dispatcher;
    final MonitorRules rules;
    final List<SimulatedCarrier> carriers = new ArrayList<>();
    final List<SimulatedThread> threads = new ArrayList<>();
    final Watch watch;

    private final Decision decision;
    private final Costs costs;
    private final long[] oversleeps;
    private final SplittableRandom random;
    private final EventHeap atWorkTime = new EventHeap();
    private final EventHeap atRealTime = new EventHeap();
    private final long spinNanos;
    private final long keepAliveNanos;
    private final int cores;
    private final Step[][] scripts;
    private SimulatedThread[] first = new SimulatedThread[0];

    private long now;
    private int active;
    private long baseReal;
    private long baseWork;
    private boolean monitorSleeps;
    private long requestsSeen;
    private @Nullable SimulatedCarrier acting;

    /** The number of the carrier that the last event was about; negative if it was about none. */
    int lastActing = -1;

    long events;
    long decisions;
    long wakeUps;
    long digest = 0xcbf29ce484222325L;

    Simulation(Scenario scenario, Watch watch) {
        this(scenario, watch, new long[0]);
    }

    /**
     * Makes a run in which the monitor oversleeps as measured.
     *
     * @param oversleeps by how many nanoseconds: one is drawn for each sleep; if empty, what {@link Costs} says
     */
    Simulation(Scenario scenario, Watch watch, long[] oversleeps) {
        this.scenario = scenario;
        this.oversleeps = oversleeps.clone();
        this.watch = watch;
        costs = scenario.costs();
        cores = scenario.cores();
        random = new SplittableRandom(scenario.seed());
        Policy policy = scenario.policy();
        spinNanos = policy.spin().toNanos();
        keepAliveNanos = policy.keepAlive().toNanos();
        dispatcher = new Dispatcher(scenario.parallelism(), policy.honour(), policy.preemption(), this);
        decision = new Decision(dispatcher, policy);
        rules = new MonitorRules(dispatcher, policy, warning -> {});
        scripts = scenario.threads().stream()
                .map(thread -> thread.steps().toArray(Step[]::new))
                .toArray(Step[][]::new);
    }

    long now() {
        return now;
    }

    /** Runs to the end of the scenario. */
    void run() {
        for (int i = 0; i < scenario.parallelism(); i++) {
            newCarrier(false);
        }
        first = new SimulatedThread[scripts.length];
        for (int i = 0; i < scripts.length; i++) {
            first[i] = newThread(i);
            long startAt = scenario.threads().get(i).startAt();
            if (startAt >= 0) {
                atRealTime.set(timerOf(first[i]), startAt);
            }
        }
        atRealTime.set(MONITOR, jitter(costs.monitorSlack()));
        watch.begin(this);
        while (events < scenario.maxEvents() && step()) {
            events++;
        }
        watch.end(this);
    }

    private boolean step() {
        long work = atWorkTime.isEmpty() ? Long.MAX_VALUE : realTime(atWorkTime.firstTime());
        long real = atRealTime.isEmpty() ? Long.MAX_VALUE : atRealTime.firstTime();
        long next = Math.min(work, real);
        if (next > scenario.nanos()) {
            now = Math.max(now, Math.min(next, scenario.nanos()));
            return false;
        }
        now = Math.max(now, next);
        lastActing = -1;
        if (real <= work) {
            int id = atRealTime.first();
            atRealTime.remove(id);
            if (id == MONITOR) {
                note(-1, 0);
                look();
            } else if ((id & 1) == 1) {
                resume(carriers.get(id >> 1));
            } else {
                expire(threads.get((id >> 1) - 1));
            }
        } else {
            SimulatedCarrier carrier = carriers.get(atWorkTime.first());
            acting = carrier;
            lastActing = carrier.index;
            note(carrier.index, carrier.phase.ordinal());
            act(carrier);
            acting = null;
        }
        watch.afterEvent(this);
        return true;
    }

    // ---- carriers
    // ----------------------------------------------------------------------------------------------------

    private void act(SimulatedCarrier carrier) {
        switch (carrier.phase) {
            case DECIDE -> decide(carrier);
            case LOOK -> lookAround(carrier);
            case STEP -> takeSteps(carrier);
            case COMPUTED -> {
                SimulatedThread thread = running(carrier);
                Step step = thread.steps[thread.at];
                thread.left = 0;
                thread.at++;
                if (step.poll() > 0 && carrier.worker.isMarked()) {
                    leave(carrier, State.YIELDING);
                } else {
                    takeSteps(carrier);
                }
            }
            case POLL -> {
                SimulatedThread thread = running(carrier);
                thread.left -= workTime() - carrier.computeSince;
                leave(carrier, State.YIELDING);
            }
            case LEAVE -> left(carrier);
            default -> throw new AssertionError(carrier.phase);
        }
    }

    private void decide(SimulatedCarrier carrier) {
        Worker worker = carrier.worker;
        if (worker.processor == null) {
            retreat(carrier);
            return;
        }
        Runnable task = decision.next(worker);
        if (task != null) {
            mount(carrier, task);
        } else if (dispatcher.tryToSpin(worker)) {
            carrier.spinUntil = now + spinNanos;
            after(carrier, lookCost(), Phase.LOOK);
        } else {
            idle(carrier);
        }
    }

    private void lookAround(SimulatedCarrier carrier) {
        Worker worker = carrier.worker;
        Runnable task = decision.look(worker, now);
        if (task != null) {
            mount(carrier, task);
        } else if (now >= carrier.spinUntil) {
            idle(carrier);
        } else {
            after(carrier, lookCost(), Phase.LOOK);
        }
    }

    private long lookCost() {
        return costs.look() + costs.lookPerCarrier() * dispatcher.workers.length;
    }

    private void idle(SimulatedCarrier carrier) {
        if (dispatcher.goIdle(carrier.worker)) {
            park(carrier);
        } else {
            after(carrier, costs.look(), Phase.DECIDE);
        }
    }

    private void retreat(SimulatedCarrier carrier) {
        dispatcher.retreat(carrier.worker);
        park(carrier);
    }

    private void park(SimulatedCarrier carrier) {
        if (carrier.worker.processor != null) {
            after(carrier, costs.look(), Phase.DECIDE); // woken meanwhile
            return;
        }
        enter(carrier, Phase.PARKED);
        atWorkTime.remove(carrier.index);
        if (dispatcher.workers.length > dispatcher.parallelism()) {
            atRealTime.set(eventOf(carrier), now + keepAliveNanos);
        }
    }

    /** At an event of real time: the carrier wakes up, or its call is over, or nobody has needed it. */
    private void resume(SimulatedCarrier carrier) {
        note(carrier.index, carrier.phase.ordinal());
        acting = carrier;
        lastActing = carrier.index;
        switch (carrier.phase) {
            case PARKED -> {
                if (dispatcher.retire(carrier.worker, false)) {
                    enter(carrier, Phase.GONE);
                } else {
                    atRealTime.set(eventOf(carrier), now + keepAliveNanos);
                }
            }
            case WAKING -> decide(carrier);
            case BLOCKED -> {
                carrier.worker.setBlocking(false);
                running(carrier).at++;
                takeSteps(carrier);
            }
            default -> throw new AssertionError(carrier.phase);
        }
        acting = null;
    }

    private void mount(SimulatedCarrier carrier, Runnable task) {
        Worker worker = carrier.worker;
        SimulatedThread thread = (SimulatedThread) task;
        watch.mounts(this, carrier, thread);
        if (worker.spinning) {
            dispatcher.stopSpinning(worker);
        }
        worker.switchIn(task);
        decisions++;
        carrier.thread = thread;
        thread.state = State.RUNNING;
        thread.mountedAt = now;
        note(thread.id, 64);
        after(carrier, costs.mount(), Phase.STEP);
    }

    /** The thread stops running; its carrier has it for as long as the switch takes. */
    private void leave(SimulatedCarrier carrier, State as) {
        running(carrier).state = as;
        after(carrier, costs.unmount(), Phase.LEAVE);
    }

    private void left(SimulatedCarrier carrier) {
        Worker worker = carrier.worker;
        SimulatedThread thread = running(carrier);
        thread.cpu += now - thread.mountedAt;
        switch (thread.state) {
            case PARKING -> {
                if (thread.asleep) {
                    thread.state = State.SLEEPING;
                } else if (thread.permit) {
                    thread.permit = false;
                    submit(worker, thread);
                } else {
                    thread.state = State.PARKED;
                }
            }
            case YIELDING -> submit(worker, thread);
            case ENDED -> {}
            default -> throw new AssertionError(thread);
        }
        worker.switchOut();
        carrier.thread = null;
        decide(carrier);
    }

    private SimulatedThread running(SimulatedCarrier carrier) {
        SimulatedThread thread = carrier.thread;
        if (thread == null) {
            throw new AssertionError("carrier " + carrier.index + " runs nothing in " + carrier.phase);
        }
        return thread;
    }

    // ---- threads
    // -----------------------------------------------------------------------------------------------------

    private void takeSteps(SimulatedCarrier carrier) {
        SimulatedThread thread = running(carrier);
        Step[] steps = thread.steps;
        while (true) {
            if (carrier.extra > GRAIN_NANOS) {
                after(carrier, 0, Phase.STEP);
                return;
            }
            if (thread.at == steps.length) {
                leave(carrier, State.ENDED);
                return;
            }
            Step step = steps[thread.at];
            switch (step.op()) {
                case COMPUTE -> {
                    compute(carrier, thread, step);
                    return;
                }
                case WAKE -> {
                    thread.at++;
                    wake(carrier.worker, first[step.target()]);
                    carrier.extra += costs.wake();
                }
                case PARK -> {
                    thread.at++;
                    if (thread.permit) {
                        thread.permit = false;
                        continue;
                    }
                    thread.asleep = false;
                    leave(carrier, State.PARKING);
                    return;
                }
                case SLEEP -> {
                    thread.at++;
                    thread.asleep = true;
                    atRealTime.set(timerOf(thread), now + step.nanos() + jitter(costs.timerLatency()));
                    leave(carrier, State.PARKING);
                    return;
                }
                case YIELD -> {
                    thread.at++;
                    leave(carrier, State.YIELDING);
                    return;
                }
                case BLOCK, PIN -> {
                    if (step.op() == Step.Op.BLOCK) {
                        carrier.worker.setBlocking(true);
                        dispatcher.alertMonitor();
                    }
                    enter(carrier, Phase.BLOCKED);
                    atWorkTime.remove(carrier.index);
                    atRealTime.set(eventOf(carrier), now + step.nanos());
                    return;
                }
                case SPAWN -> {
                    thread.at++;
                    SimulatedThread child = newThread(step.target());
                    submit(carrier.worker, child);
                    carrier.extra += costs.spawn();
                }
                case REPEAT -> {
                    long[] repeats = thread.repeats;
                    if (repeats == null) {
                        repeats = new long[steps.length];
                        thread.repeats = repeats;
                    }
                    if (repeats[thread.at]++ < step.nanos()) {
                        thread.at = step.target();
                        if (step.target() == steps.length) {
                            throw new IllegalArgumentException("a loop without a step: " + step);
                        }
                    } else {
                        repeats[thread.at] = 0; // an outer loop may come by again
                        thread.at++;
                    }
                }
            }
        }
    }

    private void compute(SimulatedCarrier carrier, SimulatedThread thread, Step step) {
        if (thread.left == 0) {
            thread.left = Math.max(1, step.nanos());
        }
        carrier.computeSince = workTime();
        if (step.poll() > 0 && step.poll() < thread.left && carrier.worker.isMarked()) {
            after(carrier, step.poll(), Phase.POLL);
        } else {
            after(carrier, thread.left, Phase.COMPUTED);
        }
    }

    /** The monitor has marked the carrier: if what it runs polls, it meets a checkpoint. */
    private void marked(SimulatedCarrier carrier) {
        if (carrier.phase != Phase.COMPUTED) {
            return;
        }
        SimulatedThread thread = running(carrier);
        long poll = thread.steps[thread.at].poll();
        if (poll > 0) {
            long done = workTime() - carrier.computeSince;
            long atPoll = (done / poll + 1) * poll;
            if (atPoll < thread.left) {
                carrier.phase = Phase.POLL;
                atWorkTime.set(carrier.index, carrier.computeSince + atPoll);
            }
        }
    }

    private void wake(@Nullable Worker by, SimulatedThread thread) {
        switch (thread.state) {
            case PARKED -> submit(by, thread);
            case ENDED -> {}
            default -> thread.permit = true;
        }
    }

    private void submit(@Nullable Worker by, SimulatedThread thread) {
        watch.queues(this, thread);
        thread.state = State.QUEUED;
        dispatcher.submit(by, thread);
    }

    /** A sleep is over, or somebody outside starts the thread. */
    private void expire(SimulatedThread thread) {
        note(thread.id, 65);
        if (thread.state == State.PARKING) {
            thread.asleep = false; // its time was up before the carrier had let go of it
            thread.permit = true;
        } else {
            submit(null, thread);
        }
    }

    private SimulatedThread newThread(int script) {
        SimulatedThread thread = new SimulatedThread(threads.size(), scripts[script]);
        threads.add(thread);
        return thread;
    }

    // ---- the monitor
    // -------------------------------------------------------------------------------------------------

    private void look() {
        if (monitorSleeps) {
            rules.afterSleep();
        }
        monitorSleeps = false;
        long limit = rules.beforeSleep(rules.look(now));
        monitorSleeps = true;
        long requests = 0;
        for (int i = 0; i < carriers.size(); i++) {
            SimulatedCarrier carrier = carriers.get(i);
            requests += carrier.worker.requests.get();
        }
        if (requests != requestsSeen) {
            requestsSeen = requests;
            for (int i = 0; i < carriers.size(); i++) {
                if (carriers.get(i).worker.isMarked()) {
                    marked(carriers.get(i));
                }
            }
        }
        if (limit != Long.MAX_VALUE) {
            atRealTime.set(MONITOR, now + limit + oversleep());
        }
        watch.looked(this);
    }

    @Override
    public void wake(Worker worker) {
        wakeUps++;
        SimulatedCarrier carrier = carriers.get(worker.id);
        if (acting != null) {
            acting.extra += costs.unpark();
        }
        if (carrier.phase != Phase.PARKED) {
            if (worker.processor == null) {
                throw new Violation("a carrier that is not parked was woken: " + worker + " in " + carrier.phase);
            }
            return; // on its way already: the monitor wakes one it has not heard of a second time
        }
        enter(carrier, Phase.WAKING);
        atRealTime.set(eventOf(carrier), now + jitter(carrier.unborn ? costs.startLatency() : costs.wakeLatency()));
        carrier.unborn = false;
    }

    @Override
    public void wakeMonitor() {
        if (acting != null) {
            acting.extra += costs.unpark();
        }
        atRealTime.set(MONITOR, now + jitter(costs.wakeLatency()));
    }

    @Override
    public Worker newSpare() {
        return newCarrier(true).worker;
    }

    private SimulatedCarrier newCarrier(boolean unborn) {
        int index = carriers.size();
        Worker worker =
                new Worker(index, scenario.ringCapacity(), scenario.policy().globalQueueInterval());
        SimulatedCarrier carrier = new SimulatedCarrier(index, worker);
        carrier.unborn = unborn;
        carriers.add(carrier);
        dispatcher.addParked(worker);
        return carrier;
    }

    // ---- time
    // --------------------------------------------------------------------------------------------------------

    private static int eventOf(SimulatedCarrier carrier) {
        return 2 * carrier.index + 1;
    }

    private static int timerOf(SimulatedThread thread) {
        return 2 * (thread.id + 1);
    }

    private long oversleep() {
        return oversleeps.length == 0 ? jitter(costs.monitorSlack()) : oversleeps[random.nextInt(oversleeps.length)];
    }

    private long jitter(long cost) {
        int percent = scenario.jitter();
        return percent == 0 ? cost : cost + random.nextLong(cost * percent / 100 + 1);
    }

    private void after(SimulatedCarrier carrier, long nanos, Phase phase) {
        enter(carrier, phase);
        atWorkTime.set(carrier.index, workTime() + nanos + carrier.extra);
        carrier.extra = 0;
    }

    private void enter(SimulatedCarrier carrier, Phase phase) {
        if (carrier.phase.active != phase.active) {
            baseWork = workTime();
            baseReal = now;
            active += phase.active ? 1 : -1;
        }
        carrier.phase = phase;
    }

    private long workTime() {
        long passed = now - baseReal;
        return baseWork + (active <= cores ? passed : passed * cores / active);
    }

    private long realTime(long work) {
        long left = work - baseWork;
        return baseReal + (active <= cores ? left : (left * active + cores - 1) / cores);
    }

    private void note(int what, int detail) {
        digest = (digest ^ now) * 0x100000001b3L;
        digest = (digest ^ what * 128L + detail) * 0x100000001b3L;
    }
}
