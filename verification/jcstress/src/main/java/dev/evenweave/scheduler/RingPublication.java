// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Who steals a task sees all that its waker had written before it queued it. */
@JCStressTest
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "nothing to steal yet")
@Outcome(id = "42", expect = Expect.ACCEPTABLE, desc = "stolen, with what it holds")
@Outcome(expect = Expect.FORBIDDEN, desc = "stolen before it was written")
@State
public class RingPublication {
    private final RunQueue queue = new RunQueue(2);
    private final RunQueue thief = new RunQueue(2);

    @Actor
    public void owner() {
        queue.offer(new Letter(42));
    }

    @Actor
    public void thief(I_Result result) {
        result.r1 = Letter.read(thief.stealFrom(queue), -1);
    }
}
