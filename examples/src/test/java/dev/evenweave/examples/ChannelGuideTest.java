// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.channel.Channel;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ChannelGuideTest {
    @Test
    void firstSteps() throws Exception {
        assertThat(ChannelGuide.firstSteps()).isEqualTo(5050);
    }

    @Test
    void pipeline() throws Exception {
        assertThat(ChannelGuide.pipeline(List.of(1, 2, 3))).containsExactly(1, 4, 9);
    }

    @Test
    void fanIn() throws Exception {
        assertThat(ChannelGuide.fanIn(List.of(List.of(1, 2), List.of(3), List.of())))
                .isEqualTo(6);
    }

    @Test
    void workerPool() throws Exception {
        assertThat(ChannelGuide.workerPool(3, List.of(1, 2, 3, 4))).isEqualTo(100);
    }

    @Test
    void timeout() throws Exception {
        Channel<String> answers = Channel.buffered(1);
        assertThat(ChannelGuide.timeout(answers)).isEqualTo("too late");
        answers.send("42");
        assertThat(ChannelGuide.timeout(answers)).isEqualTo("answer 42");
        answers.close();
        assertThat(ChannelGuide.timeout(answers)).isEqualTo("no more answers");
    }

    @Test
    void cancellation() throws Exception {
        Channel<String> jobs = Channel.unbuffered();
        Channel<Boolean> cancelled = Channel.unbuffered();
        FutureTask<List<String>> worker = new FutureTask<>(() -> ChannelGuide.untilCancelled(jobs, cancelled));
        Thread.startVirtualThread(worker);
        jobs.send("a");
        jobs.send("b");
        cancelled.close();
        assertThat(worker.get()).containsExactly("a", "b");
    }
}
