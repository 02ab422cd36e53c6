// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sending, receiving and selecting allocate nothing once warm: of some stretches of ten thousand rounds at least one counts
 * exactly 0 bytes, where an allocation per round, or per hundred, would show in each. (A branch that is taken for the first
 * time may allocate once, for its own linkage.) Counted on platform threads, whose counters are exact; what a virtual thread
 * allocates to be unmounted is the JDK's.
 */
@Timeout(120)
class ChannelAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM = 20_000;
    private static final int COUNTED = 10_000;
    private static final int STRETCHES = 5;
    private static final Integer ELEMENT = 7;

    /** What one of two threads does again and again. */
    private interface Step {
        void run() throws Exception;
    }

    /** The fewest bytes that the two threads allocated in one of the stretches. */
    private static long allocated(Step here, Step there) throws Exception {
        long[] others = new long[STRETCHES];
        Threads.Started<Void> other = Threads.goPlatform(() -> count(there, others));
        long[] own = new long[STRETCHES];
        count(here, own);
        other.get();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < STRETCHES; i++) {
            least = Math.min(least, own[i] + others[i]);
        }
        return least;
    }

    private static void count(Step step, long[] bytes) throws Exception {
        for (int i = 0; i < WARM; i++) {
            step.run();
        }
        for (int stretch = 0; stretch < STRETCHES; stretch++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < COUNTED; i++) {
                step.run();
            }
            bytes[stretch] = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
    }

    private static long allocated(Step step) throws Exception {
        long[] bytes = new long[STRETCHES];
        count(step, bytes);
        return java.util.Arrays.stream(bytes).min().orElseThrow();
    }

    @Test
    void aRendezvousAllocatesNothing() throws Exception {
        Channel<Integer> channel = Channel.unbuffered();
        assertThat(allocated(() -> channel.send(ELEMENT), channel::receive)).isZero();
    }

    @Test
    void aBufferAllocatesNothing() throws Exception {
        for (int capacity : new int[] {1, 16}) {
            Channel<Integer> channel = Channel.buffered(capacity);
            assertThat(allocated(() -> channel.send(ELEMENT), channel::receive)).isZero();
        }
    }

    @Test
    void anUnlimitedChannelThatBreathesAllocatesNothing() throws Exception {
        Channel<Integer> channel = Channel.unlimited();
        int[] round = {0};
        assertThat(allocated(() -> {
                    // 600 in, 600 out.
                    if (round[0]++ % 1200 < 600) {
                        channel.send(ELEMENT);
                    } else {
                        channel.receive();
                    }
                }))
                .isZero();
    }

    @Test
    void aSelectorAllocatesNothing() throws Exception {
        Channel<Integer> first = Channel.unbuffered();
        Channel<Integer> second = Channel.buffered(1);
        Selector receiving = new Selector();
        receiving.receive(first);
        receiving.receive(second);
        Selector sending = new Selector();
        SendCase<Integer> toFirst = sending.send(first);
        SendCase<Integer> toSecond = sending.send(second);
        assertThat(allocated(
                        () -> {
                            toFirst.offer(ELEMENT);
                            toSecond.offer(ELEMENT);
                            sending.select();
                        },
                        receiving::select))
                .isZero();
    }

    /** Go's test/chan/select2: selects on a channel that is idle leave nothing behind. */
    @Test
    void manySelectsLeaveNothingInTheChannelsThatWereNotChosen() throws Exception {
        Channel<Integer> busy = Channel.unbuffered();
        Channel<Integer> idle = Channel.unbuffered();
        Threads.Started<Integer> longWait = Threads.start(idle::receive).parked();
        Selector selector = new Selector();
        selector.receive(idle);
        selector.receive(busy);
        assertThat(allocated(() -> busy.send(ELEMENT), selector::select)).isZero();
        for (int i = 0; i < 100_000; i++) {
            selector.selectNow();
        }
        idle.send(1);
        assertThat(longWait.get()).isEqualTo(1);
        assertThat(idle.trySend(2)).isFalse();
    }
}
