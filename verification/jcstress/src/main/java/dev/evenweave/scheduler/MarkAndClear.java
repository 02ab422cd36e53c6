// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** The monitor marks while the carrier clears: every request is caught, or lost, or still there (Worker I1). */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "the counts add up")
@Outcome(expect = Expect.FORBIDDEN, desc = "a request was counted twice or not at all")
@State
public class MarkAndClear {
    private final Worker worker = new Worker(0, 2, 61);
    private final Letter task = new Letter(0);

    @Actor
    public void monitor() {
        worker.mark();
        worker.mark();
    }

    @Actor
    public void carrier() {
        worker.catchMark();
        worker.switchIn(task);
    }

    @Arbiter
    public void after(J_Result result) {
        result.r1 = worker.requests.get() - worker.caught.get() - worker.lost.get() - (worker.isMarked() ? 1 : 0);
    }
}
