// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChainTest {

    @Test
    void theOwnerTakesTheYoungestAcrossRings() {
        Chain chain = filled(2, 16, 20);
        for (int i = 19; i >= 0; i--) {
            assertThat(chain.popHead()).isEqualTo(i);
        }
        assertThat(chain.popHead()).isNull();
    }

    @Test
    void othersTakeTheOldestAcrossRings() {
        Chain chain = filled(2, 16, 20);
        for (int i = 0; i < 20; i++) {
            assertThat(chain.popTail()).isEqualTo(i);
        }
        assertThat(chain.popTail()).isNull();
    }

    @Test
    void i1BothEndsTogetherGiveEachObjectOnce() {
        Chain chain = filled(2, 8, 100);
        List<Object> out = new ArrayList<>();
        while (chain.size() > 0) {
            out.add(chain.popTail());
            out.add(chain.popHead());
        }
        assertThat(out).doesNotContainNull().doesNotHaveDuplicates().hasSize(100);
    }

    @Test
    void i4RingsDoNotGrowBeyondTheLargest() {
        Chain chain = filled(2, 4, 1000);
        assertThat(chain.size()).isEqualTo(1000);
        assertThat(chain.popHead()).isEqualTo(999);
        assertThat(chain.popTail()).isEqualTo(0);
    }

    @Test
    void aDrainedChainIsUsedAgain() {
        Chain chain = filled(2, 8, 7);
        while (chain.popTail() != null) {
            // drains
        }
        chain.pushHead("again");
        assertThat(chain.size()).isEqualTo(1);
        assertThat(chain.popTail()).isEqualTo("again");
        chain.pushHead("and again");
        assertThat(chain.popHead()).isEqualTo("and again");
    }

    @Test
    void anEmptyChainHasNothing() {
        Chain chain = new Chain(2, 8);
        assertThat(chain.size()).isZero();
        assertThat(chain.popHead()).isNull();
        assertThat(chain.popTail()).isNull();
    }

    private static Chain filled(int firstRing, int maxRing, int objects) {
        Chain chain = new Chain(firstRing, maxRing);
        for (int i = 0; i < objects; i++) {
            chain.pushHead(i);
        }
        return chain;
    }
}
