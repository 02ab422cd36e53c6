// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Who takes another carrier's run-next sees all that its waker had written before. */
@JCStressTest
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "nothing there yet")
@Outcome(id = "42", expect = Expect.ACCEPTABLE, desc = "taken, with what it holds")
@Outcome(expect = Expect.FORBIDDEN, desc = "taken before it was written")
@State
public class RunNextPublication {
    private final RunQueue queue = new RunQueue(2);

    @Actor
    public void owner() {
        queue.replaceRunNext(new Letter(42));
    }

    @Actor
    public void thief(I_Result result) {
        Runnable seen = queue.peekRunNext();
        result.r1 = seen != null && queue.takeRunNext(seen) ? Letter.read(seen, -1) : -1;
    }
}
