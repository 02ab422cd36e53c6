// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static dev.evenweave.channel.Threads.go;
import static dev.evenweave.channel.Threads.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.channel.Threads.Started;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whole programs over channels, after those of Go's test/chan. */
@Timeout(120)
class ChannelProgramsTest {
    /** Starts what ends quietly when its channels close. */
    private static void spawn(Threads.Action action) {
        go(() -> {
            try {
                action.run();
            } catch (ChannelClosedException e) {
                // Nobody wants more.
            }
        });
    }

    /** One value through 10 000 threads: test/chan/goroutines. */
    @Test
    void aChainOfTenThousandThreadsPassesAValue() throws Exception {
        Channel<Integer> first = Channel.unbuffered();
        Channel<Integer> in = first;
        for (int i = 0; i < 10_000; i++) {
            Channel<Integer> from = in;
            Channel<Integer> to = Channel.unbuffered();
            go(() -> to.send(1 + from.receive()));
            in = to;
        }
        first.send(0);
        assertThat(in.receive()).isEqualTo(10_000);
    }

    /** The prime sieve, a thread per prime: test/chan/sieve1. */
    @Test
    void aChainOfFiltersFindsThePrimes() throws Exception {
        List<Channel<Integer>> all = new ArrayList<>();
        Channel<Integer> numbers = Channel.unbuffered();
        all.add(numbers);
        spawn(() -> {
            for (int i = 2; ; i++) {
                numbers.send(i);
            }
        });
        List<Integer> primes = new ArrayList<>();
        Channel<Integer> in = numbers;
        while (primes.size() < 100) {
            int prime = in.receive();
            primes.add(prime);
            Channel<Integer> from = in;
            Channel<Integer> to = Channel.unbuffered();
            all.add(to);
            spawn(() -> {
                while (true) {
                    int number = from.receive();
                    if (number % prime != 0) {
                        to.send(number);
                    }
                }
            });
            in = to;
        }
        all.forEach(Channel::close);
        assertThat(primes).startsWith(2, 3, 5, 7, 11, 13, 17, 19, 23, 29).endsWith(541);
    }

    /** A power series is a channel of its coefficients: test/chan/powser1, in small. */
    private static final class Series {
        private final List<Channel<?>> all = new ArrayList<>();

        private interface Source {
            void into(Channel<Fraction> out) throws Exception;
        }

        private Channel<Fraction> make(Source source) {
            Channel<Fraction> out = Channel.unbuffered();
            synchronized (all) {
                all.add(out);
            }
            spawn(() -> source.into(out));
            return out;
        }

        Channel<Fraction> ones() {
            return make(out -> {
                while (true) {
                    out.send(Fraction.of(1, 1));
                }
            });
        }

        Channel<Fraction> add(Channel<Fraction> a, Channel<Fraction> b) {
            return make(out -> {
                while (true) {
                    out.send(a.receive().plus(b.receive()));
                }
            });
        }

        /** The integral of the series, with this constant. */
        Channel<Fraction> integral(Fraction constant, Channel<Fraction> a) {
            return make(out -> {
                out.send(constant);
                for (int n = 1; ; n++) {
                    out.send(a.receive().times(Fraction.of(1, n)));
                }
            });
        }

        Channel<Fraction> derivative(Channel<Fraction> a) {
            return make(out -> {
                a.receive();
                for (int n = 1; ; n++) {
                    out.send(a.receive().times(Fraction.of(n, 1)));
                }
            });
        }

        /** The same series twice. */
        List<Channel<Fraction>> split(Channel<Fraction> a) {
            // The readers run at different paces: what one has not read yet waits here.
            Channel<Fraction> first = Channel.unlimited();
            Channel<Fraction> second = Channel.unlimited();
            spawn(() -> {
                for (int i = 0; i < 1000; i++) {
                    Fraction term = a.receive();
                    first.send(term);
                    second.send(term);
                }
            });
            return List.of(first, second);
        }

        /** The product: a0 b0, and then a0 B + b0 A + x A B of the tails, term by term. */
        Channel<Fraction> multiply(Channel<Fraction> a, Channel<Fraction> b) {
            return make(out -> {
                List<Fraction> as = new ArrayList<>();
                List<Fraction> bs = new ArrayList<>();
                while (true) {
                    as.add(a.receive());
                    bs.add(b.receive());
                    Fraction term = Fraction.of(0, 1);
                    for (int i = 0; i < as.size(); i++) {
                        term = term.plus(as.get(i).times(bs.get(as.size() - 1 - i)));
                    }
                    out.send(term);
                }
            });
        }

        void close() {
            synchronized (all) {
                all.forEach(Channel::close);
            }
        }
    }

