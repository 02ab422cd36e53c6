// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MainTest extends CommandLineTest {

    @Test
    void versionNamesTheReleaseTheCommitAndTheJdk() {
        assertThat(execute("--version")).isZero();
        assertThat(out.toString())
                .containsPattern("evenweave \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?( \\([0-9a-f]{7,}\\))?\\R")
                .contains("Java " + Runtime.version());
    }

    @Test
    void helpListsTheSubcommands() {
        assertThat(execute("--help")).isZero();
        assertThat(out.toString()).contains("lab", "generate-completion", "Exit codes:");
    }

    @Test
    void completionIsAScript() {
        assertThat(execute("generate-completion")).isZero();
        assertThat(out.toString()).startsWith("#!/usr/bin/env bash").contains("complete -F _complete_evenweave");
    }

    @Test
    void anUnknownOptionIsNamedAndIsAUsageError() {
        assertThat(execute("--versoin")).isEqualTo(2);
        assertThat(err.toString())
                .startsWith("evenweave: Unknown option: '--versoin'")
                .contains("--version");
    }

    @Test
    void labAloneSaysWhatIsMissing() {
        assertThat(execute("lab")).isEqualTo(2);
        assertThat(err.toString()).startsWith("evenweave: lab needs").contains("./evenweave lab --help");
    }
}
