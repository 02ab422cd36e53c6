// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KnownFaultsTest {

    @ParameterizedTest
    @CsvSource({"25, true", "25.0.2, true", "25.0.3, false", "25.0.4, false", "26, true", "26.0.1, false", "27, false"})
    void theFaultOfAnEarly25IsNamed(String version, boolean faulty) {
        var warning = KnownFaults.of(Runtime.Version.parse(version));
        assertThat(warning.isPresent()).isEqualTo(faulty);
        warning.ifPresent(line -> assertThat(line).contains("JDK-8369227"));
    }
}
