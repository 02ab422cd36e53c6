// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch.polls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClassPatternsTest {

    @ParameterizedTest
    @CsvSource({
        "com.acme.**, com.acme.Job, true",
        "com.acme.**, com.acme.deep.Job, true",
        "com.acme.**, com.acmes.Job, false",
        "com.acme.*, com.acme.Job$Inner, true",
        "com.acme.*, com.acme.deep.Job, false",
        "com.acme.Job, com.acme.Job, true",
        "com.acme.Job, com.acme.Job$Inner, true",
        "com.acme.Job, com.acme.Jobs, false",
        "a.B:c.**, c.d.E, true",
        "**, any.Thing, true"
    })
    void meansWhatItSays(String patterns, String name, boolean matches) {
        assertThat(new ClassPatterns(patterns).matches(name)).isEqualTo(matches);
    }

    @ParameterizedTest
    @ValueSource(strings = {"com..acme", "com.acme.***", "com/acme/*", "*.Job", "com.acme."})
    void anotherFormIsNamed(String pattern) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ClassPatterns("a.B:" + pattern))
                .withMessageContaining("'" + pattern + "'");
    }
}
