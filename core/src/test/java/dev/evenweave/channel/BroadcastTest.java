// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static dev.evenweave.channel.Threads.go;
import static dev.evenweave.channel.Threads.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.evenweave.channel.Broadcast.Receiver;
import dev.evenweave.channel.Threads.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class BroadcastTest {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyReceiverGetsEveryElementSinceItSubscribed(boolean lossless) throws Exception {
        Broadcast<Integer> broadcast = lossless ? Broadcast.lossless(8) : Broadcast.overwriting(8);
        broadcast.send(0);
        try (Receiver<Integer> early = broadcast.subscribe()) {
            broadcast.send(1);
            try (Receiver<Integer> late = broadcast.subscribe()) {
                broadcast.send(2);
                assertThat(early.receive()).isEqualTo(1);
                assertThat(early.receive()).isEqualTo(2);
                assertThat(early.tryReceive()).isNull();
                assertThat(late.receive()).isEqualTo(2);
                assertThat(broadcast.receivers()).isEqualTo(2);
            }
        }
        assertThat(broadcast.receivers()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReceiverWaits(boolean lossless) throws Exception {
        Broadcast<Integer> broadcast = lossless ? Broadcast.lossless(1) : Broadcast.overwriting(1);
        Receiver<Integer> receiver = broadcast.subscribe();
        Started<Integer> waiting = start(receiver::receive).parked();
        broadcast.send(1);
        assertThat(waiting.get()).isEqualTo(1);
        assertThat(receiver.tryReceive(Duration.ofMillis(1))).isNull();
        Started<Boolean> interrupted = start(() -> {
                    assertThatThrownBy(receiver::receive).isInstanceOf(InterruptedException.class);
                    return Thread.currentThread().isInterrupted();
                })
                .parked();
        interrupted.thread().interrupt();
        assertThat(interrupted.get()).isFalse();
        broadcast.send(2);
        assertThat(receiver.receive()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasSentBeforeCloseIsReceived(boolean lossless) throws Exception {
        Broadcast<Integer> broadcast = lossless ? Broadcast.lossless(2) : Broadcast.overwriting(2);
        Receiver<Integer> receiver = broadcast.subscribe();
        Receiver<Integer> idle = broadcast.subscribe();
        broadcast.send(1);
        idle.receive();
        Started<Integer> waiting = start(idle::receive).parked();
        IllegalStateException reason = new IllegalStateException("over");
        assertThat(broadcast.close(reason)).isTrue();
        assertThat(broadcast.close()).isFalse();
        assertThat(receiver.receive()).isEqualTo(1);
        assertThatThrownBy(receiver::receive)
                .isInstanceOf(ChannelClosedException.class)
                .hasCause(reason);
        assertThatThrownBy(waiting::get).hasCause(reason);
        assertThatThrownBy(() -> broadcast.send(2)).hasCause(reason);
        assertThatThrownBy(() -> broadcast.trySend(2)).hasCause(reason);
    }

    @Test
    void aLosslessSenderWaitsForTheSlowestReceiver() throws Exception {
        Broadcast<Integer> broadcast = Broadcast.lossless(3);
        Receiver<Integer> fast = broadcast.subscribe();
        Receiver<Integer> slow = broadcast.subscribe();
        for (int i = 0; i < 3; i++) {
            broadcast.send(i);
            fast.receive();
        }
        assertThat(broadcast.size()).isEqualTo(3);
        assertThat(broadcast.trySend(9)).isFalse();
        assertThat(broadcast.trySend(9, Duration.ofMillis(1))).isFalse();
        Started<Void> sender = go(() -> broadcast.send(3)).parked();
        assertThat(slow.receive()).isZero();
        sender.get();
        assertThat(fast.receive()).isEqualTo(3);
        Started<Void> next = go(() -> broadcast.send(4)).parked();
        slow.close();
        next.get();
        assertThat(fast.receive()).isEqualTo(4);
        assertThat(broadcast.size()).isZero();
    }

    @Test
    void closeEndsTheWaitOfALosslessSender() throws Exception {
        Broadcast<Integer> broadcast = Broadcast.lossless(1);
        Receiver<Integer> receiver = broadcast.subscribe();
        broadcast.send(1);
        Started<Void> sender = go(() -> broadcast.send(2)).parked();
        broadcast.close();
        assertThatThrownBy(sender::get).isInstanceOf(ChannelClosedException.class);
        assertThat(receiver.receive()).isEqualTo(1);
        assertThatThrownBy(receiver::receive).isInstanceOf(ChannelClosedException.class);
    }

    @Test
    void anInterruptedLosslessSendIsNotSent() throws Exception {
        Broadcast<Integer> broadcast = Broadcast.lossless(1);
        Receiver<Integer> receiver = broadcast.subscribe();
        broadcast.send(1);
        Started<Boolean> sender = start(() -> {
                    assertThatThrownBy(() -> broadcast.send(2)).isInstanceOf(InterruptedException.class);
                    return true;
                })
                .parked();
        sender.thread().interrupt();
        sender.get();
        assertThat(receiver.receive()).isEqualTo(1);
        assertThat(receiver.tryReceive()).isNull();
        assertThat(broadcast.trySend(3)).isTrue();
    }

    @Test
    void withoutReceiversNothingIsKeptAndNobodyWaits() throws Exception {
        Broadcast<Integer> broadcast = Broadcast.lossless(1);
        for (int i = 0; i < 10; i++) {
            broadcast.send(i);
        }
        assertThat(broadcast.size()).isZero();
        assertThat(broadcast.subscribe().tryReceive()).isNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 5, -3})
    void aSlowReceiverLearnsExactlyHowManyItMissed(long first) throws Exception {
        Broadcast<Integer> broadcast = new Broadcast<>(3, false, first);
        Receiver<Integer> receiver = broadcast.subscribe();
        for (int i = 0; i < 10; i++) {
            broadcast.send(i);
        }
        LaggedException lagged = catchThrowableOfType(LaggedException.class, receiver::receive);
        assertThat(lagged.missed()).isEqualTo(7);
        assertThat(receiver.receive()).isEqualTo(7);
        for (int i = 10; i < 12; i++) {
            broadcast.send(i);
        }
        assertThat(catchThrowableOfType(LaggedException.class, receiver::tryReceive))
                .hasMessageContaining("missed 1 element that was");
        assertThat(receiver.receive()).isEqualTo(9);
        assertThat(receiver.receive()).isEqualTo(10);
        assertThat(receiver.receive()).isEqualTo(11);
        assertThat(receiver.tryReceive()).isNull();
        assertThat(broadcast.size()).isEqualTo(3);
    }

    @Test
    void subscribesFromTheOldestOrWhereAnotherStands() throws Exception {
        Broadcast<Integer> broadcast = Broadcast.overwriting(4);
        for (int i = 0; i < 6; i++) {
            broadcast.send(i);
        }
        Receiver<Integer> oldest = broadcast.subscribeFromOldest();
        assertThat(oldest.receive()).isEqualTo(2);
        Receiver<Integer> fork = oldest.fork();
        assertThat(oldest.receive()).isEqualTo(3);
        assertThat(fork.receive()).isEqualTo(3);
        Broadcast<Integer> lossless = Broadcast.lossless(4);
        assertThatThrownBy(lossless::subscribeFromOldest).isInstanceOf(IllegalStateException.class);
        Receiver<Integer> first = lossless.subscribe();
        lossless.send(1);
        lossless.send(2);
        first.receive();
        Receiver<Integer> second = first.fork();
        assertThat(first.receive()).isEqualTo(2);
        assertThat(lossless.size()).isEqualTo(1);
        assertThat(second.receive()).isEqualTo(2);
        assertThat(lossless.size()).isZero();
    }

    @Test
    void aClosedReceiverIsOver() {
        Broadcast<Integer> broadcast = Broadcast.lossless(4);
        Receiver<Integer> receiver = broadcast.subscribe();
        receiver.close();
        receiver.close();
        assertThat(broadcast.receivers()).isZero();
        assertThatThrownBy(receiver::tryReceive).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(receiver::fork).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Broadcast.lossless(0)).hasMessageContaining("capacity 0");
    }

    /** 200 000 elements over a small ring: what a receiver got and what it missed add up, in order. */
    @Test
    void whatIsReceivedAndWhatIsMissedAddUp() throws Exception {
        int count = 200_000;
        Broadcast<Integer> broadcast = Broadcast.overwriting(16);
        List<Started<Long>> receivers = new ArrayList<>();
        for (int r = 0; r < 2; r++) {
            Receiver<Integer> receiver = broadcast.subscribe();
            receivers.add(start(() -> {
                long next = 0;
                while (true) {
                    try {
                        assertThat((long) receiver.receive()).isEqualTo(next++);
                    } catch (LaggedException e) {
                        next += e.missed();
                    } catch (ChannelClosedException e) {
                        return next;
                    }
                }
            }));
        }
        for (int i = 0; i < count; i++) {
            broadcast.send(i);
        }
        broadcast.close();
        for (Started<Long> receiver : receivers) {
            assertThat(receiver.get()).isEqualTo(count);
        }
    }

    /** Several senders; all receivers see one sequence. */
    @Test
    void allReceiversSeeTheSameSequence() throws Exception {
        Broadcast<Integer> broadcast = Broadcast.lossless(5);
        List<Started<List<Integer>>> receivers = new ArrayList<>();
        for (int r = 0; r < 3; r++) {
            Receiver<Integer> receiver = broadcast.subscribe();
            receivers.add(start(() -> {
                List<Integer> seen = new ArrayList<>();
                try {
                    while (true) {
                        seen.add(receiver.receive());
                    }
                } catch (ChannelClosedException e) {
                    return seen;
                }
            }));
        }
        List<Started<Void>> senders = new ArrayList<>();
        for (int s = 0; s < 3; s++) {
            int base = s * 10_000;
            senders.add(go(() -> {
                for (int i = 0; i < 3_000; i++) {
                    broadcast.send(base + i);
                }
            }));
        }
        for (Started<Void> sender : senders) {
            sender.get();
        }
        broadcast.close();
        List<Integer> first = receivers.get(0).get();
        assertThat(first).hasSize(9_000).doesNotHaveDuplicates();
        assertThat(receivers.get(1).get()).isEqualTo(first);
        assertThat(receivers.get(2).get()).isEqualTo(first);
    }
}
