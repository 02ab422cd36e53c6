// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The owner and a thief want the same run-next: one of them has it. */
@JCStressTest
@Outcome(
        id = {"true, false", "false, true"},
        expect = Expect.ACCEPTABLE,
        desc = "one taker")
@Outcome(id = "true, true", expect = Expect.FORBIDDEN, desc = "run twice")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "lost")
@State
public class RunNextTwoTakers {
    private final RunQueue queue = new RunQueue(2);
    private final Runnable task = new Letter(42);

    public RunNextTwoTakers() {
        queue.replaceRunNext(task);
    }

    @Actor
    public void owner(ZZ_Result result) {
        result.r1 = queue.takeRunNext() != null;
    }

    @Actor
    public void thief(ZZ_Result result) {
        result.r2 = queue.takeRunNext(task);
    }
}
