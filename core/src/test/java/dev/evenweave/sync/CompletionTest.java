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
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class CompletionTest {
    private final List<String> log = log();
    private final Completion<String> completion = new Completion<>();

    @Test
    void allSeeTheValueThoseWhoCameBeforeAndThoseWhoComeAfter() throws Exception {
        Task before = start(() -> assertThat(completion.await()).isEqualTo("value"));
        until(() -> completion.queueLength() == 1);
        CompletableFuture<String> future = completion.awaitAsync();
        assertThat(completion.complete("value")).isTrue();
        before.join();
        assertThat(future).isCompletedWithValue("value");
        assertThat(completion.await()).isEqualTo("value");
        assertThat(completion.await(Duration.ZERO)).isEqualTo("value");
        assertThat(completion.awaitUninterruptibly()).isEqualTo("value");
        assertThat(completion.awaitAsync()).isCompletedWithValue("value");
        assertThat(completion.resultNow()).isEqualTo("value");
    }

    @Test
    void theFirstValueStays() {
        assertThat(completion.complete("first")).isTrue();
        assertThat(completion.complete("second")).isFalse();
        completion.close(new IllegalStateException("late"));
        assertThat(completion.resultNow()).isEqualTo("first");
        assertThat(completion.isClosed()).isFalse();
    }

    @Test
    void leavingWithoutAValueEndsEveryWait() {
        CompletableFuture<String> future = completion.awaitAsync();
        try (completion) {
            assertThat(completion.isComplete()).isFalse();
        }
        assertThatThrownBy(future::join).hasCauseInstanceOf(ClosedException.class);
        assertThat(completion.isClosed()).isTrue();
        assertThatThrownBy(completion::resultNow).isInstanceOf(ClosedException.class);
    }

    @Test
    void completingWhatItsObserversHaveClosedReturnsTheValueToItsMaker() {
        completion.close();
        assertThat(completion.complete("unwanted")).isFalse();
        assertThat(completion.isComplete()).isFalse();
    }

    @Test
    void nullIsAValueToo() throws Exception {
        assertThat(completion.complete(null)).isTrue();
        assertThat(completion.isComplete()).isTrue();
        assertThat(completion.await()).isNull();
        assertThat(completion.complete("second")).isFalse();
        assertThat(completion).hasToString("Completion[complete: null]");
    }

    @Test
    void theValueIsThereInTheCallback() {
        assertThat(completion.await(new Noting("a", log, () -> log.add(completion.resultNow()))))
                .isFalse();
        completion.complete("value");
        assertThat(log).containsExactly("a", "value");
    }

    @Test
    void aThrowingCallbackDoesNotUndoTheValue() {
        assertThat(completion.await(new Noting("a", log, () -> {
                    throw new IllegalStateException("a failed");
                })))
                .isFalse();
        CompletableFuture<String> future = completion.awaitAsync();
        assertThat(catchThrowable(() -> completion.complete("value"))).hasMessage("a failed");
        assertThat(future).isCompletedWithValue("value");
    }

    @Test
    void withoutAValueThereIsNoResultNow() {
        assertThatThrownBy(completion::resultNow)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no value yet");
        assertThatThrownBy(() -> completion.await(Duration.ofNanos(1)))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("PT");
    }

    @Test
    void ofManyWhoCompleteAndCloseOneWinsAndAllAgree() throws Exception {
        for (int round = 0; round < 500; round++) {
            Completion<Integer> contended = new Completion<>();
            AtomicInteger winners = new AtomicInteger();
            List<Task> tasks = new ArrayList<>();
            CompletableFuture<Integer> future = contended.awaitAsync();
            for (int t = 0; t < 3; t++) {
                int mine = t;
                tasks.add(start(() -> {
                    if (contended.complete(mine)) {
                        winners.addAndGet(10 + mine);
                    }
                }));
            }
            tasks.add(start(contended::close));
            joinAll(tasks);
            if (contended.isClosed()) {
                assertThat(winners).hasValue(0);
                assertThat(future).isCompletedExceptionally();
            } else {
                assertThat(winners.get() - 10).isEqualTo(contended.resultNow());
                assertThat(future).isCompletedWithValue(contended.resultNow());
            }
        }
    }

    @Test
    void toStringShowsStateAndQueue() {
        assertThat(completion.await(new Noting("a", log))).isFalse();
        assertThat(completion).hasToString("Completion[pending, queued=1]");
        completion.close(new IllegalStateException("over"));
        assertThat(completion).hasToString("Completion[queued=0, closed by java.lang.IllegalStateException: over]");
    }
}
