// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.joinAll;
import static dev.evenweave.sync.Testing.log;
import static dev.evenweave.sync.Testing.start;
import static dev.evenweave.sync.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.evenweave.sync.Testing.Noting;
import dev.evenweave.sync.Testing.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ManualResetEventTest {
    private final List<String> log = log();
    private final ManualResetEvent event = new ManualResetEvent();

    @Test
    void staysSetUntilItIsReset() throws Exception {
        event.set();
        event.await();
        event.await();
        assertThat(event.isSet()).isTrue();
        event.reset();
        assertThat(event.isSet()).isFalse();
        assertThat(event.await(Duration.ZERO)).isFalse();
        assertThat(new ManualResetEvent(true).await(Duration.ZERO)).isTrue();
    }

    @Test
    void settingTwiceAndResettingTwiceIsAsOnce() throws Exception {
        event.set();
        event.set();
        event.reset();
        assertThat(event.isSet()).isFalse();
        event.reset();
        event.set();
        assertThat(event.isSet()).isTrue();
    }

    @Test
    void aWaitThatBeginsAfterSetAndResetIsNotLetGoByThatSet() {
        event.set();
        event.reset();
        assertThat(event.await(new Noting("a", log))).isFalse();
        assertThat(log).isEmpty();
        event.set();
        assertThat(log).containsExactly("a");
    }

    @Test
    void aResetRightAfterTheSetHoldsNobodyBack() throws Exception {
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            tasks.add(start(event::await));
        }
        until(() -> event.queueLength() == 50);
        event.set();
        event.reset();
        joinAll(tasks);
        assertThat(event.isSet()).isFalse();
    }

    @Test
    void theWholeCohortIsLetGoEvenIfTheFirstCallbackResets() {
        assertThat(event.await(new Noting("a", log, event::reset))).isFalse();
        assertThat(event.await(new Noting("b", log))).isFalse();
        CompletableFuture<?> future = event.awaitAsync();
        event.set();
        assertThat(log).containsExactly("a", "b");
        assertThat(future).isCompleted();
        assertThat(event.isSet()).isFalse();
    }

    @Test
    void aWaitThatBeginsInACallbackBelongsToTheNextPeriod() {
        Noting[] a = new Noting[1];
        a[0] = new Noting("a", log, () -> {
            event.reset();
            assertThat(event.await(a[0])).isFalse();
        });
        assertThat(event.await(a[0])).isFalse();
        event.set();
        assertThat(log).containsExactly("a");
        assertThat(event.queueLength()).isEqualTo(1);
        event.set();
        assertThat(log).containsExactly("a", "a");
    }

    @Test
    void aWaitThatBeginsInACallbackWhileItIsSetDoesNotWait() {
        assertThat(event.await(new Noting(
                        "a",
                        log,
                        () -> assertThat(event.await(new Noting("b", log))).isTrue())))
                .isFalse();
        event.set();
        assertThat(log).containsExactly("a");
    }

    @Test
    void cancellingAWaiterThatWasLetGoDoesNothing() {
        Noting b = new Noting("b", log);
        assertThat(event.await(
                        new Noting("a", log, () -> assertThat(event.cancel(b)).isFalse())))
                .isFalse();
        assertThat(event.await(b)).isFalse();
        event.set();
        assertThat(log).containsExactly("a", "b");
    }

    @Test
    void aThrowingCallbackLeavesTheEventSetAndTheRestLetGo() {
        assertThat(event.await(new Noting("a", log, () -> {
                    throw new IllegalStateException("a failed");
                })))
                .isFalse();
        assertThat(event.await(new Noting("b", log))).isFalse();
        assertThat(catchThrowable(event::set)).hasMessage("a failed");
        assertThat(log).containsExactly("a", "b");
        assertThat(event.isSet()).isTrue();
    }

    @Test
    void everyOperationMayBeCalledFromACallback() {
        assertThat(event.await(new Noting("a", log, () -> {
                    event.reset();
                    event.set();
                    assertThat(event.queueLength()).isZero();
                    assertThat(event).hasToString("ManualResetEvent[set, queued=0]");
                    event.close();
                })))
                .isFalse();
        event.set();
        assertThat(event.isSet()).isTrue();
        assertThat(event.isClosed()).isTrue();
    }

    @Test
    void afterClosingItStaysAsItIs() throws Exception {
        event.close();
        event.set();
        assertThat(event.isSet()).isFalse();
        assertThatThrownBy(event::await).isInstanceOf(ClosedException.class);
        ManualResetEvent set = new ManualResetEvent(true);
        set.close();
        set.reset();
        set.await();
        assertThat(set).hasToString("ManualResetEvent[set, queued=0, closed]");
    }

    @Test
    void settingAndResettingFromManyThreadsLosesNobody() throws Exception {
        List<Task> waiters = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            waiters.add(start(t % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform(), () -> {
                for (int i = 0; i < 2_000; i++) {
                    event.await();
                    event.reset();
                }
            }));
        }
        Task setter = start(Thread.ofPlatform(), () -> {
            while (waiters.stream().anyMatch(waiter -> waiter.thread.isAlive())) {
                event.set();
                Thread.yield();
            }
        });
        joinAll(waiters);
        setter.join();
        assertThat(event.queueLength()).isZero();
    }
}
