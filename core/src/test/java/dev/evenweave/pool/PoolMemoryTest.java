// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoolMemoryTest {
    private static final Pool<byte[]> POOL = Pool.ofBytes(64);

    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseZGC"})
    void everythingIsReleasedBeforeMemoryRunsOut(String collector) throws IOException, InterruptedException {
        for (String size : new String[] {"8192", "3000000"}) {
            String output = ChildJvm.run(PoolUnderPressure.class, "-Xmx256m " + collector, size);
            assertThat(output.replaceAll("kept (\\d+) of (\\d+).*\\s*", "$1 $2").split(" "))
                    .as(output)
                    .satisfies(counts -> assertThat(counts[0]).isEqualTo(counts[1]));
        }
    }

    @Test
    void aGetAndAPutAllocateNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < 20_000; i++) {
            pairs();
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 20_000; i++) {
            pairs();
        }
        // three pairs a round, through the slot and through the shelf; the reading itself may allocate
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(20_000);
    }

    private static void pairs() {
        byte[] first = POOL.get();
        byte[] second = POOL.get();
        byte[] third = POOL.get();
        POOL.put(first);
        POOL.put(second);
        POOL.put(third);
    }
}
