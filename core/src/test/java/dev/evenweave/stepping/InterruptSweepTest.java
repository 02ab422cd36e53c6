// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.stepping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.stepping.SteppedClasses.Omission;
import dev.evenweave.stepping.Sweep.First;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Steps through waiting calls, access by access, and lets an interrupt (or the end of the time) and what another thread does
 * happen at every pair of steps: nothing is lost, nothing is given twice, and the flag says what it should.
 */
@Timeout(300)
class InterruptSweepTest {

    @ParameterizedTest
    @CsvSource({
        "Acquire, INTERRUPT",
        "AcquireInParts, INTERRUPT",
        "WithPermit, INTERRUPT",
        "AcquireUninterruptibly, INTERRUPT",
        "TryAcquireTimed, INTERRUPT",
        "TryAcquireTimed, TIME_OVER",
        "Closed, INTERRUPT",
        "CancelFuture, NOTHING",
        "CancelWaiter, NOTHING",
        "LockInterruptibly, INTERRUPT",
        "WriteLock, INTERRUPT",
        "Await, INTERRUPT",
        "CancelSignalled, NOTHING"
    })
    void atEveryStepNothingIsLostOrDoubled(String scenario, First first) throws Exception {
        SteppedClasses classes = new SteppedClasses(Omission.NONE);
        int runs = Sweep.run(classes, scenario, first);
        assertThat(runs).isGreaterThan(20);
    }

    /** Leaves out one call of the product and shows that the sweep notices. */
    @ParameterizedTest
    @CsvSource({
        // An interrupted waiter keeps its part.
        "AcquireInParts, INTERRUPT, Permits, withdraw, grant",
        "WriteLock, INTERRUPT, Permits, withdraw, grant",
        // An interrupted waiter stays in the queue, and what is released goes to it.
        "Acquire, INTERRUPT, WaitQueue, free, unlink",
        // Whoever is granted is not woken.
        "Acquire, INTERRUPT, WaitQueue, wake, unpark",
        // The flag is not cleared by throwing.
        "Acquire, INTERRUPT, Results, throwInterrupted, interrupted",
        // A body that throws or ends keeps its permit.
        "WithPermit, INTERRUPT, Semaphore, withPermit, release",
        // A cancelled waiter keeps its part.
        "CancelWaiter, NOTHING, Permits, removeFromQueue, grant",
        // A future that was cancelled when it had been granted already keeps the permits.
        "CancelFuture, NOTHING, WaitFuture, settle, giveBack",
        // A signal is used up by a waiter that is cancelled.
        "CancelSignalled, NOTHING, Conditions, cancel, signalUnderLock",
        "CancelSignalled, NOTHING, Condvar$Awaiting, giveBack, signal",
        // A waiter that leaves does not ask for the lock again.
        "Await, INTERRUPT, Conditions, await, requeue"
    })
    void aTwinWithACallLeftOutFails(String scenario, First first, String type, String method, String called)
            throws Exception {
        SteppedClasses broken = new SteppedClasses(new Omission(type, method, called));
        assertThatThrownBy(() -> Sweep.run(broken, scenario, first)).isInstanceOf(AssertionError.class);
        assertThat(broken.omitted()).isPositive();
    }
}
