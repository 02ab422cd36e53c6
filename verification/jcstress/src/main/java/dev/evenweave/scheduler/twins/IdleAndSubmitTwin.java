// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler.twins;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** The protocol of {@code IdleAndSubmit} without the fences between a store and the look at the other side: must fail. */
@JCStressTest
@Outcome(
        id = {"false, true", "false, false", "true, true"},
        expect = Expect.ACCEPTABLE,
        desc = "one sees the other")
@Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "parked beside a task: the wake-up is lost")
@State
public class IdleAndSubmitTwin {
    private int queued;
    private int idle;

    @Actor
    public void submitter(ZZ_Result result) {
        queued = 1;
        result.r2 = idle != 0; // wakes
    }

    @Actor
    public void idler(ZZ_Result result) {
        idle = 1;
        result.r1 = queued == 0; // parks
    }
}
