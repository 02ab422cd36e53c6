// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static dev.evenweave.channel.Threads.go;
import static dev.evenweave.channel.Threads.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.channel.Threads.Started;
import dev.evenweave.wait.Parker;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whoever gives the lock back to wake somebody, and takes it again, may find that others have opened the gates of the ring
 * since. Opening them once more would take back what the lock-free side has done: {@link Ring#open} asserts that they are
 * shut. What happens between is played by the hook of the parker, which runs where the lock is free.
 */
@Timeout(60)
class GatesTest {
    private final Hook hook = new Hook();
    private final Channel<Integer> channel = Channel.buffered(1, hook);

    @Test
    void areNotOpenedTwiceByOneWhoCloses() throws Exception {
        Started<@Nullable Integer> waiting = start(channel::receiveOrNull).parked();
        hook.between = () -> {
            channel.isDrained();
            assertThat(channel.tryReceiveObject()).isSameAs(Exchange.CLOSED);
            assertThat(ring().isShut()).isFalse();
        };
        channel.close();
        assertThat(waiting.get()).isNull();
        assertThat(hook.between).isNull();
    }

    @Test
    void areNotOpenedTwiceByOneWhoFillsAReservation() throws Exception {
        assertThat(channel.reserve(Exchange.NOW)).isTrue();
        Started<Integer> waiting = start(channel::receive).parked();
        hook.between = () -> {
            assertThat(channel.trySend(2)).isTrue();
            assertThat(channel.trySend(3)).isFalse();
            assertThat(ring().isShut()).isFalse();
        };
        channel.fill(1);
        assertThat(waiting.get()).isEqualTo(1);
        assertThat(hook.between).isNull();
        assertThat(channel.tryReceive()).isEqualTo(2);
        assertThat(channel.tryReceive()).isNull();
    }

    @Test
    void areNotOpenedTwiceByOneWhoGivesAReservationBack() throws Exception {
        assertThat(channel.reserve(Exchange.NOW)).isTrue();
        Started<Void> waiting = go(() -> channel.send(1)).parked();
        hook.between = () -> {
            assertThat(channel.tryReceive()).isEqualTo(1);
            assertThat(channel.tryReceive()).isNull();
            assertThat(ring().isShut()).isFalse();
        };
        channel.fill(null);
        waiting.get();
        assertThat(hook.between).isNull();
        assertThat(channel.trySend(2)).isTrue();
        assertThat(channel.tryReceive()).isEqualTo(2);
    }

    private Ring ring() {
        Ring ring = channel.ring;
        assertThat(ring).isNotNull();
        return ring;
    }

    /** Does something once, where the lock has been given back and nobody has been woken yet. */
    private static final class Hook implements Parker {
        volatile @Nullable Runnable between;

        @Override
        public void park(@Nullable Object blocker) {
            THREADS.park(blocker);
        }

        @Override
        public void parkNanos(@Nullable Object blocker, long nanos) {
            THREADS.parkNanos(blocker, nanos);
        }

        @Override
        public void unpark(Thread thread) {
            Runnable now = between;
            between = null;
            if (now != null) {
                now.run();
            }
            THREADS.unpark(thread);
        }

        @Override
        public long nanoTime() {
            return THREADS.nanoTime();
        }
    }
}
