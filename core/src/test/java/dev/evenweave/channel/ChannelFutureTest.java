// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static dev.evenweave.channel.Threads.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.channel.Threads.Started;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ChannelFutureTest {
    private final Channel<Integer> channel = Channel.unbuffered();

    @Test
    void completesAtOnceIfThereIsNothingToWaitFor() throws Exception {
        Channel<Integer> buffered = Channel.buffered(1);
        assertThat(buffered.sendAsync(1)).isCompletedWithValue(null);
        assertThat(buffered.receiveAsync()).isCompletedWithValue(1);
        buffered.close();
        assertThatThrownBy(() -> buffered.receiveAsync().get()).hasCauseInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(() -> buffered.sendAsync(2).get()).hasCauseInstanceOf(ChannelClosedException.class);
    }

    @Test
    void threadsAndFuturesStandInOneQueue() throws Exception {
        CompletableFuture<Integer> first = channel.receiveAsync();
        Started<Integer> second = start(channel::receive).parked();
        CompletableFuture<Integer> third = channel.receiveAsync();
        for (int i = 1; i <= 3; i++) {
            channel.send(i);
        }
        assertThat(first).isCompletedWithValue(1);
        assertThat(second.get()).isEqualTo(2);
        assertThat(third).isCompletedWithValue(3);
    }

    @Test
    void aFutureSends() throws Exception {
        CompletableFuture<Void> sending = channel.sendAsync(1);
        assertThat(sending).isNotDone();
        assertThat(channel.receive()).isEqualTo(1);
        assertThat(sending).isCompleted();
    }

    @Test
    void cancellingLeavesTheQueue() throws Exception {
        CompletableFuture<Integer> receiving = channel.receiveAsync();
        assertThat(receiving.cancel(true)).isTrue();
        assertThat(receiving).isCancelled();
        assertThat(channel.trySend(1)).isFalse();
        CompletableFuture<Void> sending = channel.sendAsync(1);
        assertThat(sending.completeExceptionally(new IllegalStateException())).isTrue();
        assertThat(channel.tryReceive()).isNull();
        CompletableFuture<Integer> late = channel.receiveAsync().orTimeout(1, TimeUnit.MILLISECONDS);
        assertThatThrownBy(late::get).isInstanceOf(ExecutionException.class).hasCauseInstanceOf(TimeoutException.class);
        assertThat(channel.trySend(1)).isFalse();
    }

    @Test
    void cancellingAfterTheElementCameIsTooLate() throws Exception {
        CompletableFuture<Integer> receiving = channel.receiveAsync();
        channel.send(1);
        assertThat(receiving.cancel(true)).isFalse();
        assertThat(receiving.complete(2)).isFalse();
        assertThat(receiving).isCompletedWithValue(1);
    }

    @Test
    void closeCompletesFutures() {
        CompletableFuture<Integer> receiving = channel.receiveAsync();
        IllegalStateException reason = new IllegalStateException("gone");
        channel.close(reason);
        assertThatThrownBy(receiving::get)
                .cause()
                .isInstanceOf(ChannelClosedException.class)
                .hasCause(reason);
    }

    @Test
    void cancellingADependentDoesNotLeaveTheQueue() throws Exception {
        CompletableFuture<Integer> receiving = channel.receiveAsync();
        receiving.thenApply(x -> x).cancel(true);
        channel.send(1);
        assertThat(receiving).isCompletedWithValue(1);
    }

    /** Each callback sends what the next one waits for, 200 000 deep. */
    @Test
    void aChainOfCallbacksDoesNotGrowTheStack() throws Exception {
        int length = 200_000;
        List<Channel<Integer>> channels = new ArrayList<>();
        AtomicInteger end = new AtomicInteger();
        for (int i = 0; i <= length; i++) {
            channels.add(Channel.unbuffered());
        }
        for (int i = 0; i < length; i++) {
            Channel<Integer> next = channels.get(i + 1);
            channels.get(i).receiveAsync().thenAccept(x -> next.sendAsync(x + 1));
        }
        channels.get(length).receiveAsync().thenAccept(end::set);
        channels.get(0).send(0);
        assertThat(end).hasValue(length);
    }

    /** An element that comes while the future is cancelled is either in the future or goes to the next receiver. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aCancelledFutureLosesNoElement(int capacity) throws Exception {
        for (int i = 0; i < 20_000; i++) {
            Channel<Integer> racing = Channel.buffered(capacity);
            CompletableFuture<Integer> receiving = racing.receiveAsync();
            Started<Boolean> cancelling = start(() -> receiving.cancel(true));
            boolean sent = racing.trySend(1);
            boolean cancelled = cancelling.get();
            if (cancelled) {
                assertThat(racing.tryReceive()).isEqualTo(sent && capacity == 1 ? 1 : null);
            } else {
                assertThat(receiving.get()).isEqualTo(1);
            }
            assertThat(sent || cancelled).isTrue();
        }
    }
}
