// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class TickerTest {
    @Test
    void ticksOnceAfterTheDelay() throws Exception {
        Instant before = Instant.now();
        try (Ticker ticker = Ticker.after(Duration.ofMillis(5))) {
            assertThat(ticker.channel().receive()).isAfterOrEqualTo(before.plusMillis(5));
            assertThat(ticker.channel().tryReceive(Duration.ofMillis(20))).isNull();
            ticker.reset(Duration.ZERO);
            assertThat(ticker.channel().receive()).isNotNull();
        }
    }

    @Test
    void ticksAgainAndAgain() throws Exception {
        try (Ticker ticker = Ticker.every(Duration.ofMillis(1))) {
            for (int i = 0; i < 5; i++) {
                ticker.channel().receive();
            }
            ticker.reset(Duration.ofMillis(2));
            ticker.channel().receive();
        }
        assertThatThrownBy(() -> Ticker.every(Duration.ZERO)).hasMessageContaining("PT0S");
    }

    @Test
    void theOneDueFirstTicksFirst() throws Exception {
        try (Ticker late = Ticker.after(Duration.ofDays(1));
                Ticker early = Ticker.after(Duration.ofMillis(1))) {
            Selector selector = new Selector();
            selector.receive(late.channel());
            ReceiveCase<Instant> first = selector.receive(early.channel());
            assertThat(selector.select()).isSameAs(first);
        }
    }

    /** Go's TestTimerFairness: two threads keep a select ready; a timer in it still gets its turn. */
    @Test
    void aTickIsChosenBesideACaseThatIsAlwaysReady() throws Exception {
        Channel<Integer> busy = Channel.unbuffered();
        for (int i = 0; i < 2; i++) {
            Threads.go(() -> {
                while (!busy.isClosed()) {
                    busy.send(1);
                }
            });
        }
        try (Ticker ticker = Ticker.after(Duration.ofMillis(20))) {
            Selector selector = new Selector();
            ReceiveCase<Instant> tick = selector.receive(ticker.channel());
            selector.receive(busy);
            while (selector.select() != tick) {
                Thread.onSpinWait();
            }
        }
        busy.close();
    }

    @Test
    void aStoppedTickerDoesNotTick() throws Exception {
        Ticker ticker = Ticker.after(Duration.ofDays(1));
        ticker.close();
        ticker.close();
        assertThat(ticker.channel().tryReceive()).isNull();
    }
}