    private record Fraction(BigInteger over, BigInteger under) {
        static Fraction of(long over, long under) {
            return new Fraction(BigInteger.valueOf(over), BigInteger.valueOf(under)).reduced();
        }

        Fraction reduced() {
            BigInteger divisor = over.gcd(under).max(BigInteger.ONE);
            return new Fraction(over.divide(divisor), under.divide(divisor));
        }

        Fraction plus(Fraction other) {
            return new Fraction(over.multiply(other.under).add(other.over.multiply(under)), under.multiply(other.under))
                    .reduced();
        }

        Fraction times(Fraction other) {
            return new Fraction(over.multiply(other.over), under.multiply(other.under)).reduced();
        }
    }

    @Test
    void powerSeriesAddMultiplyAndIntegrate() throws Exception {
        Series series = new Series();
        Channel<Fraction> twos = series.add(series.ones(), series.ones());
        Channel<Fraction> squares = series.multiply(series.ones(), series.ones());
        Channel<Fraction> back = series.derivative(series.integral(Fraction.of(5, 1), series.ones()));
        List<Channel<Fraction>> both = series.split(series.ones());
        Channel<Fraction> alsoSquares = series.multiply(both.get(0), both.get(1));
        for (int n = 0; n < 30; n++) {
            assertThat(twos.receive()).isEqualTo(Fraction.of(2, 1));
            assertThat(squares.receive()).isEqualTo(Fraction.of(n + 1, 1));
            assertThat(alsoSquares.receive()).isEqualTo(Fraction.of(n + 1, 1));
            assertThat(back.receive()).isEqualTo(Fraction.of(1, 1));
        }
        // exp is its own integral, plus one: a loop of channels.
        Channel<Fraction> feedback = Channel.unlimited();
        Channel<Fraction> exp = series.integral(Fraction.of(1, 1), feedback);
        long factorial = 1;
        for (int n = 0; n < 15; n++) {
            factorial *= Math.max(n, 1);
            Fraction term = exp.receive();
            assertThat(term).isEqualTo(Fraction.of(1, factorial));
            feedback.send(term);
        }
        series.close();
    }

    /** Sends one by one through a chain, each served in the order of arrival: test/chan/fifo, the synchronous part. */
    @Test
    void aChainOfSendersDeliversInOrder() throws Exception {
        Channel<Integer> channel = Channel.unbuffered();
        Channel<Integer> in = Channel.buffered(1);
        in.send(0);
        for (int i = 0; i < 10; i++) {
            int element = i;
            Channel<Integer> mine = in;
            Channel<Integer> next = Channel.unbuffered();
            go(() -> {
                mine.receive();
                channel.send(element);
                next.send(1);
            });
            in = next;
        }
        for (int i = 0; i < 10; i++) {
            assertThat(channel.receive()).isEqualTo(i);
        }
        in.receive();
    }

    /** Interrupts at every moment of a send and a receive: an element is delivered or refused, never both or neither. */
    @Test
    void anInterruptedExchangeLosesAndDoublesNothing() throws Exception {
        for (int capacity : new int[] {0, 1, 2}) {
            for (int i = 0; i < 4_000; i++) {
                Channel<Integer> channel = Channel.buffered(capacity);
                for (int k = 0; k < capacity; k++) {
                    channel.send(0);
                }
                Started<Boolean> sender = start(() -> {
                    try {
                        channel.send(1);
                        return true;
                    } catch (InterruptedException e) {
                        return false;
                    }
                });
                int skip = capacity;
                Started<Integer> receiver = start(() -> {
                    int received = 0;
                    try {
                        for (int k = 0; k <= skip; k++) {
                            received += channel.receive();
                        }
                    } catch (InterruptedException e) {
                        return received;
                    }
                    return received;
                });
                for (int spin = i % 64; spin > 0; spin--) {
                    Thread.onSpinWait();
                }
                (i % 2 == 0 ? sender : receiver).thread().interrupt();
                if (i % 2 == 0) {
                    boolean sent = sender.get();
                    if (!sent) {
                        channel.close();
                    }
                    int received = sent ? receiver.get() : receivedUntilClosed(receiver);
                    assertThat(received).isEqualTo(sent ? 1 : 0);
                } else {
                    int received = receiver.get();
                    int left = 0;
                    while (received == 0 && left == 0) {
                        Integer element = channel.tryReceive();
                        left = element == null ? 0 : element;
                    }
                    assertThat(sender.get()).isTrue();
                    assertThat(received + left).isEqualTo(1);
                }
            }
        }
    }

    private static int receivedUntilClosed(Started<Integer> receiver) throws Exception {
        try {
            return receiver.get();
        } catch (ChannelClosedException | CancellationException e) {
            return 0;
        }
    }
}
