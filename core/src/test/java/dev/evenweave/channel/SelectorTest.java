// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static dev.evenweave.channel.Threads.go;
import static dev.evenweave.channel.Threads.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.channel.Threads.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class SelectorTest {
    private final Selector selector = new Selector();

    @Test
    void takesFromTheOneThatIsReady() throws Exception {
        Channel<Integer> first = Channel.buffered(1);
        Channel<String> second = Channel.buffered(1);
        ReceiveCase<Integer> number = selector.receive(first);
        ReceiveCase<String> text = selector.receive(second);
        second.send("a");
        assertThat(selector.select()).isSameAs(text);
        assertThat(text.element()).isEqualTo("a");
        assertThat(text.index()).isEqualTo(1);
        first.send(1);
        assertThat(selector.select()).isSameAs(number);
        assertThat(number.element()).isEqualTo(1);
        assertThatThrownBy(text::element)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("case 1 was not chosen");
        assertThat(selector.selectNow()).isNull();
    }

    @Test
    void waitsUntilOneIsReady() throws Exception {
        Channel<Integer> first = Channel.unbuffered();
        Channel<Integer> second = Channel.unbuffered();
        ReceiveCase<Integer> a = selector.receive(first);
        selector.receive(second);
        Started<Case> selecting = start(selector::select).parked();
        first.send(5);
        assertThat(selecting.get()).isSameAs(a);
        assertThat(a.element()).isEqualTo(5);
        assertThat(second.trySend(6)).as("the other case has been withdrawn").isFalse();
    }

    @Test
    void sendsToTheOneThatIsReady() throws Exception {
        Channel<Integer> first = Channel.unbuffered();
        Channel<Integer> second = Channel.unbuffered();
        SendCase<Integer> a = selector.send(first, 1);
        SendCase<Integer> b = selector.send(second, 2);
        Started<Case> selecting = start(selector::select).parked();
        assertThat(second.receive()).isEqualTo(2);
        assertThat(selecting.get()).isSameAs(b);
        assertThat(first.tryReceive()).isNull();
        b.offer(3);
        Started<Integer> receiver = start(second::receive).parked();
        assertThat(selector.select()).isSameAs(b);
        assertThat(receiver.get()).isEqualTo(3);
        assertThat(selector.selectNow()).as("only the first has an element now").isNull();
        receiver = start(first::receive).parked();
        assertThat(selector.select()).isSameAs(a);
        assertThat(receiver.get()).isEqualTo(1);
    }

    @Test
    void aWaitingSelectServesASelectThatComes() throws Exception {
        Channel<Integer> first = Channel.unbuffered();
        Channel<Integer> second = Channel.unbuffered();
        selector.send(first, 1);
        selector.send(second, 2);
        Started<Case> selecting = start(selector::select).parked();
        Selector other = new Selector();
        ReceiveCase<Integer> a = other.receive(first);
        ReceiveCase<Integer> b = other.receive(second);
        Case received = other.select();
        Case sent = selecting.get();
        assertThat(received.index()).isEqualTo(sent.index());
        assertThat(received == a ? a.element() : b.element()).isEqualTo(sent.index() + 1);
    }

    @Test
    void aDisabledCaseTakesNoPart() throws Exception {
        Channel<Integer> channel = Channel.buffered(1);
        ReceiveCase<Integer> receive = selector.receive(channel);
        channel.send(1);
        receive.enable(false);
        assertThat(selector.selectNow()).isNull();
        assertThat(selector.select(Duration.ofMillis(1))).isNull();
        receive.enable(true);
        assertThat(selector.select()).isSameAs(receive);
    }

    @Test
    void aSelectThatCannotEndIsRefused() {
        assertThatThrownBy(selector::select)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no case is active (0 added)");
        selector.send(Channel.unbuffered());
        assertThatThrownBy(selector::select).hasMessageContaining("no case is active (1 added)");
        assertThat(selector.selectNow()).isNull();
    }

    @Test
    void timesOut() throws Exception {
        Channel<Integer> channel = Channel.unbuffered();
        selector.receive(channel);
        selector.send(Channel.<Integer>unbuffered(), 1);
        assertThat(selector.select(Duration.ofMillis(1))).isNull();
        assertThat(selector.select(Duration.ZERO)).isNull();
        assertThat(selector.select(Duration.ofSeconds(-1))).isNull();
        assertThat(channel.trySend(1)).as("the case has been withdrawn").isFalse();
    }

    @Test
    void aClosedChannelIsReadyToReceive() throws Exception {
        Channel<Integer> channel = Channel.unbuffered();
        ReceiveCase<Integer> receive = selector.receive(channel);
        selector.receive(Channel.unbuffered());
        Started<Case> selecting = start(selector::select).parked();
        channel.close();
        assertThat(selecting.get()).isSameAs(receive);
        assertThat(receive.isClosed()).isTrue();
        assertThat(receive.elementOrNull()).isNull();
        assertThatThrownBy(receive::element).isInstanceOf(ChannelClosedException.class);
        assertThat(selector.select()).isSameAs(receive);
        assertThat(selector.selectNow()).isSameAs(receive);
        assertThat(receive.isClosed()).isTrue();
    }

    @Test
    void sendingToAClosedChannelThrows() throws Exception {
        Channel<Integer> channel = Channel.unbuffered();
        Channel<Integer> other = Channel.unbuffered();
        selector.send(channel, 1);
        ReceiveCase<Integer> receive = selector.receive(other);
        Started<Case> selecting = start(selector::select).parked();
        channel.close();
        assertThatThrownBy(selecting::get).isInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(selector::select).isInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(selector::selectNow).isInstanceOf(ChannelClosedException.class);
        assertThat(other.trySend(1)).as("the other case has been withdrawn").isFalse();
        assertThatThrownBy(receive::element).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anInterruptEndsTheWaitAndNothingHappens() throws Exception {
        Channel<Integer> in = Channel.unbuffered();
        Channel<Integer> out = Channel.unbuffered();
        selector.receive(in);
        selector.send(out, 1);
        Started<Boolean> selecting = start(() -> {
                    assertThatThrownBy(selector::select).isInstanceOf(InterruptedException.class);
                    return Thread.currentThread().isInterrupted();
                })
                .parked();
        selecting.thread().interrupt();
        assertThat(selecting.get()).isFalse();
        assertThat(in.trySend(1)).isFalse();
        assertThat(out.tryReceive()).isNull();
        Thread.currentThread().interrupt();
        assertThatThrownBy(selector::select).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> selector.select(Duration.ZERO)).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThat(selector.selectNow()).isNull();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aSelectorIsForOneThreadAtATime() throws Exception {
        Channel<Integer> channel = Channel.unbuffered();
        ReceiveCase<Integer> receive = selector.receive(channel);
        Started<Case> selecting = start(selector::select).parked();
        assertThatThrownBy(selector::selectNow)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("one thread at a time");
        assertThatThrownBy(() -> receive.enable(false)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> selector.receive(channel)).isInstanceOf(IllegalStateException.class);
        channel.send(1);
        selecting.get();
    }

    /** Go's TestSelectFairness: two channels always ready, each within 2.45 % of one half; and so for three. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void choosesAmongReadyOnesWithEqualProbability(int ready) throws Exception {
        int trials = 10_000;
        Channel<Integer> empty = Channel.unbuffered();
        selector.receive(empty);
        List<Channel<Integer>> channels = new ArrayList<>();
        for (int i = 0; i < ready; i++) {
            Channel<Integer> channel = Channel.buffered(trials + 1);
            for (int k = 0; k <= trials; k++) {
                channel.send(k);
            }
            channels.add(channel);
            selector.receive(channel);
            selector.receive(empty);
        }
        int[] chosen = new int[1 + 2 * ready];
        for (int i = 0; i < trials; i++) {
            chosen[selector.select().index()]++;
        }
        double p = 1.0 / ready;
        double bound = 4.8917 * Math.sqrt(p * (1 - p) * trials);
        for (int i = 0; i < ready; i++) {
            assertThat((double) chosen[1 + 2 * i]).isBetween(trials * p - bound, trials * p + bound);
        }
    }

    /** A channel that needs its lock is not put behind one that does not. */
    @Test
    void aRendezvousIsChosenAsOftenAsABuffer() throws Exception {
        int trials = 10_000;
        Channel<Integer> buffered = Channel.buffered(trials);
        Channel<Integer> unbuffered = Channel.unbuffered();
        for (int k = 0; k < trials; k++) {
            buffered.send(k);
        }
        Started<Void> sender = go(() -> {
            for (int k = 0; k < trials; k++) {
                unbuffered.send(k);
            }
        });
        selector.receive(buffered);
        selector.receive(unbuffered);
        int fromBuffer = 0;
        for (int i = 0; i < trials; i++) {
            // Only with the sender back in the queue are both ready.
            while (!sender.thread().getState().equals(Thread.State.WAITING)) {
                Thread.onSpinWait();
            }
            fromBuffer += selector.select().index() == 0 ? 1 : 0;
        }
        double bound = 4.8917 * Math.sqrt(trials) / 2;
        assertThat((double) fromBuffer).isBetween(trials / 2 - bound, trials / 2 + bound);
        while (unbuffered.tryReceive() != null || sender.thread().isAlive()) {
            Thread.yield();
        }
    }

    /** Go's TestPseudoRandomSend: two cases that send to the same channel; each at least every tenth time. */
    @ParameterizedTest
    @ValueSource(ints = {0, 100})
    void sendsEitherOfTwoElementsAtRandom(int capacity) throws Exception {
        int n = 100;
        Channel<Integer> channel = Channel.buffered(capacity);
        Started<int[]> receiver = start(() -> {
            int[] count = new int[2];
            for (int i = 0; i < n; i++) {
                Thread.yield();
                count[channel.receive()]++;
            }
            return count;
        });
        SendCase<Integer> zero = selector.send(channel);
        SendCase<Integer> one = selector.send(channel);
        for (int i = 0; i < n; i++) {
            zero.offer(0);
            one.offer(1);
            selector.select();
        }
        assertThat(receiver.get()).satisfies(count -> {
            assertThat(count[0]).isGreaterThan(n / 10);
            assertThat(count[1]).isGreaterThan(n / 10);
        });
    }

    /** One of two channels is ready at every moment: Go's TestNonblockSelectRace. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSelectThatDoesNotWaitSeesAllCasesAtOneMoment(boolean close) throws Exception {
        Selector draining = new Selector();
        int rounds = 20_000;
        for (int i = 0; i < rounds; i++) {
            Channel<Integer> first = Channel.buffered(1);
            Channel<Integer> second = Channel.buffered(1);
            first.send(1);
            Started<Case> selecting = start(() -> {
                Selector own = new Selector();
                own.receive(first);
                own.receive(second);
                return own.selectNow();
            });
            if (close) {
                second.close();
            } else {
                second.send(1);
            }
            first.tryReceive();
            assertThat(selecting.get()).as("round " + i).isNotNull();
        }
        assertThat(draining.selectNow()).isNull();
    }

    /** Go's TestSelfSelect: one select that sends to and receives from one channel does not meet itself. */
    @ParameterizedTest
    @ValueSource(ints = {0, 10})
    void aSelectDoesNotMeetItself(int capacity) throws Exception {
        Channel<Integer> channel = Channel.buffered(capacity);
        List<Started<Void>> both = new ArrayList<>();
        for (int p = 0; p < 2; p++) {
            int own = p;
            both.add(go(() -> {
                Selector selecting = new Selector();
                boolean sendFirst = own == 0;
                SendCase<Integer> send = sendFirst ? selecting.send(channel) : null;
                ReceiveCase<Integer> receive = selecting.receive(channel);
                if (send == null) {
                    send = selecting.send(channel);
                }
                for (int i = 0; i < 1000; i++) {
                    send.offer(own);
                    if (selecting.select() == receive && capacity == 0) {
                        assertThat(receive.element()).as("from itself").isNotEqualTo(own);
                    }
                }
                // Let the other one finish: it may wait for a partner.
                channel.trySend(own);
            }));
        }
        while (both.stream().anyMatch(s -> s.thread().isAlive())) {
            if (both.stream().filter(s -> s.thread().isAlive()).count() == 1) {
                channel.tryReceive();
            }
            Thread.yield();
        }
        for (Started<Void> s : both) {
            s.get();
        }
    }

    /** Go's TestSelectStress, shortened: direct and select traffic over the same four channels. */
    @Test
    void directAndSelectTrafficMix() throws Exception {
        int n = 20_000;
        List<Channel<Integer>> channels =
                List.of(Channel.unbuffered(), Channel.unbuffered(), Channel.buffered(2), Channel.buffered(3));
        List<Started<Void>> all = new ArrayList<>();
        for (Channel<Integer> channel : channels) {
            all.add(go(() -> {
                for (int i = 0; i < n; i++) {
                    channel.send(0);
                }
            }));
            all.add(go(() -> {
                for (int i = 0; i < n; i++) {
                    channel.receive();
                }
            }));
        }
        all.add(go(() -> {
            Selector own = new Selector();
            List<SendCase<Integer>> cases = new ArrayList<>();
            int[] done = new int[4];
            for (Channel<Integer> channel : channels) {
                cases.add(own.send(channel, 0));
            }
            for (int i = 0; i < 4 * n; i++) {
                int index = own.select().index();
                if (++done[index] < n) {
                    cases.get(index).offer(0);
                }
            }
        }));
        all.add(go(() -> {
            Selector own = new Selector();
            List<ReceiveCase<Integer>> cases = new ArrayList<>();
            int[] done = new int[4];
            for (Channel<Integer> channel : channels) {
                cases.add(own.receive(channel));
            }
            for (int i = 0; i < 4 * n; i++) {
                int index = own.select().index();
                if (++done[index] == n) {
                    cases.get(index).enable(false);
                }
            }
        }));
        for (Started<Void> started : all) {
            started.get();
        }
        assertThat(channels)
                .allSatisfy(channel -> assertThat(channel.tryReceive()).isNull());
    }

    /** Go's test/chan/doubleselect: two cases of one select never both happen. */
    @Test
    void neverTwoCasesOfOneSelect() throws Exception {
        int n = 100_000;
        List<Channel<Integer>> channels = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            channels.add(Channel.unbuffered());
        }
        Channel<Integer> merged = Channel.unbuffered();
        Started<Void> sender = go(() -> {
            Selector own = new Selector();
            List<SendCase<Integer>> cases =
                    channels.stream().map(channel -> own.send(channel)).toList();
            for (int i = 0; i < n; i++) {
                for (SendCase<Integer> one : cases) {
                    one.offer(i);
                }
                own.select();
            }
            channels.forEach(Channel::close);
        });
        AtomicInteger left = new AtomicInteger(4);
        for (Channel<Integer> channel : channels) {
            go(() -> {
                for (int element : channel) {
                    merged.send(element);
                }
                if (left.decrementAndGet() == 0) {
                    merged.close();
                }
            });
        }
        boolean[] seen = new boolean[n];
        int count = 0;
        for (int element : merged) {
            assertThat(seen[element]).as("sent twice: " + element).isFalse();
            seen[element] = true;
            count++;
        }
        assertThat(count).isEqualTo(n);
        sender.get();
    }

    /** Go's TestSelectDuplicateChannel: the same channel twice in a select, and a later receiver in its queue. */
    @Test
    void theSameChannelMayBeInASelectTwice() throws Exception {
        Channel<Integer> channel = Channel.unbuffered();
        Channel<Integer> other = Channel.unbuffered();
        selector.receive(channel);
        selector.receive(channel);
        ReceiveCase<Integer> fromOther = selector.receive(other);
        Started<Case> selecting = start(selector::select).parked();
        Started<Integer> later = start(channel::receive).parked();
        other.send(7);
        assertThat(selecting.get()).isSameAs(fromOther);
        channel.send(8);
        assertThat(later.get()).isEqualTo(8);
    }

    /** Go's issue 2075: waiters of the cases that were not chosen leave the queues whole. */
    @Test
    void aSelectLeavesTheQueuesWhole() throws Exception {
        Channel<Boolean> first = Channel.unbuffered();
        Channel<Boolean> second = Channel.unbuffered();
        Started<Boolean> direct = start(first::receive).parked();
        selector.receive(first);
        selector.receive(second);
        Started<Case> selecting = start(selector::select).parked();
        Started<Boolean> last = start(first::receive).parked();
        second.send(true);
        selecting.get();
        first.send(true);
        first.send(true);
        assertThat(direct.get()).isTrue();
        assertThat(last.get()).isTrue();
        assertThat(first.trySend(true)).isFalse();
    }

    /** Go's test/chan/select4: a case that is ready goes, with one that waits in another thread. */
    @Test
    void aSelectInsideASelect() throws Exception {
        Channel<Integer> outer = Channel.buffered(1);
        Channel<Integer> inner = Channel.unbuffered();
        outer.send(42);
        Started<Void> sender = go(() -> inner.send(1));
        Selector nested = new Selector();
        ReceiveCase<Integer> fromInner = nested.receive(inner);
        SendCase<Integer> toInner = nested.send(Channel.unbuffered());
        ReceiveCase<Integer> fromOuter = selector.receive(outer);
        assertThat(selector.select()).isSameAs(fromOuter);
        assertThat(nested.select()).isSameAs(fromInner);
        toInner.offer(fromInner.element() + fromOuter.element());
        assertThat(nested.selectNow()).isNull();
        sender.get();
    }

    @Test
    void manyCases() throws Exception {
        List<Channel<Integer>> channels = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            channels.add(Channel.buffered(i % 3));
            selector.receive(channels.get(i));
        }
        for (int i = 0; i < 100; i++) {
            Started<Case> selecting = start(selector::select).parked();
            channels.get(i).send(i);
            assertThat(selecting.get().index()).isEqualTo(i);
        }
    }

    /** A sender and a receiver that both select meet, whatever the order of their cases. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void selectsMeetSelects(int capacity) throws Exception {
        int n = 50_000;
        List<Channel<Integer>> channels = List.of(Channel.buffered(capacity), Channel.buffered(capacity));
        List<Started<Long>> all = new ArrayList<>();
        for (int w = 0; w < 2; w++) {
            int worker = w;
            all.add(start(() -> {
                Selector own = new Selector();
                SendCase<Integer> a = own.send(channels.get(worker));
                SendCase<Integer> b = own.send(channels.get(1 - worker));
                for (int i = 1; i <= n; i++) {
                    a.offer(i);
                    b.offer(i);
                    own.select();
                }
                return 0L;
            }));
            all.add(start(() -> {
                Selector own = new Selector();
                ReceiveCase<Integer> a = own.receive(channels.get(1 - worker));
                ReceiveCase<Integer> b = own.receive(channels.get(worker));
                long sum = 0;
                for (int i = 0; i < n; i++) {
                    sum += own.select() == a ? a.element() : b.element();
                }
                return sum;
            }));
        }
        long sum = 0;
        for (Started<Long> started : all) {
            sum += started.get();
        }
        assertThat(sum).isEqualTo((long) n * (n + 1));
    }

    /** An element that was offered when an interrupt came is either sent or still there, never both. */
    @Test
    void anInterruptedSelectHasSentOrNot() throws Exception {
        for (int i = 0; i < 5_000; i++) {
            Channel<Integer> channel = Channel.unbuffered();
            Started<Boolean> sender = start(() -> {
                Selector own = new Selector();
                own.send(channel, 1);
                own.receive(Channel.unbuffered());
                try {
                    own.select();
                    return true;
                } catch (InterruptedException e) {
                    return false;
                }
            });
            Started<Integer> receiver = start(() -> {
                for (int spin = 0; spin < 100; spin++) {
                    Integer received = channel.tryReceive();
                    if (received != null) {
                        return received;
                    }
                }
                return 0;
            });
            sender.thread().interrupt();
            int received = receiver.get();
            boolean sent = sender.get();
            if (sent != (received == 1)) {
                assertThat(sent).as("received " + received).isEqualTo(received == 1);
            }
        }
    }
}
