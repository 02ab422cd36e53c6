// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A carrier goes idle while another one queues a task: it sees the task, or is woken for it (Dispatcher I3). */
@JCStressTest
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "parked, and woken")
@Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "saw the task, and goes on")
@Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "parked beside a task: the wake-up is lost")
@State
public class IdleAndSubmit implements Host {
    private final Dispatcher dispatcher = new Dispatcher(2, Honour.ON, Preemption.ON, this);
    private final Worker busy = new Worker(0, 4, 61);
    private final Worker idler = new Worker(1, 4, 61);
    private final Letter task = new Letter(0);
    private volatile boolean woken;
    private boolean parks;

    @SuppressWarnings("this-escape")
    public IdleAndSubmit() {
        // One carrier is woken, finds a task, and so wakes the other, which finds none and looks around.
        dispatcher.addParked(idler);
        dispatcher.addParked(busy);
        dispatcher.submitGlobal(task);
        dispatcher.stopSpinning(busy);
        dispatcher.lock.lock();
        dispatcher.global.poll();
        dispatcher.lock.unlock();
        busy.switchIn(task);
        dispatcher.submitNext(busy, new Letter(1));
        woken = false;
    }

    @Actor
    public void submitter() {
        dispatcher.submitNext(busy, new Letter(2)); // the first one goes to the ring
    }

    @Actor
    public void idler() {
        parks = dispatcher.goIdle(idler);
    }

    @Arbiter
    public void after(ZZ_Result result) {
        result.r1 = parks && idler.processor == null;
        result.r2 = woken;
    }

    @Override
    public void wake(Worker worker) {
        woken = true;
    }

    @Override
    public void wakeMonitor() {}

    @Override
    public @Nullable Worker newSpare() {
        return null;
    }
}
