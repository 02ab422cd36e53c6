// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * What was written before a release is seen after an acquire without the lock, even if the permit went through the queue in
 * between: taken as a part by a waiter, and put back under the lock when that was cancelled.
 */
@JCStressTest
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "no permit yet, or the waiter has it")
@Outcome(id = "42", expect = Expect.ACCEPTABLE, desc = "got the permit, and sees what was written before")
@Outcome(expect = Expect.FORBIDDEN, desc = "got the permit, and does not see what was written before")
@State
public class ReleaseSequence {
    private final Semaphore semaphore = new Semaphore(0);
    private final Waiter waiter = new Waiter() {
        @Override
        protected void completed(@Nullable Throwable failure) {
            throw new AssertionError("two permits were never there");
        }
    };
    private int written;

    // One thread does both, so that two processors are enough to run this.
    @Actor
    public void releasesAndPassesThroughTheQueue() {
        written = 42;
        semaphore.release();
        if (!semaphore.acquire(2, waiter)) {
            semaphore.cancel(waiter);
        }
    }

    @Actor
    public void acquires(I_Result result) {
        result.r1 = semaphore.tryAcquire() ? written : -1;
    }
}
