// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler.twins;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The ring of {@code RingTwoTakers}, whose owner moves the head by a store: must fail. */
@JCStressTest
@Outcome(
        id = {"1, -1", "2, 1", "1, 2"},
        expect = Expect.ACCEPTABLE,
        desc = "as in the right one")
@Outcome(expect = Expect.FORBIDDEN, desc = "lost, or taken twice")
@State
public class RingTwoTakersTwin {
    private final int[] ring = {1, 2};
    private volatile int head;
    private volatile int tail = 1;

    @Actor
    public void owner(II_Result result) {
        int first = take();
        tail = 2;
        result.r1 = first != -1 ? first : take();
    }

    @Actor
    public void thief(II_Result result) {
        result.r2 = take();
    }

    private int take() {
        int h = head;
        if (h == tail) {
            return -1;
        }
        head = h + 1;
        return ring[h];
    }
}
