// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.joinAll;
import static dev.evenweave.sync.Testing.log;
import static dev.evenweave.sync.Testing.start;
import static dev.evenweave.sync.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.sync.Testing.Noting;
import dev.evenweave.sync.Testing.Task;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LazyTest {
    private final List<String> log = log();
    private final AtomicInteger computed = new AtomicInteger();

    @Test
    void computesWhenFirstAskedAndOnce() throws Exception {
        Lazy<String> lazy = Lazy.of(() -> "value " + computed.incrementAndGet());
        assertThat(computed).hasValue(0);
        assertThat(lazy).hasToString("Lazy[not begun]");
        assertThat(lazy.get()).isEqualTo("value 1");
        assertThat(lazy.get(Duration.ZERO)).isEqualTo("value 1");
        assertThat(lazy.getUninterruptibly()).isEqualTo("value 1");
        assertThat(lazy.getAsync()).isCompletedWithValue("value 1");
        assertThat(lazy.resultNow()).isEqualTo("value 1");
        assertThat(lazy).hasToString("Lazy[complete: value 1]");
    }

    @Test
    void manyWhoAskAtOnceShareOneComputation() throws Exception {
        Lazy<Integer> lazy = Lazy.of(computed::incrementAndGet);
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 100; t++) {
            tasks.add(start(() -> assertThat(lazy.get()).isEqualTo(1)));
        }
        joinAll(tasks);
    }

    @Test
    void aWaitThatIsInterruptedKeepsTheProgressAndTheNextFindsIt() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Lazy<String> lazy = Lazy.of(() -> {
            computed.incrementAndGet();
            go.await();
            return "value";
        });
        Task first = start(lazy::get);
        until(() -> computed.get() == 1 && lazy.queueLength() == 1);
        first.thread.interrupt();
        assertThat(first.outcome()).isInstanceOf(InterruptedException.class);
        Task second = start(() -> assertThat(lazy.get()).isEqualTo("value"));
        until(() -> lazy.queueLength() == 1);
        go.countDown();
        second.join();
        assertThat(computed).hasValue(1);
    }

    @Test
    void aFutureThatIsCancelledKeepsTheProgressOfTheStage() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        Lazy<String> lazy = Lazy.ofAsync(() -> {
            computed.incrementAndGet();
            return stage;
        });
        CompletableFuture<String> first = lazy.getAsync();
        first.cancel(true);
        assertThat(stage).isNotDone();
        CompletableFuture<String> second = lazy.getAsync();
        stage.complete("value");
        assertThat(second).isCompletedWithValue("value");
        assertThat(computed).hasValue(1);
    }

    @Test
    void aTimeLimitEndsTheWaitAndNotTheComputation() throws Exception {
        CompletableFuture<String> stage = new CompletableFuture<>();
        Lazy<String> lazy = Lazy.ofAsync(() -> stage);
        assertThatThrownBy(() -> lazy.get(Duration.ofNanos(1))).isInstanceOf(TimeoutException.class);
        stage.complete("value");
        assertThat(lazy.get()).isEqualTo("value");
    }

    @Test
    void aFailureIsForEverAndForAll() {
        Lazy<String> lazy = Lazy.of(() -> {
            computed.incrementAndGet();
            throw new IOException("no");
        });
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(lazy::get).isInstanceOf(ClosedException.class).hasRootCauseMessage("no");
            assertThatThrownBy(lazy::getUninterruptibly).isInstanceOf(ClosedException.class);
            assertThatThrownBy(lazy.getAsync()::join).hasRootCauseMessage("no");
        }
        assertThat(lazy.isFailed()).isTrue();
        assertThat(computed).hasValue(1);
        assertThat(lazy).hasToString("Lazy[queued=0, closed by java.io.IOException: no]");
    }

    @Test
    void aStageThatFailsOrIsNoneIsAFailureToo() {
        Lazy<String> failed =
                Lazy.ofAsync(() -> CompletableFuture.failedFuture(new CompletionException(new IOException("stage"))));
        assertThatThrownBy(failed::get)
                .isInstanceOf(ClosedException.class)
                .cause()
                .isInstanceOf(IOException.class);
        Lazy<String> none = Lazy.ofAsync(() -> null);
        assertThatThrownBy(none::get).hasRootCauseInstanceOf(NullPointerException.class);
        Lazy<String> thrown = Lazy.ofAsync(() -> {
            throw new IllegalStateException("thrown");
        });
        assertThatThrownBy(thrown::get).hasRootCauseMessage("thrown");
    }

    @Test
    void afailureElsewhereDoesNotTouchIt() throws Exception {
        Lazy<String> lazy = Lazy.of(() -> "value");
        Task failing = start(() -> {
            lazy.get();
            throw new IllegalStateException("unrelated");
        });
        assertThat(failing.outcome()).hasMessage("unrelated");
        assertThat(lazy.get()).isEqualTo("value");
    }

    @Test
    void anInterruptOfWhoAsksDoesNotReachTheComputation() throws Exception {
        Lazy<Boolean> lazy = Lazy.of(() -> Thread.currentThread().isInterrupted());
        Task asker = start(() -> {
            Thread.currentThread().interrupt();
            assertThat(lazy.getUninterruptibly()).isFalse();
        });
        asker.join();
    }

    @Test
    void askingForItselfIsAFailureAndNotAHang() {
        Lazy<?>[] lazy = new Lazy<?>[1];
        lazy[0] = Lazy.of(() -> lazy[0].get());
        assertThatThrownBy(lazy[0]::get)
                .isInstanceOf(ClosedException.class)
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("itself");
    }

    @Test
    void nullIsAValueAndAValueMayBeGiven() throws Exception {
        assertThat(Lazy.of(() -> null).get()).isNull();
        assertThat(Lazy.ofValue("given").get()).isEqualTo("given");
        assertThat(Lazy.ofValue("given").start()).isFalse();
        assertThat(Lazy.ofValue("given")).hasToString("Lazy[complete: given]");
    }

    @Test
    void itMayBeBegunWithoutWaitingAndBeWaitedForByCallback() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        Lazy<String> lazy = Lazy.ofAsync(() -> stage);
        assertThatThrownBy(lazy::resultNow).isInstanceOf(IllegalStateException.class);
        assertThat(lazy.start()).isTrue();
        assertThat(lazy.start()).isFalse();
        assertThat(lazy.await(new Noting("a", log, () -> log.add(lazy.resultNow()))))
                .isFalse();
        assertThat(lazy.isComplete()).isFalse();
        stage.complete("value");
        assertThat(log).containsExactly("a", "value");
        assertThat(lazy.await(new Noting("b", log))).isTrue();
    }
}
