// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SampleLinesTest {

    @Test
    void aNameANumberAndAUnitMakeASample() {
        assertThat(SampleLines.parse(
                        List.of("worstGapMs 50.5 ms", "  rate\t1.2e6   1/s ", "delta -3 B"), name -> Better.LOWER))
                .containsExactly(
                        new Sample("worstGapMs", "ms", Better.LOWER, 50.5),
                        new Sample("rate", "1/s", Better.LOWER, 1.2e6),
                        new Sample("delta", "B", Better.LOWER, -3));
    }

    @Test
    void otherLinesAreForPeople() {
        assertThat(SampleLines.parse(
                        List.of(
                                "",
                                "starting",
                                "took 5",
                                "took 5 ms in all",
                                "5 ms took",
                                "at 10-11 o'clock",
                                "x 1.2.3 v"),
                        name -> Better.LOWER))
                .isEmpty();
    }

    @Test
    void whatIsNoNumberComesThroughSoThatItCanBeRefused() {
        assertThat(SampleLines.parse(List.of("a NaN ms", "b -Infinity ms"), name -> Better.LOWER))
                .extracting(Sample::value)
                .containsExactly(Double.NaN, Double.NEGATIVE_INFINITY);
    }

    @Test
    void theDirectionIsGuessedFromTheUnitWhereNobodyKnowsIt() {
        assertThat(List.of("ns", "ms", "s", "ns/op", "us/op", "B/op", "bytes"))
                .allSatisfy(unit -> assertThat(Better.ofUnit(unit)).isEqualTo(Better.LOWER));
        assertThat(List.of("1/s", "ops/s", "ops/ms", "MB/s", "requests/sec"))
                .allSatisfy(unit -> assertThat(Better.ofUnit(unit)).isEqualTo(Better.HIGHER));
        assertThat(Better.ofUnit("requests")).isEqualTo(Better.NEITHER);
    }
}
