// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.starvation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClockReaderTest {

    private final ClockReader reader = new ClockReader(1_000_000, 2_000_000);

    @Test
    void shortGapsDoNotCount() {
        for (long now = 1_000_000; now <= 2_000_000; now += ClockReader.GAP_NANOS) {
            reader.read(now);
        }
        assertThat(reader.worstNanos()).isZero();
        assertThat(reader.offNanos()).isZero();
    }

    @Test
    void theWorstAndTheSumOfLongGapsAreKept() {
        assertThat(reader.read(1_000_001)).isTrue();
        assertThat(reader.read(1_100_001)).isTrue();
        assertThat(reader.read(1_400_001)).isTrue();
        assertThat(reader.read(1_600_001)).isTrue();
        closelyTo(2_000_000);
        assertThat(reader.worstNanos()).isEqualTo(300_000);
        assertThat(reader.offNanos()).isEqualTo(600_000);
    }

    @Test
    void whatWasBeforeTheBeginIsCutOff() {
        assertThat(reader.read(100)).isTrue();
        assertThat(reader.read(900_000)).isTrue();
        assertThat(reader.read(1_200_000)).isTrue();
        closelyTo(2_000_000);
        assertThat(reader.worstNanos()).isEqualTo(200_000);
    }

    @Test
    void whatReachesOverTheEndIsCutOff() {
        closelyTo(1_900_000);
        assertThat(reader.read(7_000_000)).isFalse();
        assertThat(reader.worstNanos()).isEqualTo(100_000);
    }

    @Test
    void aReaderThatNeverRanHasOneGapOfTheWholeLength() {
        assertThat(reader.worstNanos()).isEqualTo(1_000_000);
        assertThat(reader.offNanos()).isEqualTo(1_000_000);
    }

    @Test
    void aReaderThatDidNotComeBackHasAGapThatIsStillOpen() {
        closelyTo(1_500_000);
        assertThat(reader.worstNanos()).isEqualTo(500_000);
        assertThat(reader.offNanos()).isEqualTo(500_000);
    }

    @Test
    void aClockThatTurnsOverIsRightToo() {
        ClockReader late = new ClockReader(Long.MAX_VALUE - 500_000, Long.MIN_VALUE + 499_999);
        assertThat(late.read(Long.MAX_VALUE)).isTrue();
        assertThat(late.read(Long.MIN_VALUE + 999_999)).isFalse();
        assertThat(late.worstNanos()).isEqualTo(500_000);
    }

    private void closelyTo(long end) {
        for (long now = reader.last(); now < end; now += ClockReader.GAP_NANOS / 2) {
            reader.read(now);
        }
        reader.read(end);
    }
}
