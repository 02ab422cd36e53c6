// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.stepping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.stepping.SteppedClasses.Omission;
import dev.evenweave.stepping.Sweep.First;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sweeps of {@link InterruptSweepTest} over what lets all go, what happens once, and what is shared between keys. */
@Timeout(300)
class CoordinationSweepTest {

    @ParameterizedTest
    @CsvSource({
        "LatchAwait, INTERRUPT",
        "WaitGroupAwait, TIME_OVER",
        "BarrierAwait, INTERRUPT",
        "BarrierAwait, NOTHING",
        "PartyAwait, INTERRUPT",
        "CancelParty, NOTHING",
        "EventAwait, INTERRUPT",
        "SignalAwait, INTERRUPT",
        "CancelSignal, NOTHING",
        "CompletionAwait, INTERRUPT",
        "CompletionClosed, NOTHING",
        "CellLeads, INTERRUPT",
        "CellShares, INTERRUPT",
        "CellRunsItsBody, INTERRUPT",
        "CancelQueuedLeader, NOTHING",
        "CancelLeader, NOTHING",
        "ShareAcquire, INTERRUPT",
        "CancelBlocking, NOTHING",
        "CancelShare, NOTHING"
    })
    void atEveryStepNothingIsLostOrDoubled(String scenario, First first) throws Exception {
        SteppedClasses classes = new SteppedClasses(Omission.NONE);
        int runs = Sweep.run(classes, "Coordination$" + scenario, first);
        assertThat(runs).isGreaterThan(10);
    }

    /** Leaves out one call of the product and shows that the sweep notices. */
    @ParameterizedTest
    @CsvSource({
        // A waiter that leaves stays in the queue.
        "LatchAwait, INTERRUPT, Gate, standStill, remove",
        // A round ends without letting anybody go.
        "BarrierAwait, NOTHING, Rounds, subtract, begin",
        // A party that has waited to the end has still to wait.
        "PartyAwait, INTERRUPT, Phaser$Party, waitIn, setPending",
        // A party whose future was cancelled arrives in the next phase.
        "CancelParty, NOTHING, Phaser$Await, leave, setPending",
        // A future that was cancelled when it had got the signal keeps it.
        "CancelSignal, NOTHING, AutoResetEvent$Await, giveBack, releaseUpToMax",
        // Nobody hears that no value will come.
        "CompletionClosed, NOTHING, Completion, abandon, close",
        // A leader that failed keeps the lead.
        "CellLeads, INTERRUPT, Initialization, fail, giveUp",
        // The others do not hear of the value.
        "CellShares, INTERRUPT, Initialization, letGo, close",
        // A future that gets the lead when it was cancelled already keeps it.
        "CancelQueuedLeader, NOTHING, Initialization$Async, lead, giveUp",
        // A leader that was cancelled goes on.
        "CancelLeader, NOTHING, Initialization$Async, left, cancelStage",
        // A waiter that was cancelled held others up, and does so for ever.
        "CancelBlocking, NOTHING, Shares, cancel, grant",
        // A future that was cancelled when it had got the permits keeps them.
        "CancelShare, NOTHING, FairShare$Acquire, giveBack, release"
    })
    void aTwinWithACallLeftOutFails(String scenario, First first, String type, String method, String called)
            throws Exception {
        SteppedClasses broken = new SteppedClasses(new Omission(type, method, called));
        assertThatThrownBy(() -> Sweep.run(broken, "Coordination$" + scenario, first))
                .isInstanceOf(AssertionError.class);
        assertThat(broken.omitted()).isPositive();
    }
}
