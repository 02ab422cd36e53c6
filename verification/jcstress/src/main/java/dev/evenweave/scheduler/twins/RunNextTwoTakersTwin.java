// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler.twins;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The run-next slot of {@code RunNextTwoTakers} with a look and a store in place of an exchange: must fail. */
@JCStressTest
@Outcome(
        id = {"true, false", "false, true"},
        expect = Expect.ACCEPTABLE,
        desc = "one taker")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, or run twice")
@State
public class RunNextTwoTakersTwin {
    private volatile boolean occupied = true;

    @Actor
    public void owner(ZZ_Result result) {
        result.r1 = take();
    }

    @Actor
    public void thief(ZZ_Result result) {
        result.r2 = take();
    }

    private boolean take() {
        if (occupied) {
            occupied = false;
            return true;
        }
        return false;
    }
}
