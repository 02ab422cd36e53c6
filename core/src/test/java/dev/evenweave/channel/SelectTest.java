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
class SelectTest {
    private final Channel<Integer> numbers = Channel.unbuffered();
    private final Channel<String> texts = Channel.unbuffered();

    private Select<String> both() {
        return new Select<String>()
                .receive(numbers, number -> "number " + number, () -> "no more numbers")
                .receive(texts, text -> "text " + text);
    }

    @Test
    void runsWhatBelongsToTheCase() throws Exception {
        Started<String> selecting = start(() -> both().select()).parked();
        texts.send("a");
        assertThat(selecting.get()).isEqualTo("text a");
        selecting = start(() -> both().select()).parked();
        numbers.send(1);
        assertThat(selecting.get()).isEqualTo("number 1");
    }

    @Test
    void sends() throws Exception {
        Started<Integer> receiver = start(numbers::receive).parked();
        assertThat(new Select<String>().send(numbers, 3, () -> "sent").select()).isEqualTo("sent");
        assertThat(receiver.get()).isEqualTo(3);
    }

    @Test
    void fallsBackToTheDefaultOrTheTimeout() throws Exception {
        assertThat(both().orDefault(() -> "none").select()).isEqualTo("none");
        assertThat(both().orTimeout(Duration.ofMillis(1), () -> "late").select())
                .isEqualTo("late");
        assertThatThrownBy(() -> both().orDefault(() -> "a").orTimeout(Duration.ZERO, () -> "b"))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void saysWhatToDoWithAClosedChannel() throws Exception {
        numbers.close();
        assertThat(both().select()).isEqualTo("no more numbers");
        texts.close();
        assertThatThrownBy(() -> new Select<String>().receive(texts, t -> t).select())
                .isInstanceOf(ChannelClosedException.class);
    }

    @Test
    void isForOneUse() throws Exception {
        Select<String> select = both().orDefault(() -> "none");
        select.select();
        assertThatThrownBy(select::select)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("one use");
    }
}
