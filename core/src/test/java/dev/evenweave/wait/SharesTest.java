// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import static dev.evenweave.wait.WaitQueue.GRANTED;
import static dev.evenweave.wait.WaitQueue.WAITING;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SharesTest {
    private final List<Request> granted = new ArrayList<>();

    private static final class Party extends Shares.Share {
        final int number;

        Party(int number) {
            this.number = number;
        }
    }

    /** A waiter that knows what it wants. */
    private final class Request extends CallbackWaiter {
        final int party;
        final long n;
        final int order;

        Request(int party, long n, int order) {
            this.party = party;
            this.n = n;
            this.order = order;
        }

        @Override
        protected void completed(WaitQueue queue, long result) {
            if (result == GRANTED) {
                granted.add(this);
            }
        }
    }

    @Test
    void aShareIsInTheHeapOnlyWhileItHasWaitersAndLeavesNothingInTheArena_I1() {
        Shares shares = new Shares(1, Parker.THREADS);
        Party holder = new Party(0);
        assertThat(shares.tryAcquire(holder, 1)).isEqualTo(GRANTED);
        int capacity = 0;
        for (int round = 0; round < 100; round++) {
            for (int p = 1; p <= 3; p++) {
                Party party = new Party(p);
                Request waiter = new Request(p, 1, 0);
                assertThat(shares.acquire(party, 1, waiter)).isEqualTo(WAITING);
                assertThat(shares.cancel(waiter)).isSameAs(party);
                assertThat(party.isDead()).isTrue();
            }
            assertThat(shares.waiting()).isZero();
            if (round == 0) {
                capacity = shares.list().capacity();
            }
        }
        assertThat(shares.list().capacity()).isEqualTo(capacity);
    }

    @Test
    void aShareDiesWhenItHoldsNothingAndWantsNothingAndADeadOneGetsNothing_I3() {
        Shares shares = new Shares(2, Parker.THREADS);
        Party party = new Party(0);
        assertThat(party.isDead()).isFalse();
        assertThat(shares.tryAcquire(party, 2)).isEqualTo(GRANTED);
        assertThat(shares.release(party, 1)).isTrue();
        assertThat(party.isDead()).isFalse();
        assertThat(shares.release(party, 2)).isFalse();
        assertThat(shares.release(party, 1)).isTrue();
        assertThat(party.isDead()).isTrue();
        assertThat(shares.tryAcquire(party, 1)).isEqualTo(Shares.DEAD);
        assertThat(shares.acquire(party, 1, WaitQueue.Mode.INTERRUPTIBLE, 1)).isEqualTo(Shares.DEAD);
        assertThat(shares.available()).isEqualTo(2);
    }

    /** Random requests, cancellations and releases beside a model that looks through all that wait. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void permitsGoToTheShareWithTheFewestThenToTheOldestAndNoneIsLost_I2_I4(long seed) {
        Random random = new Random(seed);
        long total = 1 + random.nextInt(6);
        Shares shares = new Shares(total, Parker.THREADS);
        int parties = 6;
        Party[] party = new Party[parties];
        long[] held = new long[parties];
        List<Request> waiting = new ArrayList<>();
        List<Request> expected = new ArrayList<>();
        for (int i = 0; i < parties; i++) {
            party[i] = new Party(i);
        }
        for (int step = 0; step < 3_000; step++) {
            int p = random.nextInt(parties);
            if (party[p].isDead()) {
                assertThat(held[p]).isZero();
                party[p] = new Party(p);
            }
            switch (waiting.size() < 12 ? random.nextInt(4) : 3) {
                case 0, 1 -> {
                    Request request = new Request(p, 1 + random.nextInt((int) total), step);
                    waiting.add(request);
                    long result = shares.acquire(party[p], request.n, request);
                    if (result == GRANTED) {
                        granted.add(request);
                    }
                }
                case 2 -> {
                    if (held[p] > 0) {
                        long n = 1 + random.nextLong(held[p]);
                        held[p] -= n;
                        assertThat(shares.release(party[p], n)).isTrue();
                    }
                }
                default -> {
                    if (!waiting.isEmpty()) {
                        Request request = waiting.remove(random.nextInt(waiting.size()));
                        assertThat(shares.cancel(request)).isSameAs(party[request.party]);
                    }
                }
            }
            grantInModel(total, held, waiting, expected);
            assertThat(granted).isEqualTo(expected);
            granted.clear();
            expected.clear();
            long sum = 0;
            for (int i = 0; i < parties; i++) {
                assertThat(shares.held(party[i])).isEqualTo(held[i]);
                sum += held[i];
            }
            assertThat(shares.available()).isEqualTo(total - sum);
            assertThat(shares.waiting()).isEqualTo(waiting.size());
        }
    }

    private static void grantInModel(long total, long[] held, List<Request> waiting, List<Request> expected) {
        while (!waiting.isEmpty()) {
            Request next = waiting.stream()
                    .min(Comparator.<Request>comparingLong(r -> held[r.party])
                            .thenComparingInt(r -> oldest(r, waiting)))
                    .orElseThrow();
            // The oldest of that party, which need not be the one that was found.
            Request first = waiting.stream()
                    .filter(r -> r.party == next.party)
                    .min(Comparator.comparingInt(r -> r.order))
                    .orElseThrow();
            long free = total;
            for (long h : held) {
                free -= h;
            }
            if (first.n > free) {
                return;
            }
            held[first.party] += first.n;
            waiting.remove(first);
            expected.add(first);
        }
    }

    private static int oldest(Request request, List<Request> waiting) {
        return waiting.stream()
                .filter(r -> r.party == request.party)
                .mapToInt(r -> r.order)
                .min()
                .orElseThrow();
    }
}
