// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The owner takes what a thief steals, and fills the ring up behind it: each task goes to one of them. */
@JCStressTest
@Outcome(
        id = {"1, -1", "2, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "the owner was first, or the thief")
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "the thief came for the second")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, or taken twice")
@State
public class RingTwoTakers {
    private final RunQueue queue = new RunQueue(2);
    private final RunQueue thief = new RunQueue(2);
    private final Letter second = new Letter(2);

    public RingTwoTakers() {
        queue.offer(new Letter(1));
    }

    @Actor
    public void owner(II_Result result) {
        Runnable first = queue.poll();
        result.r1 = Letter.read(first, -1);
        queue.offer(second);
        if (first == null) {
            result.r1 = Letter.read(queue.poll(), -1);
        }
    }

    @Actor
    public void thief(II_Result result) {
        result.r2 = Letter.read(thief.stealFrom(queue), -1);
    }
}
