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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(120)
class OnceTest {
    private final List<String> log = log();
    private final Once once = new Once();

    @Test
    void runsOnce() throws Exception {
        assertThat(once.run(() -> log.add("first"))).isTrue();
        assertThat(once.run(() -> log.add("second"))).isFalse();
        assertThat(once.runUninterruptibly(() -> log.add("third"))).isFalse();
        assertThat(once.run(() -> log.add("fourth"), Duration.ZERO)).isFalse();
        assertThat(once.runAsync(() -> {
                    log.add("fifth");
                    return CompletableFuture.completedFuture(null);
                }))
                .isCompletedWithValue(false);
        assertThat(log).containsExactly("first");
        assertThat(once.isCompleted()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("dev.evenweave.sync.Testing#threads")
    void ofAHundredTasksOneRunsAndTheOthersSeeWhatItDid(Thread.Builder kind) throws Exception {
        int[] plain = {0};
        AtomicInteger ran = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 100; t++) {
            tasks.add(start(kind, () -> {
                if (once.run(() -> {
                    Thread.yield();
                    plain[0]++;
                })) {
                    ran.incrementAndGet();
                }
                assertThat(plain[0]).isEqualTo(1);
            }));
        }
        joinAll(tasks);
        assertThat(ran).hasValue(1);
    }

    @Test
    void aBodyThatThrowsHasNotRunAndTheExceptionIsItsCallersAlone() throws Exception {
        assertThatThrownBy(() -> once.run(() -> {
                    throw new IOException("failed");
                }))
                .isInstanceOf(IOException.class);
        assertThat(once.isCompleted()).isFalse();
        assertThat(once.run(() -> log.add("second"))).isTrue();
        assertThat(log).containsExactly("second");
    }

    @Test
    void whenTheRunnerFailsTheNextInTheQueueRunsItsOwnBody() throws Exception {
        CountDownLatch fail = new CountDownLatch(1);
        Task first = start(() -> once.run(() -> {
            fail.await();
            throw new IllegalStateException("first");
        }));
        until(() -> once.toString().startsWith("Once[running"));
        List<Task> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int number = i;
            others.add(start(() -> once.run(() -> log.add("body " + number))));
            until(() -> once.queueLength() == number + 1);
        }
        fail.countDown();
        assertThat(first.outcome()).hasMessage("first");
        joinAll(others);
        assertThat(log).containsExactly("body 0");
    }

    @Test
    void aRunnerThatIsInterruptedPassesTheLeadOn() throws Exception {
        Task first = start(() -> once.run(() -> {
            new CountDownLatch(1).await();
            return null;
        }));
        until(() -> once.toString().startsWith("Once[running"));
        Task second = start(() -> assertThat(once.run(() -> log.add("second"))).isTrue());
        until(() -> once.queueLength() == 1);
        first.thread.interrupt();
        assertThat(first.outcome()).isInstanceOf(InterruptedException.class);
        second.join();
        assertThat(log).containsExactly("second");
    }

    @Test
    void aFutureThatLeadsAndIsCancelledPassesTheLeadOn() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<Boolean> first = once.runAsync(() -> stage);
        CompletableFuture<Boolean> second = once.runAsync(() -> {
            log.add("second");
            return CompletableFuture.completedFuture("done");
        });
        CompletableFuture<?> watching = once.awaitAsync();
        first.cancel(false);
        assertThat(stage).isCancelled();
        assertThat(second).isCompletedWithValue(true);
        assertThat(watching).isCompleted();
        assertThat(log).containsExactly("second");
    }

    @Test
    void awaitNeverRunsAnythingAndEndsWhenABodyHas() throws Exception {
        assertThat(once.await(Duration.ofNanos(1))).isFalse();
        Task waiter = start(() -> once.await());
        assertThat(once.await(new Noting("callback", log))).isFalse();
        until(() -> once.queueLength() == 2);
        assertThatThrownBy(() -> once.run(() -> {
                    throw new IllegalStateException("failed");
                }))
                .hasMessage("failed");
        assertThat(once.queueLength()).isEqualTo(2);
        once.run(() -> log.add("ran"));
        waiter.join();
        assertThat(log).containsExactly("ran", "callback");
    }

    @Test
    void aTimeLimitEndsTheWaitForTheOneThatRuns() throws Exception {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<Boolean> first = once.runAsync(() -> stage);
        assertThatThrownBy(() -> once.run(() -> log.add("late"), Duration.ofNanos(1)))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("PT");
        assertThat(once.queueLength()).isZero();
        stage.complete("done");
        assertThat(first).isCompletedWithValue(true);
        assertThat(log).isEmpty();
    }

    @Test
    void runningOrAwaitingItselfIsAnErrorAndNotAHang() throws Exception {
        once.run(() -> {
            assertThatThrownBy(() -> once.run(() -> log.add("inner")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("itself");
            assertThatThrownBy(once::await).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(once::awaitUninterruptibly).isInstanceOf(IllegalStateException.class);
        });
        assertThat(once.isCompleted()).isTrue();
        assertThat(log).isEmpty();
    }

    @Test
    void toStringShowsState() throws Exception {
        assertThat(once).hasToString("Once[not run, queued=0]");
        once.run(() -> assertThat(once).hasToString("Once[running, queued=0]"));
        assertThat(once).hasToString("Once[completed]");
    }
}
