// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync.twins;

import dev.evenweave.sync.Semaphore;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** The program of {@code ReleaseSequence} with the write moved behind the release: must fail. */
@JCStressTest
@Outcome(
        id = {"-1", "42"},
        expect = Expect.ACCEPTABLE,
        desc = "as in the right one")
@Outcome(expect = Expect.FORBIDDEN, desc = "got the permit, and does not see what was written before")
@State
public class ReleaseSequenceTwin {
    private final Semaphore semaphore = new Semaphore(0);
    private int written;

    @Actor
    public void releases() {
        semaphore.release();
        written = 42;
    }

    @Actor
    public void acquires(I_Result result) {
        result.r1 = semaphore.tryAcquire() ? written : -1;
    }
}
