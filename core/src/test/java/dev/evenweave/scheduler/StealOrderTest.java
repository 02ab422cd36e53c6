// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Go: TestStealOrder. */
class StealOrderTest {
    @Test
    void everyOrderVisitsEveryCarrierOnce() {
        for (int count = 1; count <= 64; count++) {
            StealOrder order = StealOrder.of(count);
            for (int random = 0; random < count * order.strideCount(); random++) {
                Set<Integer> visited = new HashSet<>();
                int position = order.start(random);
                for (int i = 0; i < count; i++) {
                    assertThat(position).isBetween(0, count - 1);
                    visited.add(position);
                    position += order.stride(random);
                    if (position >= count) {
                        position -= count;
                    }
                }
                assertThat(visited).as("count %d, random %d", count, random).hasSize(count);
            }
        }
    }

    @Test
    void thereIsMoreThanOneStrideFromThreeCarriersOn() {
        assertThat(StealOrder.of(1).strideCount()).isEqualTo(1);
        assertThat(StealOrder.of(2).strideCount()).isEqualTo(1);
        for (int count = 3; count <= 64; count++) {
            assertThat(StealOrder.of(count).strideCount()).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void consecutiveRandomNumbersGiveDifferentOrders() {
        for (int count = 1; count <= 64; count++) {
            StealOrder order = StealOrder.of(count);
            Set<Long> pairs = new HashSet<>();
            int numbers = count * order.strideCount();
            for (int random = 0; random < numbers; random++) {
                pairs.add((long) order.start(random) << 32 | order.stride(random));
            }
            assertThat(pairs).hasSize(numbers);
        }
    }

    @Test
    void aLargeCountWorksWithoutTheCache() {
        StealOrder order = StealOrder.of(5000);
        assertThat(order.strideCount()).isEqualTo(2000); // Euler's totient of 5000
        assertThat(order.start(Integer.MAX_VALUE)).isBetween(0, 4999);
        assertThat(order.stride(Integer.MAX_VALUE)).isBetween(1, 4999);
    }

    @Test
    void theRandomNumbersOfACarrierStartAnywhereAndAreNotNegative() {
        Set<Integer> starts = new HashSet<>();
        Worker worker = new Worker(1, 4, 61);
        for (int i = 0; i < 1000; i++) {
            int random = worker.nextRandom();
            assertThat(random).isNotNegative();
            starts.add(StealOrder.of(8).start(random));
        }
        assertThat(starts).hasSize(8);
    }
}
