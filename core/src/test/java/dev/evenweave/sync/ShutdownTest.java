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
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ShutdownTest {
    private final List<String> log = log();
    private final Shutdown shutdown = new Shutdown();

    @Test
    void theRequestReachesTheGuardAndTheEndWaitsForIt() throws Exception {
        Shutdown.Guard guard = shutdown.register();
        assertThat(guard.isRequested()).isFalse();
        Task part = start(() -> {
            try (guard) {
                guard.shutdown().awaitRequest();
            }
        });
        until(() -> shutdown.queueLength() == 1);
        assertThat(shutdown.request()).isTrue();
        shutdown.await();
        part.join();
        assertThat(shutdown.isOver()).isTrue();
    }

    @Test
    void aHundredPartsStopBeforeTheEnd() throws Exception {
        AtomicInteger stopped = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Shutdown.Guard guard = shutdown.register();
            tasks.add(start(() -> {
                try (guard) {
                    shutdown.awaitRequest();
                    stopped.incrementAndGet();
                }
            }));
        }
        assertThat(shutdown.guards()).isEqualTo(100);
        shutdown.request();
        shutdown.await();
        assertThat(stopped).hasValue(100);
        joinAll(tasks);
    }

    @Test
    void severalMayRequestAndOneIsTheFirst() throws Exception {
        AtomicInteger first = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            tasks.add(start(() -> first.addAndGet(shutdown.request() ? 1 : 0)));
        }
        joinAll(tasks);
        assertThat(first).hasValue(1);
        assertThat(shutdown.isOver()).isTrue();
    }

    @Test
    void theRequestStaysAndIsSeenAtOnceByWhoComesLater() throws Exception {
        Shutdown.Guard guard = shutdown.register();
        shutdown.request();
        assertThat(guard.isRequested()).isTrue();
        shutdown.awaitRequest();
        assertThat(shutdown.awaitRequest(Duration.ZERO)).isTrue();
        assertThat(shutdown.awaitRequestAsync()).isCompleted();
        assertThat(shutdown.isOver()).isFalse();
    }

    @Test
    void waitingForTheEndDoesNotRequestIt() throws Exception {
        CompletableFuture<?> end = shutdown.awaitAsync();
        assertThat(shutdown.await(Duration.ofNanos(1))).isFalse();
        assertThat(shutdown.isRequested()).isFalse();
        assertThat(end).isNotDone();
        end.cancel(false);
        assertThat(shutdown.isRequested()).isFalse();
    }

    @Test
    void cancellingTheWaitForTheEndDoesNotTakeTheRequestBack() {
        Shutdown.Guard guard = shutdown.register();
        shutdown.request();
        CompletableFuture<?> end = shutdown.awaitAsync();
        end.cancel(false);
        assertThat(guard.isRequested()).isTrue();
        guard.close();
        assertThat(shutdown.isOver()).isTrue();
    }

    @Test
    void whoWatchesHoldsNothingUp() {
        CompletableFuture<?> watch = shutdown.awaitRequestAsync();
        assertThat(shutdown.awaitRequest(new Noting("requested", log))).isFalse();
        assertThat(shutdown.await(new Noting("over", log))).isFalse();
        shutdown.request();
        assertThat(watch).isCompleted();
        assertThat(log).containsExactly("requested", "over");
    }

    @Test
    void afterTheRequestNothingNewBeginsButWhatRunsMayFork() {
        Shutdown.Guard guard = shutdown.register();
        shutdown.request();
        assertThatThrownBy(shutdown::register)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("requested");
        Shutdown.Guard child = guard.fork();
        guard.close();
        guard.close();
        assertThat(shutdown.isOver()).isFalse();
        assertThat(shutdown.guards()).isEqualTo(1);
        assertThatThrownBy(guard::fork).isInstanceOf(IllegalStateException.class);
        child.close();
        assertThat(shutdown.isOver()).isTrue();
        assertThatThrownBy(child::fork).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingAllGuardsWithoutARequestEndsNothing() {
        shutdown.register().close();
        assertThat(shutdown.isOver()).isFalse();
        Shutdown.Guard later = shutdown.register();
        later.close();
        shutdown.request();
        assertThat(shutdown.isOver()).isTrue();
    }

    @Test
    void aWaiterIsCancelledWhereverItWaits() {
        Noting a = new Noting("a", log);
        assertThat(shutdown.await(a)).isFalse();
        assertThat(shutdown.cancel(a)).isTrue();
        assertThat(shutdown.awaitRequest(a)).isFalse();
        assertThat(shutdown.cancel(a)).isTrue();
        assertThat(shutdown.cancel(a)).isFalse();
        shutdown.request();
        assertThat(log).isEmpty();
    }

    @Test
    void aThrowingCallbackOfTheRequestDoesNotHoldUpTheEnd() {
        assertThat(shutdown.awaitRequest(new Noting("a", log, () -> {
                    throw new IllegalStateException("a failed");
                })))
                .isFalse();
        assertThat(catchThrowable(shutdown::request)).hasMessage("a failed");
        assertThat(shutdown.isRequested()).isTrue();
        assertThat(shutdown.isOver()).isTrue();
    }

    @Test
    void toStringShowsStateAndQueue() {
        Shutdown.Guard guard = shutdown.register();
        assertThat(shutdown).hasToString("Shutdown[not requested, guards=1, queued=0]");
        shutdown.request();
        assertThat(guard).hasToString("Shutdown.Guard[open of Shutdown[requested, guards=1, queued=0]]");
        guard.close();
        assertThat(shutdown).hasToString("Shutdown[over, guards=0, queued=0]");
    }
}
