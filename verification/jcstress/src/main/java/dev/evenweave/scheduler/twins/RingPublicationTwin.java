// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler.twins;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** The ring of {@code RingPublication} with the tail moved before the slot is written: must fail. */
@JCStressTest
@Outcome(
        id = {"-1", "42"},
        expect = Expect.ACCEPTABLE,
        desc = "as in the right one")
@Outcome(expect = Expect.FORBIDDEN, desc = "stolen before it was written")
@State
public class RingPublicationTwin {
    private int slot;
    private volatile int tail;

    @Actor
    public void owner() {
        tail = 1;
        slot = 42;
    }

    @Actor
    public void thief(I_Result result) {
        result.r1 = tail == 0 ? -1 : slot;
    }
}
