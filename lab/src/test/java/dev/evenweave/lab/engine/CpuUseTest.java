// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class CpuUseTest {

    @Test
    void busyTimeIsAllButIdleAndWaitingForInput() {
        CpuUse use = CpuUse.parse(
                "cpu  100 20 30 1000 50 6 7 8 90 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n",
                "42 (java) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
        assertThat(use.all()).isEqualTo(100 + 20 + 30 + 6 + 7 + 8);
        assertThat(use.passed()).isEqualTo(100 + 20 + 30 + 1000 + 50 + 6 + 7 + 8);
        assertThat(use.own()).isEqualTo(11 + 12 + 13 + 14);
    }

    @Test
    void aCommandNameMayHaveSpacesAndBrackets() {
        CpuUse use = CpuUse.parse("cpu 1 1 1 1 1 1 1 1", "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
        assertThat(use.own()).isEqualTo(11 + 12 + 13 + 14);
    }

    @Test
    void othersUsedWhatWasNotOurs() {
        assertThat(CpuUse.foreignPercent(new CpuUse(100, 10, 1000), new CpuUse(160, 50, 1200)))
                .hasValue(10);
    }

    @Test
    void roundingDoesNotMakeItNegative() {
        assertThat(CpuUse.foreignPercent(new CpuUse(0, 0, 0), new CpuUse(10, 11, 100)))
                .hasValue(0);
    }

    @Test
    void withoutTheFilesItIsUnknown() {
        assertThat(CpuUse.foreignPercent(null, new CpuUse(1, 1, 1))).isEqualTo(OptionalDouble.empty());
        assertThat(CpuUse.foreignPercent(new CpuUse(1, 1, 1), null)).isEqualTo(OptionalDouble.empty());
    }

    @Test
    void tooShortATimeTellsNothing() {
        assertThat(CpuUse.foreignPercent(new CpuUse(1, 1, 1), new CpuUse(30, 1, 50)))
                .isEmpty();
    }
}
