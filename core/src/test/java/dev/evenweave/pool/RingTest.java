// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RingTest {

    @Test
    void theOwnerTakesTheYoungest() {
        Ring ring = filled(8, 3);
        assertThat(ring.popHead()).isEqualTo(2);
        assertThat(ring.popHead()).isEqualTo(1);
        assertThat(ring.popHead()).isEqualTo(0);
        assertThat(ring.popHead()).isNull();
    }

    @Test
    void othersTakeTheOldest() {
        Ring ring = filled(8, 3);
        assertThat(ring.popTail()).isEqualTo(0);
        assertThat(ring.popTail()).isEqualTo(1);
        assertThat(ring.popTail()).isEqualTo(2);
        assertThat(ring.popTail()).isNull();
    }

    @Test
    void i2ItHoldsAsMuchAsItsCapacityAndNotMore() {
        Ring ring = filled(4, 4);
        assertThat(ring.pushHead(4)).isFalse();
        assertThat(ring.size()).isEqualTo(4);
        assertThat(ring.popTail()).isEqualTo(0);
        assertThat(ring.pushHead(4)).isTrue();
        assertThat(ring.pushHead(5)).isFalse();
        for (int i = 1; i <= 4; i++) {
            assertThat(ring.popTail()).isEqualTo(i);
        }
        assertThat(ring.size()).isZero();
    }

    @Test
    void i3ASlotThatItsTakerHasNotClearedIsNotWrittenAgain() {
        Ring ring = filled(2, 2);
        // a taker that has won the tail and stands before it clears the slot
        ring.headTail = ring.headTail + 1;
        assertThat(ring.size()).isEqualTo(1);
        assertThat(ring.pushHead("over it")).isFalse();
    }

    @Test
    void theCountersMayWrapAround() {
        for (int start : new int[] {-1, -3, Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MAX_VALUE - 2}) {
            Ring ring = new Ring(4, null);
            ring.headTail = ((long) start << 32) | (start & 0xffff_ffffL);
            for (int round = 0; round < 5; round++) {
                for (int i = 0; i < 4; i++) {
                    assertThat(ring.pushHead(i)).isTrue();
                }
                assertThat(ring.pushHead("full")).isFalse();
                assertThat(ring.size()).isEqualTo(4);
                assertThat(ring.popTail()).isEqualTo(0);
                assertThat(ring.popHead()).isEqualTo(3);
                assertThat(ring.popHead()).isEqualTo(2);
                assertThat(ring.popTail()).isEqualTo(1);
                assertThat(ring.popHead()).isNull();
                assertThat(ring.popTail()).isNull();
            }
        }
    }

    private static Ring filled(int capacity, int objects) {
        Ring ring = new Ring(capacity, null);
        for (int i = 0; i < objects; i++) {
            assertThat(ring.pushHead(i)).isTrue();
        }
        return ring;
    }
}
