// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.examples;

import dev.evenweave.channel.Channel;
import dev.evenweave.channel.Mpsc;
import dev.evenweave.channel.ReceiveCase;
import dev.evenweave.channel.ReceiveChannel;
import dev.evenweave.channel.Select;
import dev.evenweave.channel.Selector;
import dev.evenweave.channel.SendChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The samples of docs/channels.md. */
public final class ChannelGuide {
    private ChannelGuide() {}

    static int firstSteps() throws InterruptedException {
        Channel<Integer> numbers = Channel.buffered(16);
        Thread.startVirtualThread(() -> {
            try {
                for (int i = 1; i <= 100; i++) {
                    numbers.send(i);
                }
                numbers.close();
            } catch (InterruptedException e) {
                numbers.close(e);
            }
        });
        int sum = 0;
        for (int number : numbers) { // until closed; throws if it was closed with a reason
            sum += number;
        }
        return sum;
    }

    /** A stage of a pipeline. */
    static void square(ReceiveChannel<Integer> in, SendChannel<Integer> out) {
        try {
            for (int number : in) {
                out.send(number * number);
            }
            out.close();
        } catch (InterruptedException | RuntimeException e) {
            out.close(e); // the next stage learns why
        }
    }

    static List<Integer> pipeline(List<Integer> numbers) throws InterruptedException {
        Channel<Integer> in = Channel.unbuffered();
        Channel<Integer> out = Channel.unbuffered();
        Thread.startVirtualThread(() -> square(in, out));
        Thread.startVirtualThread(() -> {
            try {
                for (int number : numbers) {
                    in.send(number);
                }
                in.close();
            } catch (InterruptedException e) {
                in.close(e);
            }
        });
        return out.stream().toList();
    }

    static int fanIn(List<List<Integer>> sources) throws InterruptedException {
        Mpsc<Integer> merged = Mpsc.bounded(8);
        try (Mpsc.Sender<Integer> first = merged.sender()) {
            for (List<Integer> source : sources) {
                Mpsc.Sender<Integer> sender = first.another();
                Thread.startVirtualThread(() -> {
                    try (sender) {
                        for (int number : source) {
                            sender.send(number);
                        }
                    } catch (InterruptedException e) {
                        merged.cancel(e);
                    }
                });
            }
        }
        return merged.receiver().stream().mapToInt(number -> number).sum(); // ends with the last sender
    }

    static int workerPool(int workers, List<Integer> jobs) throws InterruptedException {
        Channel<Integer> work = Channel.unbuffered();
        Mpsc<Integer> results = Mpsc.bounded(workers);
        for (int w = 0; w < workers; w++) {
            Mpsc.Sender<Integer> sender = results.sender();
            Thread.startVirtualThread(() -> {
                try (sender) {
                    for (int job : work) {
                        sender.send(job * 10);
                    }
                } catch (InterruptedException e) {
                    results.cancel(e);
                }
            });
        }
        Thread.startVirtualThread(() -> {
            try {
                for (int job : jobs) {
                    work.send(job);
                }
                work.close();
            } catch (InterruptedException e) {
                work.close(e);
            }
        });
        return results.receiver().stream().mapToInt(result -> result).sum();
    }

    static String timeout(ReceiveChannel<String> answers) throws InterruptedException {
        return new Select<String>()
                .receive(answers, answer -> "answer " + answer, () -> "no more answers")
                .orTimeout(Duration.ofMillis(20), () -> "too late")
                .select();
    }

    static List<String> untilCancelled(ReceiveChannel<String> jobs, ReceiveChannel<Boolean> cancelled)
            throws InterruptedException {
        List<String> done = new ArrayList<>();
        Selector selector = new Selector();
        ReceiveCase<String> job = selector.receive(jobs);
        selector.receive(cancelled); // closed to cancel: then always ready
        while (selector.select() == job && !job.isClosed()) {
            done.add(job.element());
        }
        return done;
    }
}
