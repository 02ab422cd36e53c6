// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import dev.evenweave.scheduler.SimulatedCarrier.Phase;
import dev.evenweave.scheduler.SimulatedThread.State;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * What must hold at each moment of a simulated run.
 *
 * <ol>
 *   <li>No thread is run twice at once, queued twice, or run after its end.
 *   <li>No thread is lost: as many are queued as the queues hold.
 *   <li>At most as many carriers as the parallelism hold the right to run; the idle processors are the others.
 *   <li>A ring and its run-next have one producer: the carrier to which they belong.
 *   <li>requests = caught + lost + open ones; the switches are as many as there were decisions.
 *   <li>Queued work and an idle processor are not side by side for longer than the promise says.
 *   <li>A slice does not last longer than the promise says while somebody waits for that processor.
 *   <li>Nobody waits longer than the promise says; with one processor, counted in slices too.
 *   <li>Spinning carriers are as many as are counted, and at most half of the busy ones, or one.
 * </ol>
 */
final class Invariants implements Watch {
    private static final VarHandle TAIL;

    static {
        try {
            TAIL = MethodHandles.privateLookupIn(RunQueue.class, MethodHandles.lookup())
                    .findVarHandle(RunQueue.class, "tail", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Rings of so few carriers are looked at after every event, of more only when the monitor looks. */
    private static final int FEW_CARRIERS = 8;

    private final Promise promise;
    private int queued;
    private int mostQueued;
    private long idleSince = -1;
    private long globalSince = -1;
    private long[] ringSince = new long[0];
    private long[] sliceSince = new long[0];
    private long[] slicesSeen = new long[0];
    private Worker[] holders = new Worker[0];
    private int[] tails = new int[0];
    private long[] spillsAt = new long[0];
    private long spills;

    /** The longest that anyone has waited. */
    long worstWait;

    /** The largest share of its bound that any wait has used, in a thousand. */
    long closest;

    /** The longest slice while somebody waited. */
    long longestSlice;

    Invariants(Scenario scenario) {
        promise = new Promise(scenario);
    }

    @Override
    public void begin(Simulation run) {
        int parallelism = run.dispatcher.parallelism();
        sliceSince = new long[parallelism];
        slicesSeen = new long[parallelism];
        holders = new Worker[parallelism];
    }

    @Override
    public void queues(Simulation run, SimulatedThread thread) {
        if (thread.state == State.QUEUED || thread.state == State.ENDED || thread.state == State.RUNNING) {
            throw new Violation("1: queued though it is " + thread);
        }
        queued++;
        mostQueued = Math.max(mostQueued, queued);
        thread.queuedAt = run.now();
        thread.putBackThen = putBack(run);
        if (run.dispatcher.parallelism() == 1) {
            thread.slicesThen = slices(run);
        }
    }

    @Override
    public void mounts(Simulation run, SimulatedCarrier carrier, SimulatedThread thread) {
        if (thread.state != State.QUEUED) {
            throw new Violation("1: run though it is " + thread);
        }
        if (carrier.worker.processor == null) {
            throw new Violation("3: " + carrier.worker + " runs " + thread + " without a processor");
        }
        queued--;
        waited(run, thread);
    }

    private void waited(Simulation run, SimulatedThread thread) {
        long wait = run.now() - thread.queuedAt;
        worstWait = Math.max(worstWait, wait);
        long back = putBack(run) - thread.putBackThen;
        long bound = promise.bound(mostQueued, back);
        closest = Math.max(closest, wait * 1000 / bound);
        if (wait > bound) {
            throw new Violation("8: " + thread + " waited " + wait + " ns, promised are " + bound);
        }
        if (run.dispatcher.parallelism() == 1) {
            long slices = slices(run) - thread.slicesThen;
            long most = (1 + back) * promise.slices(mostQueued);
            if (slices > most) {
                throw new Violation("8: " + thread + " waited " + slices + " slices, promised are " + most);
            }
        }
        if (idleSince >= 0) {
            long both = run.now() - Math.max(idleSince, thread.queuedAt);
            if (both > promise.idle()) {
                throw new Violation("6: " + thread + " was queued beside an idle processor for " + both + " ns");
            }
        }
    }

    /** How often anything was put back into the global queue. */
    private long putBack(Simulation run) {
        return run.rules.handOvers.get() + spills;
    }

    private static long slices(Simulation run) {
        long slices = 0;
        for (SimulatedCarrier carrier : run.carriers) {
            slices += carrier.worker.slices();
        }
        return slices;
    }

    @Override
    public void looked(Simulation run) {
        check(run);
    }

    @Override
    public void end(Simulation run) {
        check(run);
    }

    private void check(Simulation run) {
        int inQueues = run.dispatcher.global.size();
        for (SimulatedCarrier carrier : run.carriers) {
            Worker worker = carrier.worker;
            inQueues += worker.queue.size() + (worker.queue.peekRunNext() == null ? 0 : 1);
            long open = worker.isMarked() ? 1 : 0;
            if (worker.requests.get() != worker.caught.get() + worker.lost.get() + open) {
                throw new Violation("5: " + worker + ": " + worker.requests.get() + " requests, " + worker.caught.get()
                        + " caught, " + worker.lost.get() + " lost, " + open + " open");
            }
        }
        if (inQueues != queued) {
            throw new Violation("2: " + queued + " threads are queued, the queues hold " + inQueues);
        }
        long switches = 0;
        for (SimulatedCarrier carrier : run.carriers) {
            switches += carrier.worker.switches();
        }
        if (switches != run.decisions) {
            throw new Violation("5: " + switches + " switches counted, " + run.decisions + " made");
        }
        checkProcessors(run);
        checkSlices(run);
        for (SimulatedThread thread : run.threads) {
            if (thread.state == State.QUEUED) {
                waited(run, thread);
            }
        }
    }

    private void checkProcessors(Simulation run) {
        int holding = 0;
        int spinning = 0;
        for (SimulatedCarrier carrier : run.carriers) {
            Worker worker = carrier.worker;
            Processor processor = worker.processor;
            if (processor != null) {
                holding++;
                if (processor.worker != worker) {
                    throw new Violation(
                            "3: " + worker + " holds " + processor + ", which is held by " + processor.worker);
                }
            }
            if (worker.spinning) {
                spinning++;
            }
            boolean away = carrier.phase == Phase.PARKED || carrier.phase == Phase.GONE;
            if (away != worker.parked && carrier.phase != Phase.GONE) {
                throw new Violation("3: " + worker + " is " + carrier.phase + ", parked: " + worker.parked);
            }
        }
        Dispatcher dispatcher = run.dispatcher;
        if (holding + dispatcher.idleCount() != dispatcher.parallelism()) {
            throw new Violation("3: " + holding + " processors held and " + dispatcher.idleCount() + " idle of "
                    + dispatcher.parallelism());
        }
        if (spinning != dispatcher.spinningCount()) {
            throw new Violation("9: " + spinning + " carriers spin, counted are " + dispatcher.spinningCount());
        }
        if (spinning > Math.max(1, (dispatcher.parallelism() + 1) / 2)) {
            throw new Violation("9: " + spinning + " carriers spin");
        }
    }

    private void checkSlices(Simulation run) {
        long now = run.now();
        for (Processor processor : run.dispatcher.processors) {
            Worker worker = processor.worker;
            if (worker == null) {
                continue;
            }
            long ring = worker.id < ringSince.length ? ringSince[worker.id] : -1;
            long waits = globalSince < 0 ? ring : ring < 0 ? globalSince : Math.min(globalSince, ring);
            if (waits >= 0 && idleSince < 0) {
                long lasted = now - Math.max(sliceSince[processor.index], waits);
                longestSlice = Math.max(longestSlice, lasted);
                if (lasted > promise.slice()) {
                    throw new Violation("7: a slice of " + worker + " has lasted " + lasted
                            + " ns while others wait, promised are " + promise.slice());
                }
            }
        }
    }

    @Override
    public void afterEvent(Simulation run) {
        long now = run.now();
        Dispatcher dispatcher = run.dispatcher;
        if (dispatcher.idleCount() == 0) {
            idleSince = -1;
        } else if (idleSince < 0) {
            idleSince = now;
        }
        if (dispatcher.global.isEmpty()) {
            globalSince = -1;
        } else if (globalSince < 0) {
            globalSince = now;
        }
        int count = run.carriers.size();
        if (tails.length < count) {
            int old = ringSince.length;
            tails = Arrays.copyOf(tails, 2 * count);
            ringSince = Arrays.copyOf(ringSince, 2 * count);
            Arrays.fill(ringSince, old, ringSince.length, -1);
        }
        for (Processor processor : dispatcher.processors) {
            Worker worker = processor.worker;
            int i = processor.index;
            long slices = worker == null ? 0 : worker.slices();
            if (worker != holders[i] || slices != slicesSeen[i]) {
                holders[i] = worker;
                slicesSeen[i] = slices;
                sliceSince[i] = now;
            }
        }
        boolean few = count <= FEW_CARRIERS;
        for (int i = 0; i < count; i++) {
            Worker worker = run.carriers.get(i).worker;
            if (worker.queue.isRingEmpty()) {
                ringSince[i] = -1;
            } else if (ringSince[i] < 0) {
                ringSince[i] = now;
            }
            if (few) {
                int tail = (int) TAIL.get(worker.queue);
                if (tail != tails[i] && i != run.lastActing) {
                    throw new Violation("4: the ring of " + worker + " grew, and its carrier did nothing");
                }
                tails[i] = tail;
            }
        }
        if (run.lastActing >= 0) {
            Worker worker = run.carriers.get(run.lastActing).worker;
            // A spill moves the head of the own ring by half its length at once.
            int taken = worker.queue.takenCount();
            if (spillsAt.length <= run.lastActing) {
                spillsAt = Arrays.copyOf(spillsAt, 2 * (run.lastActing + 1));
            }
            spills += (taken - spillsAt[run.lastActing]) / (worker.queue.capacity() / 2);
            spillsAt[run.lastActing] = taken;
        }
    }
}
