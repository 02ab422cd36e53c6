// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static dev.evenweave.channel.Threads.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.channel.Threads.Started;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class WatchTest {
    private final Watch<Integer> watch = new Watch<>(0);

    @Test
    void aReceiverSeesTheLatestValueOnly() throws Exception {
        try (Watch.Receiver<Integer> receiver = watch.subscribe()) {
            assertThat(receiver.hasChanged()).isFalse();
            assertThat(watch.send(1)).isTrue();
            assertThat(watch.replace(2)).isEqualTo(1);
            assertThat(receiver.hasChanged()).isTrue();
            assertThat(receiver.receive()).isEqualTo(2);
            assertThat(receiver.hasChanged()).isFalse();
            assertThat(receiver.tryReceive(Duration.ZERO)).isNull();
            assertThat(receiver.get()).isEqualTo(2);
        }
    }

    @Test
    void allWhoWaitSeeAChange() throws Exception {
        Watch.Receiver<Integer> a = watch.subscribe();
        Watch.Receiver<Integer> b = watch.subscribe();
        Started<Integer> first = start(a::receive).parked();
        Started<Integer> second = start(b::receive).parked();
        watch.send(5);
        assertThat(first.get()).isEqualTo(5);
        assertThat(second.get()).isEqualTo(5);
    }

    @Test
    void withoutReceiversOnlyReplaceSets() {
        assertThat(watch.send(1)).isFalse();
        assertThat(watch.get()).isZero();
        assertThat(watch.replace(2)).isZero();
        assertThat(watch.get()).isEqualTo(2);
        Watch.Receiver<Integer> receiver = watch.subscribe();
        assertThat(receiver.hasChanged()).isFalse();
        assertThat(watch.receivers()).isEqualTo(1);
        receiver.close();
        receiver.close();
        assertThat(watch.receivers()).isZero();
    }

    @Test
    void theLastValueIsSeenBeforeTheEnd() throws Exception {
        Watch.Receiver<Integer> receiver = watch.subscribe();
        Watch.Receiver<Integer> upToDate = watch.subscribe();
        watch.send(1);
        upToDate.get();
        Started<Integer> waiting = start(upToDate::receive).parked();
        IllegalStateException reason = new IllegalStateException("over");
        assertThat(watch.close(reason)).isTrue();
        assertThat(watch.close()).isFalse();
        assertThat(receiver.receive()).isEqualTo(1);
        assertThatThrownBy(receiver::receive)
                .isInstanceOf(ChannelClosedException.class)
                .hasCause(reason);
        assertThatThrownBy(waiting::get).hasCause(reason);
        assertThatThrownBy(() -> watch.send(2)).hasCause(reason);
        assertThatThrownBy(() -> watch.replace(2)).hasCause(reason);
        assertThat(watch.get()).isEqualTo(1);
        assertThat(watch.isClosed()).isTrue();
    }

    @Test
    void anInterruptOrATimeoutCountsNothingAsSeen() throws Exception {
        Watch.Receiver<Integer> receiver = watch.subscribe();
        assertThat(receiver.tryReceive(Duration.ofMillis(1))).isNull();
        Started<Boolean> interrupted = start(() -> {
                    assertThatThrownBy(receiver::receive).isInstanceOf(InterruptedException.class);
                    return Thread.currentThread().isInterrupted();
                })
                .parked();
        interrupted.thread().interrupt();
        assertThat(interrupted.get()).isFalse();
        watch.send(1);
        assertThat(receiver.receive()).isEqualTo(1);
    }

    @Test
    void valuesNeverGoBack() throws Exception {
        Watch.Receiver<Integer> receiver = watch.subscribe();
        Started<Integer> watching = start(() -> {
            int last = 0;
            try {
                while (true) {
                    int value = receiver.receive();
                    assertThat(value).isGreaterThan(last);
                    last = value;
                }
            } catch (ChannelClosedException e) {
                return last;
            }
        });
        for (int i = 1; i <= 100_000; i++) {
            watch.replace(i);
        }
        watch.close();
        assertThat(watching.get()).isEqualTo(100_000);
    }

    @Test
    void nullIsRefused() {
        assertThatThrownBy(() -> new Watch<>(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> watch.replace(null)).isInstanceOf(NullPointerException.class);
    }
}
