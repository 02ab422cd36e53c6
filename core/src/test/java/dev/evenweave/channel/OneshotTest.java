// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static dev.evenweave.channel.Threads.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.channel.Threads.Started;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class OneshotTest {
    private final Oneshot<Integer> oneshot = new Oneshot<>();

    @Test
    void whatWasSentBeforeIsReceivedAtOnce() throws Exception {
        assertThat(oneshot.tryReceive()).isNull();
        assertThat(oneshot.send(1)).isTrue();
        assertThat(oneshot.hasElement()).isTrue();
        assertThat(oneshot.receive()).isEqualTo(1);
        assertThat(oneshot.hasElement()).isFalse();
        assertThatThrownBy(oneshot::tryReceive).isInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(oneshot::receive).hasMessageContaining("received already");
    }

    @Test
    void theReceiverWaits() throws Exception {
        Started<Integer> receiver = start(oneshot::receive).parked();
        assertThat(oneshot.send(1)).isTrue();
        assertThat(receiver.get()).isEqualTo(1);
    }

    @Test
    void anElementIsSentOnce() {
        oneshot.send(1);
        assertThatThrownBy(() -> oneshot.send(2)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> new Oneshot<Integer>().send(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void theSenderGivesUp() throws Exception {
        IOException reason = new IOException("lost");
        Started<Integer> receiver = start(oneshot::receive).parked();
        assertThat(oneshot.close(reason)).isTrue();
        assertThat(oneshot.close()).isFalse();
        assertThatThrownBy(receiver::get)
                .isInstanceOf(ChannelClosedException.class)
                .hasCause(reason);
        assertThatThrownBy(oneshot::tryReceive).isInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(() -> oneshot.send(1)).isInstanceOf(ChannelClosedException.class);
    }

    @Test
    void anElementThatWasSentOutlivesAClose() throws Exception {
        oneshot.send(1);
        assertThat(oneshot.close()).isFalse();
        assertThat(oneshot.receive()).isEqualTo(1);
    }

    @Test
    void theReceiverGivesUp() throws Exception {
        assertThat(oneshot.cancel()).isTrue();
        assertThat(oneshot.cancel()).isFalse();
        assertThat(oneshot.isCancelled()).isTrue();
        assertThat(oneshot.send(1)).isFalse();
        assertThatThrownBy(oneshot::receive).isInstanceOf(ChannelClosedException.class);
        Oneshot<Integer> sent = new Oneshot<>();
        sent.send(1);
        assertThat(sent.cancel()).as("drops the element").isTrue();
        assertThatThrownBy(sent::tryReceive).isInstanceOf(ChannelClosedException.class);
    }

    @Test
    void givingUpEndsTheWaitOfAnotherThread() throws Exception {
        Started<Integer> receiver = start(oneshot::receive).parked();
        oneshot.cancel();
        assertThatThrownBy(receiver::get).isInstanceOf(ChannelClosedException.class);
    }

    @Test
    void oneReceiverWaitsAtATime() throws Exception {
        Started<Integer> receiver = start(oneshot::receive).parked();
        assertThatThrownBy(oneshot::receive)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("another receiver");
        assertThatThrownBy(oneshot::receiveAsync).isInstanceOf(IllegalStateException.class);
        assertThat(oneshot.tryReceive()).isNull();
        oneshot.send(1);
        receiver.get();
    }

    @Test
    void anInterruptOrATimeoutLeavesItEmpty() throws Exception {
        Started<Boolean> receiver = start(() -> {
                    assertThatThrownBy(oneshot::receive).isInstanceOf(InterruptedException.class);
                    return Thread.currentThread().isInterrupted();
                })
                .parked();
        receiver.thread().interrupt();
        assertThat(receiver.get()).isFalse();
        assertThat(oneshot.tryReceive(Duration.ofMillis(1))).isNull();
        assertThat(oneshot.tryReceive(Duration.ZERO)).isNull();
        oneshot.send(1);
        assertThat(oneshot.tryReceive(Duration.ZERO)).isEqualTo(1);
    }

    @Test
    void aFutureWaits() throws Exception {
        CompletableFuture<Integer> future = oneshot.receiveAsync();
        assertThat(future).isNotDone();
        oneshot.send(1);
        assertThat(future).isCompletedWithValue(1);
        assertThat(future.cancel(true)).isFalse();
        Oneshot<Integer> closed = new Oneshot<>();
        CompletableFuture<Integer> failing = closed.receiveAsync();
        closed.close();
        assertThatThrownBy(failing::get).hasCauseInstanceOf(ChannelClosedException.class);
    }

    @Test
    void aCancelledFutureLeavesTheElementToTheNext() throws Exception {
        CompletableFuture<Integer> future = oneshot.receiveAsync();
        assertThat(future.cancel(true)).isTrue();
        oneshot.send(1);
        assertThat(oneshot.receive()).isEqualTo(1);
    }

    /** Send, give up on either side, and an interrupt, all at once: the element goes one way. */
    @Test
    void theElementGoesOneWayWhateverRaces() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            Oneshot<Integer> racing = new Oneshot<>();
            Started<Integer> receiver = start(() -> {
                try {
                    return racing.receive();
                } catch (ChannelClosedException | InterruptedException e) {
                    return null;
                }
            });
            Started<Boolean> sender = start(() -> racing.send(1));
            Started<Boolean> canceller = start(racing::cancel);
            receiver.thread().interrupt();
            Integer received = receiver.get();
            boolean sent = sender.get();
            boolean cancelled = canceller.get();
            if (received != null) {
                assertThat(sent).isTrue();
                assertThat(cancelled).isFalse();
            } else {
                assertThat(cancelled).isTrue();
            }
        }
    }

    @Test
    void describesItself() {
        assertThat(oneshot).hasToString("Oneshot[empty]");
        oneshot.send(1);
        assertThat(oneshot).hasToString("Oneshot[sent]");
        oneshot.tryReceive();
        assertThat(oneshot).hasToString("Oneshot[received]");
    }
}
