// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.classfile.ClassFile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EntryTest {

    @ParameterizedTest
    @CsvSource({"1.8, 8", "11, 11", "25, 25", "26-ea, 0", "x, 0"})
    void readsTheVersion(String specification, int feature) {
        assertThat(Entry.feature(specification)).isEqualTo(feature);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Agent", "Entry", "Launch", "SystemLoader"})
    void theDoorsCanBeLoadedByAnOldJvm(String name) throws Exception {
        try (InputStream in = EntryTest.class.getResourceAsStream(name + ".class")) {
            assertThat(ClassFile.of().parse(in.readAllBytes()).majorVersion()).isEqualTo(52);
        }
    }

    @ParameterizedTest
    @CsvSource({"'spin=1us,on-failure=continue', true", "on-failure=stop, false", "'', false"})
    void anOldJvmHeedsOnFailure(String argument, boolean continues) {
        assertThat(Entry.isToContinue(argument)).isEqualTo(continues);
    }
}
