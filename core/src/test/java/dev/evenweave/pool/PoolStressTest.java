// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.carrier.CurrentCarrier;
import dev.evenweave.pool.PoolStress.Result;
import dev.evenweave.pool.PoolStress.Subject;
import dev.evenweave.pool.PoolStress.Thing;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code -P soak}: more than 10^8 operations. */
@Timeout(1800)
class PoolStressTest {
    private static final boolean LONG = System.getProperty("proof", "short").equals("long");
    private static final long PER_THREAD = LONG ? 8_000_000 : 60_000;

    @Test
    void noObjectIsHandedToTwoHoldersAndTheBoundIsKept() throws InterruptedException {
        Result result = new PoolStress(PoolStress.product(), PER_THREAD).run();
        assertThat(result.doubled()).isZero();
        assertThat(result.mostRetained()).isBetween(1, PoolStress.BOUND);
        assertThat(result.operations()).isGreaterThanOrEqualTo(17 * PER_THREAD);
    }

    @Test
    void norWhereCarriersAreHidden() throws IOException, InterruptedException {
        String output = ChildJvm.run(PoolStress.class, "", Long.toString(PER_THREAD));
        assertThat(output).startsWith("false").contains("doubled=0");
        assertThat(Integer.parseInt(output.replaceAll("(?s).*mostRetained=(\\d+).*", "$1")))
                .isBetween(1, PoolStress.BOUND);
    }

    @Test
    void aTwinThatYieldsInsideThePlainRegionHandsObjectsOutTwice() throws InterruptedException {
        Map<Thread, Thing[]> slots = new ConcurrentHashMap<>();
        Subject twin = new Subject() {
            @Override
            public Thing get() {
                Thing[] slot = slots.computeIfAbsent(CurrentCarrier.thread(), carrier -> new Thing[1]);
                Thing thing = slot[0];
                if (thing == null) {
                    return new Thing();
                }
                if ((System.identityHashCode(thing) & 7) == 0) {
                    Thread.yield(); // what must not be here
                }
                slot[0] = null;
                return thing;
            }

            @Override
            public void put(Thing thing) {
                slots.computeIfAbsent(CurrentCarrier.thread(), carrier -> new Thing[1])[0] = thing;
            }
        };
        Result result = new PoolStress(twin, 20_000).run();
        assertThat(result.doubled()).isPositive();
    }
}
