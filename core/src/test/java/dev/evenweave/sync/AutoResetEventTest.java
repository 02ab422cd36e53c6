// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.joinAll;
import static dev.evenweave.sync.Testing.log;
import static dev.evenweave.sync.Testing.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.evenweave.sync.Testing.Noting;
import dev.evenweave.sync.Testing.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class AutoResetEventTest {
    private final List<String> log = log();
    private final AutoResetEvent event = new AutoResetEvent();

    @Test
    void letsTheOldestGoAndOnlyThat() {
        assertThat(event.await(new Noting("a", log))).isFalse();
        assertThat(event.await(new Noting("b", log))).isFalse();
        event.set();
        assertThat(log).containsExactly("a");
        assertThat(event.isSet()).isFalse();
        event.set();
        assertThat(log).containsExactly("a", "b");
    }

    @Test
    void signalsThatNobodyWaitsForBecomeOne() throws Exception {
        event.set();
        event.set();
        assertThat(event.isSet()).isTrue();
        event.await();
        assertThat(event.isSet()).isFalse();
        assertThat(event.await(Duration.ZERO)).isFalse();
        assertThat(new AutoResetEvent(true).tryAwait()).isTrue();
    }

    @Test
    void tryingCannotStealASignalThatWasGiven() {
        assertThat(event.await(new Noting("a", log, () -> {
                    assertThat(event.tryAwait()).isFalse();
                    assertThat(event.isSet()).isFalse();
                })))
                .isFalse();
        assertThat(event.tryAwait()).isFalse();
        event.set();
        assertThat(log).containsExactly("a");
    }

    @Test
    void resetClearsAStoredSignalAndLeavesAGivenOne() {
        event.set();
        event.reset();
        assertThat(event.tryAwait()).isFalse();
        assertThat(event.await(new Noting("a", log, event::reset))).isFalse();
        CompletableFuture<?> future = event.awaitAsync();
        event.set();
        event.reset();
        assertThat(log).containsExactly("a");
        assertThat(future).isNotDone();
        event.set();
        assertThat(future).isCompleted();
    }

    @Test
    void aFutureCancelledWhenItWasGivenTheSignalGivesItToTheNext() {
        CompletableFuture<?>[] future = new CompletableFuture<?>[1];
        // The first one's callback cancels the future between its getting the signal and its hearing of it.
        assertThat(event.await(new Noting("first", log, () -> {
                    event.set();
                    future[0].cancel(false);
                })))
                .isFalse();
        future[0] = event.awaitAsync();
        assertThat(event.await(new Noting("third", log))).isFalse();
        event.set();
        assertThat(future[0]).isCancelled();
        assertThat(log).containsExactly("first", "third");
        assertThat(event.isSet()).isFalse();
    }

    @Test
    void aFutureCancelledWhenItWasGivenTheSignalStoresItIfNobodyWaits() {
        CompletableFuture<?>[] future = new CompletableFuture<?>[1];
        assertThat(event.await(new Noting("first", log, () -> {
                    event.set();
                    future[0].cancel(false);
                    // Coalesces with the one that comes back.
                    event.set();
                })))
                .isFalse();
        future[0] = event.awaitAsync();
        event.set();
        assertThat(future[0]).isCancelled();
        assertThat(event.tryAwait()).isTrue();
        assertThat(event.tryAwait()).isFalse();
    }

    @Test
    void aWaitThatEndedWellGivesNothingBack() {
        CompletableFuture<?> future = event.awaitAsync();
        event.set();
        future.cancel(false);
        assertThat(future).isCompleted();
        assertThat(event.isSet()).isFalse();
    }

    @Test
    void aThrowingCallbackKeepsItsSignal() {
        assertThat(event.await(new Noting("a", log, () -> {
                    throw new IllegalStateException("a failed");
                })))
                .isFalse();
        assertThat(event.await(new Noting("b", log))).isFalse();
        assertThat(catchThrowable(event::set)).hasMessage("a failed");
        assertThat(event.isSet()).isFalse();
        assertThat(log).containsExactly("a");
    }

    @Test
    void everySignalThatSomebodyWaitsForLetsExactlyOneGo() throws Exception {
        int waits = 2_000;
        AtomicInteger taken = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            tasks.add(start(t % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform(), () -> {
                for (int i = 0; i < waits; i++) {
                    event.await();
                    taken.incrementAndGet();
                }
            }));
        }
        int given = 0;
        while (given < 4 * waits) {
            if (event.queueLength() > 0 && taken.get() == given) {
                event.set();
                given++;
            }
            Thread.yield();
        }
        joinAll(tasks);
        assertThat(taken).hasValue(4 * waits);
        assertThat(event.isSet()).isFalse();
    }

    @Test
    void afterClosingNothingIsGiven() {
        event.set();
        event.close(new IllegalStateException("over"));
        event.set();
        event.reset();
        assertThatThrownBy(() -> assertThat(event.tryAwait()).isTrue())
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("over");
        assertThat(event.isClosed()).isTrue();
    }

    @Test
    void toStringShowsStateAndQueue() {
        assertThat(event).hasToString("AutoResetEvent[unset, queued=0]");
        event.set();
        assertThat(event).hasToString("AutoResetEvent[set, queued=0]");
    }
}
