// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static dev.evenweave.channel.Threads.go;
import static dev.evenweave.channel.Threads.goPlatform;
import static dev.evenweave.channel.Threads.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.channel.Threads.Started;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One channel, whatever its buffer. */
@Timeout(120)
class ChannelTest {
    private static final int UNLIMITED = -1;

    private static <T> Channel<T> channel(int capacity) {
        return capacity == UNLIMITED ? Channel.unlimited() : Channel.buffered(capacity);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 10, 128, UNLIMITED})
    void receivingFromAnEmptyChannelWaits(int capacity) throws Exception {
        Channel<Integer> channel = channel(capacity);
        assertThat(channel.tryReceive()).isNull();
        Started<Integer> first = start(channel::receive).parked();
        Started<Integer> second = start(channel::receive).parked();
        assertThat(channel.tryReceive()).isNull();
        channel.send(1);
        channel.send(2);
        assertThat(first.get()).isEqualTo(1);
        assertThat(second.get()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 10, 128})
    void sendingToAFullChannelWaits(int capacity) throws Exception {
        Channel<Integer> channel = channel(capacity);
        for (int i = 0; i < capacity; i++) {
            channel.send(i);
        }
        assertThat(channel.trySend(99)).isFalse();
        Started<Void> sender = go(() -> channel.send(capacity)).parked();
        assertThat(channel.trySend(99)).isFalse();
        for (int i = 0; i <= capacity; i++) {
            assertThat(channel.receive()).isEqualTo(i);
        }
        sender.get();
        assertThat(channel.size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 10, 128, UNLIMITED})
    void whatIsInTheBufferComesOutAfterClose(int capacity) throws Exception {
        Channel<Integer> channel = channel(capacity);
        int count = capacity == UNLIMITED ? 1000 : capacity;
        for (int i = 0; i < count; i++) {
            channel.send(i);
        }
        assertThat(channel.close()).isTrue();
        assertThat(channel.isClosed()).isTrue();
        assertThat(channel.isDrained()).isFalse();
        assertThat(channel.size()).isEqualTo(count);
        for (int i = 0; i < count; i++) {
            assertThat(i % 2 == 0 ? channel.receive() : channel.tryReceive()).isEqualTo(i);
        }
        assertThat(channel.isDrained()).isTrue();
        assertThatThrownBy(channel::receive).isInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(channel::tryReceive).isInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(() -> channel.tryReceive(Duration.ofDays(1))).isInstanceOf(ChannelClosedException.class);
        assertThat(channel.receiveOrNull()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 128, UNLIMITED})
    void closeEndsTheWaitOfReceivers(int capacity) throws Exception {
        Channel<Integer> channel = channel(capacity);
        Started<Integer> throwing = start(channel::receive).parked();
        Started<Integer> withNull = start(channel::receiveOrNull).parked();
        Started<Integer> timed =
                start(() -> channel.tryReceive(Duration.ofDays(1))).parked();
        channel.close();
        assertThatThrownBy(throwing::get).isInstanceOf(ChannelClosedException.class);
        assertThat(withNull.get()).isNull();
        assertThatThrownBy(timed::get).isInstanceOf(ChannelClosedException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 10})
    void closeEndsTheWaitOfSendersAndDropsWhatTheyBring(int capacity) throws Exception {
        Channel<Integer> channel = channel(capacity);
        for (int i = 0; i < capacity; i++) {
            channel.send(i);
        }
        Started<Void> first = go(() -> channel.send(98)).parked();
        Started<Boolean> second =
                start(() -> channel.trySend(99, Duration.ofDays(1))).parked();
        channel.close();
        assertThatThrownBy(first::get).isInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(second::get).isInstanceOf(ChannelClosedException.class);
        assertThat(channel)
                .containsExactlyElementsOf(IntStream.range(0, capacity).boxed()::iterator);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 128, UNLIMITED})
    void nothingCanBeSentAfterClose(int capacity) {
        Channel<Integer> channel = channel(capacity);
        channel.close();
        assertThatThrownBy(() -> channel.send(1)).isInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(() -> channel.trySend(1)).isInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(() -> channel.trySend(1, Duration.ofDays(1))).isInstanceOf(ChannelClosedException.class);
        assertThat(channel.close()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, UNLIMITED})
    void theReasonOfTheFirstCloseIsTheCause(int capacity) throws Exception {
        Channel<Integer> channel = channel(capacity);
        IOException reason = new IOException("disk full");
        Started<Integer> receiver = start(channel::receiveOrNull).parked();
        assertThat(channel.close(reason)).isTrue();
        assertThat(channel.close(new IOException("late"))).isFalse();
        assertThatThrownBy(receiver::get)
                .isInstanceOf(ChannelClosedException.class)
                .hasCause(reason);
        assertThatThrownBy(() -> channel.send(1)).hasCause(reason).hasMessageContaining("disk full");
        assertThatThrownBy(channel::receiveOrNull).hasCause(reason);
        assertThatThrownBy(() -> channel.iterator().hasNext()).hasCause(reason);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 10, 128, UNLIMITED})
    void elementsComeInTheOrderInWhichTheyWereSent(int capacity) throws Exception {
        Channel<Integer> channel = channel(capacity);
        Started<Void> sender = go(() -> {
            for (int i = 0; i < 10_000; i++) {
                channel.send(i);
            }
            channel.close();
        });
        int expected = 0;
        for (int element : channel) {
            assertThat(element).isEqualTo(expected++);
        }
        assertThat(expected).isEqualTo(10_000);
        sender.get();
    }

    /** Every capacity up to 199, as in Go's TestChan. */
    @Test
    void manySendersAndReceiversExchangeEveryElementOnceForAnyCapacity() throws Exception {
        for (int capacity = UNLIMITED; capacity < 200; capacity++) {
            exchange(channel(capacity), 4, 4, 250);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 10, 128, UNLIMITED})
    void manySendersAndReceiversExchangeEveryElementOnce(int capacity) throws Exception {
        exchange(channel(capacity), 4, 4, 20_000);
        exchange(channel(capacity), 1, 7, 20_000);
        exchange(channel(capacity), 7, 1, 5_000);
    }

    private static void exchange(Channel<Integer> channel, int senders, int receivers, int each) throws Exception {
        int[] seen = new int[senders * each];
        List<Started<Void>> sending = new ArrayList<>();
        List<Started<int[]>> receiving = new ArrayList<>();
        for (int s = 0; s < senders; s++) {
            int base = s * each;
            Threads.Action send = () -> {
                for (int i = 0; i < each; i++) {
                    channel.send(base + i);
                }
            };
            sending.add(s % 2 == 0 ? go(send) : goPlatform(send));
        }
        for (int r = 0; r < receivers; r++) {
            receiving.add(start(() -> {
                int[] own = new int[senders * each];
                int[] last = new int[senders];
                for (int element : channel) {
                    own[element]++;
                    int sender = element / each;
                    assertThat(element + 1).as("order of one sender").isGreaterThan(last[sender]);
                    last[sender] = element + 1;
                }
                return own;
            }));
        }
        for (Started<Void> sender : sending) {
            sender.get();
        }
        channel.close();
        for (Started<int[]> receiver : receiving) {
            int[] own = receiver.get();
            for (int i = 0; i < own.length; i++) {
                seen[i] += own[i];
            }
        }
        assertThat(seen).containsOnly(1);
        assertThat(channel.size()).isZero();
    }

    @Test
    void sizeAndCapacity() throws Exception {
        Channel<Integer> channel = Channel.buffered(10);
        assertThat(channel.capacity()).isEqualTo(10);
        assertThat(channel.size()).isZero();
        channel.send(1);
        channel.send(2);
        assertThat(channel.size()).isEqualTo(2);
        assertThat(channel).hasToString("Channel[buffered 10, size 2]");
        assertThat(Channel.unbuffered().capacity()).isZero();
        assertThat(Channel.unbuffered()).hasToString("Channel[unbuffered, size 0]");
        assertThat(Channel.unlimited().capacity()).isEqualTo(Integer.MAX_VALUE);
        Channel<Integer> unlimited = Channel.unlimited();
        for (int i = 0; i < 1000; i++) {
            unlimited.send(i);
        }
        assertThat(unlimited.size()).isEqualTo(1000);
        unlimited.close();
        assertThat(unlimited).hasToString("Channel[unlimited, size 1000, closed]");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, (1 << 30) + 1})
    void aCapacityThatCannotBeIsRefused(int capacity) {
        assertThatThrownBy(() -> Channel.buffered(capacity))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("" + capacity)
                .hasMessageContaining("unlimited");
    }

    @Test
    void nullIsRefused() {
        Channel<Integer> channel = Channel.buffered(1);
        assertThatThrownBy(() -> channel.send(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("no null");
        assertThatThrownBy(() -> channel.trySend(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> channel.trySend(null, Duration.ZERO)).isInstanceOf(NullPointerException.class);
        assertThat(channel.size()).isZero();
    }

    @Test
    void sendersWhoWaitAreServedInTheOrderOfArrival() throws Exception {
        for (int capacity : new int[] {0, 1, 2}) {
            Channel<Integer> channel = channel(capacity);
            for (int i = 0; i < capacity; i++) {
                channel.send(i);
            }
            for (int i = capacity; i < 20; i++) {
                int element = i;
                go(() -> channel.send(element)).parked();
            }
            for (int i = 0; i < 20; i++) {
                assertThat(channel.receive()).isEqualTo(i);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, UNLIMITED})
    void receiversWhoWaitAreServedInTheOrderOfArrival(int capacity) throws Exception {
        Channel<Integer> channel = channel(capacity);
        List<Started<Integer>> receivers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            receivers.add(start(channel::receive).parked());
        }
        for (int i = 0; i < 20; i++) {
            channel.send(i);
        }
        for (int i = 0; i < 20; i++) {
            assertThat(receivers.get(i).get()).isEqualTo(i);
        }
    }

    @Test
    void nobodyOvertakesASenderWhoWaits() throws Exception {
        Channel<Integer> channel = Channel.buffered(1);
        channel.send(0);
        Started<Void> waiting = go(() -> channel.send(1)).parked();
        assertThat(channel.trySend(2)).isFalse();
        assertThat(channel.receive()).isZero();
        waiting.get();
        assertThat(channel.trySend(2)).isFalse();
        assertThat(channel.receive()).isEqualTo(1);
        assertThat(channel.trySend(2)).isTrue();
        assertThat(channel.receive()).isEqualTo(2);
    }

    @Test
    void timesOut() throws Exception {
        Channel<Integer> channel = Channel.unbuffered();
        assertThat(channel.tryReceive(Duration.ofMillis(1))).isNull();
        assertThat(channel.trySend(1, Duration.ofMillis(1))).isFalse();
        assertThat(channel.tryReceive(Duration.ZERO)).isNull();
        assertThat(channel.trySend(1, Duration.ofSeconds(-1))).isFalse();
        Started<Integer> receiver = start(channel::receive).parked();
        assertThat(channel.trySend(7, Duration.ofDays(100_000_000))).isTrue();
        assertThat(receiver.get()).isEqualTo(7);
    }

    @Test
    void whoTimedOutHasLeftTheQueue() throws Exception {
        Channel<Integer> channel = Channel.unbuffered();
        Started<Integer> gone = start(() -> channel.tryReceive(Duration.ofMillis(1)));
        assertThat(gone.get()).isNull();
        assertThat(channel.trySend(1)).isFalse();
        Started<Integer> receiver = start(channel::receive).parked();
        channel.send(2);
        assertThat(receiver.get()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void anInterruptEndsTheWaitAndNothingIsSent(int capacity) throws Exception {
        Channel<Integer> channel = channel(capacity);
        for (int i = 0; i < capacity; i++) {
            channel.send(i);
        }
        Started<Boolean> interrupted = start(() -> {
                    assertThatThrownBy(() -> channel.send(98)).isInstanceOf(InterruptedException.class);
                    return Thread.currentThread().isInterrupted();
                })
                .parked();
        Started<Void> next = go(() -> channel.send(capacity)).parked();
        interrupted.thread().interrupt();
        assertThat(interrupted.get()).isFalse();
        for (int i = 0; i <= capacity; i++) {
            assertThat(channel.receive()).isEqualTo(i);
        }
        next.get();
    }

    @Test
    void anInterruptOnEntryIsThrownAndCleared() throws Exception {
        Channel<Integer> channel = Channel.buffered(2);
        channel.send(1);
        List<Threads.Action> actions = List.of(
                () -> channel.send(2),
                channel::receive,
                channel::receiveOrNull,
                () -> channel.trySend(2, Duration.ZERO),
                () -> channel.tryReceive(Duration.ZERO));
        for (Threads.Action action : actions) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(action::run).isInstanceOf(InterruptedException.class);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
        assertThat(channel.size()).isEqualTo(1);
    }

    @Test
    void tryingDoesNotMindTheInterruptFlag() {
        Channel<Integer> channel = Channel.buffered(1);
        Thread.currentThread().interrupt();
        assertThat(channel.trySend(1)).isTrue();
        assertThat(channel.trySend(2)).isFalse();
        assertThat(channel.tryReceive()).isEqualTo(1);
        assertThat(channel.tryReceive()).isNull();
        assertThat(Channel.unbuffered().tryReceive()).isNull();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void iteratesUntilClosed() throws Exception {
        Channel<Integer> channel = Channel.unlimited();
        for (int i = 0; i < 5; i++) {
            channel.send(i);
        }
        channel.close();
        Iterator<Integer> iterator = channel.iterator();
        assertThat(iterator.hasNext()).isTrue();
        assertThat(iterator.hasNext()).isTrue();
        assertThat(iterator.next()).isZero();
        assertThat(channel.stream().mapToInt(i -> i).sum()).isEqualTo(10);
        assertThat(iterator.hasNext()).isFalse();
        assertThatThrownBy(iterator::next).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void anInterruptEndsAnIterationWithTheFlagSet() throws Exception {
        Channel<Integer> channel = Channel.unbuffered();
        Started<Boolean> iterating = start(() -> {
                    assertThatThrownBy(() -> channel.iterator().next())
                            .isInstanceOf(CancellationException.class)
                            .hasCauseInstanceOf(InterruptedException.class);
                    return Thread.currentThread().isInterrupted();
                })
                .parked();
        iterating.thread().interrupt();
        assertThat(iterating.get()).isTrue();
    }

    @Test
    void anUnparkThatWasMeantForAnotherWaitIsHandedOn() throws Exception {
        Channel<Integer> channel = Channel.unbuffered();
        Started<Boolean> waiting = start(() -> {
                    channel.receive();
                    // Returns at once if the token is there, and for ever if it is not.
                    java.util.concurrent.locks.LockSupport.park();
                    return true;
                })
                .parked();
        java.util.concurrent.locks.LockSupport.unpark(waiting.thread());
        while (true) {
            // Until the thread has taken the token and stands again.
            waiting.parked();
            if (channel.trySend(1)) {
                break;
            }
        }
        java.util.concurrent.locks.LockSupport.unpark(waiting.thread());
        assertThat(waiting.get()).isTrue();
    }

    @Test
    void anUnlimitedChannelTakesMoreThanItsRing() throws Exception {
        Channel<Integer> channel = Channel.unlimited();
        int next = 0;
        int sent = 0;
        for (int round = 1; round < 40; round++) {
            for (int i = 0; i < round * 20; i++) {
                channel.send(sent++);
            }
            for (int i = 0; i < round * 15; i++) {
                assertThat(channel.receive()).isEqualTo(next++);
            }
        }
        channel.close();
        for (int element : channel) {
            assertThat(element).isEqualTo(next++);
        }
        assertThat(next).isEqualTo(sent);
    }

    /** 23 workers, 271 828 items, some yields: Go's TestMultiConsumer. */
    @Test
    void manyConsumersShareTheWork() throws Exception {
        int[] primes = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
        int items = 271_828;
        Channel<Integer> work = Channel.buffered(23 / 3);
        Channel<Integer> results = Channel.buffered(23 / 3);
        List<Started<Void>> workers = new ArrayList<>();
        for (int w = 0; w < 23; w++) {
            int number = w;
            workers.add(go(() -> {
                int handled = 0;
                for (int item : work) {
                    if (++handled % 23 == number) {
                        Thread.yield();
                    }
                    results.send(item);
                }
            }));
        }
        Started<Long> feeder = start(() -> {
            long sum = 0;
            for (int i = 0; i < items; i++) {
                int item = primes[i % primes.length];
                sum += item;
                work.send(item);
            }
            work.close();
            for (Started<Void> worker : workers) {
                worker.get();
            }
            results.close();
            return sum;
        });
        long sum = 0;
        int count = 0;
        for (int result : results) {
            sum += result;
            count++;
        }
        assertThat(count).isEqualTo(items);
        assertThat(sum).isEqualTo(feeder.get());
    }

    /** Go's TestYieldProgress. */
    @Test
    void whoOnlyPollsAndYieldsLetsASendThrough() throws Exception {
        Channel<Integer> channel = Channel.unbuffered();
        Started<Void> poller = go(() -> {
            while (channel.tryReceive() == null) {
                Thread.yield();
            }
        });
        channel.send(1);
        poller.get();
    }

    /** A value in the buffer and a close at the same time: the value is seen. Go's TestNonblockRecvRace. */
    @Test
    void tryReceiveSeesABufferedElementWhateverCloseDoes() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            Channel<Integer> channel = Channel.buffered(1);
            channel.send(1);
            Started<Integer> receiver = start(channel::tryReceive);
            channel.close();
            assertThat(receiver.get()).isEqualTo(1);
        }
    }

    /** An interface value and a plain one: Go's TestChanSendInterface. */
    @Test
    void carriesWhateverTheTypeSays() throws Exception {
        interface Shape {}
        record Dot(int x) implements Shape {}
        Channel<Shape> channel = Channel.buffered(1);
        channel.send(new Dot(3));
        assertThat(channel.trySend(new Dot(4))).isFalse();
        assertThat(channel.receive()).isEqualTo(new Dot(3));
    }

    @Test
    void manyWaitersAreAllServed() throws Exception {
        Channel<Integer> channel = Channel.unbuffered();
        LongAdder sum = new LongAdder();
        List<Started<Void>> receivers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            receivers.add(go(() -> sum.add(channel.receive())));
        }
        for (int i = 0; i < 1000; i++) {
            channel.send(i);
        }
        for (Started<Void> receiver : receivers) {
            receiver.get();
        }
        assertThat(sum.sum()).isEqualTo(499_500);
    }

    @Test
    void differentChannelsHaveDifferentIds() {
        ConcurrentHashMap<Long, Channel<?>> ids = new ConcurrentHashMap<>();
        for (int i = 0; i < 100; i++) {
            Channel<?> channel = Channel.unbuffered();
            assertThat(channel.id()).isEqualTo(channel.id());
            assertThat(ids.put(channel.id(), channel)).isNull();
        }
    }
}
