// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UnbufferedChannelTest {
    private final Channel<Integer> channel = Channel.unbuffered();

    @Test
    void sendWaitsForAReceiver() throws Exception {
        FutureTask<Void> sender = parked(() -> send(1));
        assertThat(channel.receive()).isEqualTo(1);
        sender.get();
    }

    @Test
    void receiveWaitsForASender() throws Exception {
        FutureTask<Integer> receiver = parked(channel::receive);
        channel.send(2);
        assertThat(receiver.get()).isEqualTo(2);
    }

    @Test
    void sendersAreServedInTheOrderOfTheirArrival() throws Exception {
        for (int i = 0; i < 10; i++) {
            int element = i;
            parked(() -> send(element));
        }
        for (int i = 0; i < 10; i++) {
            assertThat(channel.receive()).isEqualTo(i);
        }
    }

    @Test
    void receiversAreServedInTheOrderOfTheirArrival() throws Exception {
        List<FutureTask<Integer>> receivers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            receivers.add(parked(channel::receive));
        }
        for (int i = 0; i < 10; i++) {
            channel.send(i);
            assertThat(receivers.get(i).get()).isEqualTo(i);
        }
    }

    @Test
    void nullIsRefusedWithTheReason() {
        assertThatThrownBy(() -> channel.send(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("no null");
    }

    @Test
    void closeEndsEveryWaitAndEveryLaterOperation() throws Exception {
        FutureTask<Integer> first = parked(channel::receive);
        FutureTask<Integer> second = parked(channel::receive);
        channel.close();
        channel.close();
        assertThatThrownBy(first::get).hasCauseInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(second::get).hasCauseInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(() -> channel.send(1)).isInstanceOf(ChannelClosedException.class);
        assertThatThrownBy(channel::receive).isInstanceOf(ChannelClosedException.class);
    }

    @Test
    void closeEndsTheWaitOfSenders() throws Exception {
        FutureTask<Void> sender = parked(() -> send(1));
        channel.close();
        assertThatThrownBy(sender::get).hasCauseInstanceOf(ChannelClosedException.class);
    }

    @Test
    void anInterruptedSenderLeavesTheQueueAndDeliversNothing() throws Exception {
        FutureTask<Void> sender = new FutureTask<>(() -> send(1));
        Thread thread = park(sender);
        FutureTask<Void> next = parked(() -> send(2));
        thread.interrupt();
        assertThatThrownBy(sender::get).hasCauseInstanceOf(InterruptedException.class);
        assertThat(channel.receive()).isEqualTo(2);
        next.get();
    }

    @Test
    void anInterruptOnEntryIsThrownAndCleared() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(channel::receive).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> channel.send(1)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void manySendersAndReceiversExchangeEveryElementOnce() throws Exception {
        int workers = 4;
        int each = 2000;
        ConcurrentLinkedQueue<Integer> received = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int w = 0; w < workers; w++) {
            int base = w * each;
            threads.add(start(w % 2 == 0, () -> {
                for (int i = 0; i < each; i++) {
                    send(base + i);
                }
                return null;
            }));
            threads.add(start(w % 2 == 1, () -> {
                for (int i = 0; i < each; i++) {
                    received.add(channel.receive());
                }
                return null;
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(received)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, workers * each).boxed().toList());
    }

    private Void send(int element) throws InterruptedException {
        channel.send(element);
        return null;
    }

    private static Thread start(boolean virtual, java.util.concurrent.Callable<?> task) {
        FutureTask<?> future = new FutureTask<>(task);
        return virtual ? Thread.ofVirtual().start(future) : Thread.ofPlatform().start(future);
    }

    private static <V> FutureTask<V> parked(java.util.concurrent.Callable<V> task) {
        FutureTask<V> future = new FutureTask<>(task);
        park(future);
        return future;
    }

    /** Starts a thread and returns when it waits. */
    private static Thread park(FutureTask<?> task) {
        Thread thread = Thread.ofVirtual().start(task);
        while (thread.getState() != Thread.State.WAITING) {
            assertThat(thread.getState()).isNotEqualTo(Thread.State.TERMINATED);
            Thread.onSpinWait();
        }
        return thread;
    }
}
