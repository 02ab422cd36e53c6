// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static dev.evenweave.channel.Threads.go;
import static dev.evenweave.channel.Threads.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.channel.Mpsc.Reservation;
import dev.evenweave.channel.Mpsc.Sender;
import dev.evenweave.channel.Threads.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class MpscTest {
    private static final int UNBOUNDED = 0;

    private static <T> Mpsc<T> mpsc(int capacity) {
        return capacity == UNBOUNDED ? Mpsc.unbounded() : Mpsc.bounded(capacity);
    }

    @ParameterizedTest
    @ValueSource(ints = {UNBOUNDED, 1, 1024})
    void elementsOfOneSenderComeInOrder(int capacity) throws Exception {
        Mpsc<Integer> mpsc = mpsc(capacity);
        Sender<Integer> sender = mpsc.sender();
        int count = 200_000;
        go(() -> {
            try (sender) {
                for (int i = 0; i < count; i++) {
                    sender.send(i);
                }
            }
        });
        int expected = 0;
        for (int element : mpsc.receiver()) {
            assertThat(element).isEqualTo(expected++);
        }
        assertThat(expected).isEqualTo(count);
    }

    @ParameterizedTest
    @ValueSource(ints = {UNBOUNDED, 1, 10})
    void endsWhenTheLastOfManySendersHasLeft(int capacity) throws Exception {
        Mpsc<Integer> mpsc = mpsc(capacity);
        try (Sender<Integer> first = mpsc.sender()) {
            for (int i = 1; i <= 100; i++) {
                int element = i;
                Sender<Integer> sender = first.another();
                go(() -> {
                    try (sender) {
                        sender.send(element);
                    }
                });
            }
        }
        assertThat(mpsc.receiver().stream().mapToInt(i -> i).sum()).isEqualTo(5050);
        assertThat(mpsc.receiver().isDrained()).isTrue();
        assertThatThrownBy(mpsc::sender).isInstanceOf(ChannelClosedException.class);
    }

    @Test
    void whatWasSentIsReceivedAfterTheLastSenderHasLeft() throws Exception {
        Mpsc<Integer> mpsc = Mpsc.bounded(2);
        Sender<Integer> sender = mpsc.sender();
        assertThat(mpsc.receiver().tryReceive()).isNull();
        assertThat(sender.trySend(1)).isTrue();
        assertThat(sender.trySend(2)).isTrue();
        assertThat(sender.trySend(3)).isFalse();
        assertThat(sender.trySend(3, Duration.ofMillis(1))).isFalse();
        sender.close();
        sender.close();
        assertThatThrownBy(() -> sender.trySend(4)).isInstanceOf(IllegalStateException.class);
        assertThat(mpsc.receiver()).containsExactly(1, 2);
    }

    @Test
    void theReceiverLeavesAndAllSendersLearnIt() throws Exception {
        Mpsc<Integer> mpsc = Mpsc.bounded(1);
        Sender<Integer> sender = mpsc.sender();
        sender.send(0);
        List<Started<Void>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(go(() -> sender.send(1)).parked());
        }
        Started<Reservation<Integer>> reserving = start(sender::reserve).parked();
        IllegalStateException reason = new IllegalStateException("enough");
        assertThat(mpsc.cancel(reason)).isTrue();
        assertThat(mpsc.cancel()).isFalse();
        for (Started<Void> one : waiting) {
            assertThatThrownBy(one::get)
                    .isInstanceOf(ChannelClosedException.class)
                    .hasCause(reason);
        }
        assertThatThrownBy(reserving::get).hasCause(reason);
        assertThatThrownBy(() -> sender.trySend(2)).hasCause(reason);
        assertThatThrownBy(sender::tryReserve).hasCause(reason);
        assertThatThrownBy(mpsc::sender).hasCause(reason);
        assertThat(mpsc.receiver().isDrained()).as("what was there is dropped").isTrue();
    }

    @Test
    void twoReceiversCanBeSelected() throws Exception {
        Mpsc<Integer> a = Mpsc.bounded(1);
        Mpsc<Integer> b = Mpsc.unbounded();
        Selector selector = new Selector();
        ReceiveCase<Integer> fromA = selector.receive(a.receiver());
        ReceiveCase<Integer> fromB = selector.receive(b.receiver());
        Started<Case> selecting = start(selector::select).parked();
        b.sender().send(1);
        assertThat(selecting.get()).isSameAs(fromB);
        a.sender().send(2);
        assertThat(selector.select()).isSameAs(fromA);
        assertThat(fromA.element()).isEqualTo(2);
    }

    @Test
    void aReservedPlaceCannotBeTaken() throws Exception {
        Mpsc<Integer> mpsc = Mpsc.bounded(2);
        Sender<Integer> sender = mpsc.sender();
        Reservation<Integer> first = sender.reserve();
        Reservation<Integer> second = sender.tryReserve();
        assertThat(second).isNotNull();
        assertThat(sender.tryReserve()).isNull();
        assertThat(sender.tryReserve(Duration.ofMillis(1))).isNull();
        assertThat(sender.trySend(9)).isFalse();
        second.send(2);
        first.send(1);
        assertThat(mpsc.receiver().tryReceive()).isEqualTo(2);
        assertThat(mpsc.receiver().tryReceive()).isEqualTo(1);
        assertThatThrownBy(() -> first.send(3)).isInstanceOf(IllegalStateException.class);
        first.close();
        assertThat(sender.trySend(3)).isTrue();
        assertThat(sender.trySend(4)).isTrue();
        assertThat(sender.trySend(5)).as("closing after use gives nothing back").isFalse();
    }

    @Test
    void aReservationGivesItsPlaceBackOnce() throws Exception {
        Mpsc<Integer> mpsc = Mpsc.bounded(1);
        Sender<Integer> sender = mpsc.sender();
        Reservation<Integer> reservation = sender.reserve();
        Started<Void> waiting = go(() -> sender.send(1)).parked();
        Started<Void> next = go(() -> sender.send(2)).parked();
        reservation.close();
        reservation.close();
        waiting.get();
        next.parked();
        assertThat(mpsc.receiver().receive()).isEqualTo(1);
        assertThat(mpsc.receiver().receive()).isEqualTo(2);
        next.get();
    }

    @Test
    void reservationsAndSendersStandInOneQueue() throws Exception {
        Mpsc<Integer> mpsc = Mpsc.bounded(1);
        Sender<Integer> sender = mpsc.sender();
        sender.send(0);
        Started<Void> first = go(() -> sender.send(1)).parked();
        Started<Reservation<Integer>> second = start(sender::reserve).parked();
        Started<Void> third = go(() -> sender.send(3)).parked();
        assertThat(mpsc.receiver().receive()).isZero();
        first.get();
        second.parked();
        assertThat(mpsc.receiver().receive()).isEqualTo(1);
        Reservation<Integer> reservation = second.get();
        third.parked();
        assertThat(mpsc.receiver().tryReceive()).isNull();
        reservation.send(2);
        assertThat(mpsc.receiver().receive()).isEqualTo(2);
        assertThat(mpsc.receiver().receive()).isEqualTo(3);
        third.get();
    }

    @Test
    void aReservedElementGoesToAReceiverWhoWaits() throws Exception {
        Mpsc<Integer> mpsc = Mpsc.bounded(1);
        Sender<Integer> sender = mpsc.sender();
        Reservation<Integer> reservation = sender.reserve();
        Started<Integer> receiver = start(mpsc.receiver()::receive).parked();
        Started<Integer> next = start(mpsc.receiver()::receive).parked();
        Started<Void> waiting = go(() -> sender.send(2)).parked();
        reservation.send(1);
        assertThat(receiver.get()).isEqualTo(1);
        assertThat(next.get())
                .as("the place went on to the sender, and its element too")
                .isEqualTo(2);
        waiting.get();
    }

    @Test
    void anInterruptedReserveTakesNoPlace() throws Exception {
        Mpsc<Integer> mpsc = Mpsc.bounded(1);
        Sender<Integer> sender = mpsc.sender();
        Reservation<Integer> held = sender.reserve();
        Started<Boolean> interrupted = start(() -> {
                    assertThatThrownBy(sender::reserve).isInstanceOf(InterruptedException.class);
                    return true;
                })
                .parked();
        Started<Void> next = go(() -> sender.send(1)).parked();
        interrupted.thread().interrupt();
        interrupted.get();
        held.close();
        next.get();
        sender.close();
        assertThat(mpsc.receiver()).containsExactly(1);
    }

    @Test
    void aReservationThatIsHeldKeepsTheChannelFromEnding() throws Exception {
        Mpsc<Integer> mpsc = Mpsc.unbounded();
        Sender<Integer> sender = mpsc.sender();
        Reservation<Integer> reservation = sender.reserve();
        sender.close();
        assertThat(mpsc.receiver().tryReceive()).isNull();
        reservation.send(1);
        assertThat(mpsc.receiver()).containsExactly(1);
    }

    @Test
    void cancellingDoesNotWaitForReservations() throws Exception {
        Mpsc<Integer> mpsc = Mpsc.bounded(1);
        Sender<Integer> sender = mpsc.sender();
        Reservation<Integer> used = sender.reserve();
        mpsc.cancel();
        assertThatThrownBy(() -> used.send(1)).isInstanceOf(ChannelClosedException.class);
        used.close();
        assertThat(mpsc.receiver().isDrained()).isTrue();
    }

    @Test
    void aCapacityThatCannotBeIsRefused() {
        assertThatThrownBy(() -> Mpsc.bounded(0)).hasMessageContaining("capacity 0");
        assertThatThrownBy(() -> Mpsc.bounded(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Senders that reserve, send, time out and are interrupted; the sum arrives. */
    @Test
    void nothingIsLostInAMixOfReservationsAndSends() throws Exception {
        Mpsc<Integer> mpsc = Mpsc.bounded(3);
        List<Started<Integer>> senders = new ArrayList<>();
        try (Sender<Integer> first = mpsc.sender()) {
            for (int w = 0; w < 4; w++) {
                int worker = w;
                Sender<Integer> sender = first.another();
                senders.add(start(() -> {
                    int sum = 0;
                    try (sender) {
                        for (int i = 1; i <= 5_000; i++) {
                            if ((i + worker) % 3 == 0) {
                                try (Reservation<Integer> reservation = sender.reserve()) {
                                    if (i % 2 == 0) {
                                        reservation.send(i);
                                        sum += i;
                                    }
                                }
                            } else if ((i + worker) % 3 == 1) {
                                sender.send(i);
                                sum += i;
                            } else if (sender.trySend(i, Duration.ofNanos(1_000))) {
                                sum += i;
                            }
                        }
                    }
                    return sum;
                }));
            }
        }
        int received = 0;
        for (int element : mpsc.receiver()) {
            received += element;
        }
        int sent = 0;
        for (Started<Integer> sender : senders) {
            sent += sender.get();
        }
        assertThat(received).isEqualTo(sent);
    }
}
