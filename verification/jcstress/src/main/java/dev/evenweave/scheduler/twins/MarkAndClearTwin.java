// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler.twins;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** The marks of {@code MarkAndClear}, set without a look whether one is there: must fail. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "the counts add up")
@Outcome(expect = Expect.FORBIDDEN, desc = "a request was counted twice")
@State
public class MarkAndClearTwin {
    private volatile boolean marked;
    private int requests;
    private int cleared;

    @Actor
    public void monitor() {
        mark();
        mark();
    }

    @Actor
    public void carrier() {
        clear();
        clear();
    }

    @Arbiter
    public void after(I_Result result) {
        result.r1 = requests - cleared - (marked ? 1 : 0);
    }

    private void mark() {
        marked = true;
        requests++;
    }

    private void clear() {
        if (marked) {
            marked = false;
            cleared++;
        }
    }
}
