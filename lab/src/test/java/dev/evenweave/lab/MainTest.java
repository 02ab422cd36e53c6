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

    @Test
    void anUnknownExperimentIsNamedWithTheList() {
        assertRefused("there is no experiment 'starvatoin'; ./evenweave lab list shows them", "lab", "starvatoin");
        assertThat(err.toString()).contains("Did you mean: lab starvation").endsWith("Try: ./evenweave lab --help\n");
    }

    @Test
    void anUnknownCommandIsNamedWithTheHelp() {
        assertRefused("there is no command 'xyz'; ./evenweave --help shows them", "xyz");
    }

    @Test
    void aWordTooManyIsNamed() {
        assertRefused("evenweave lab list takes no 'all': leave it out", "lab", "list", "all");
    }

    @Test
    void aValueThatMakesNoSenseIsNamedWithTheFixAndTheHelp() {
        assertRefused("--runs 0: at least 1 is needed, and 6 for a verdict", "lab", "starvation", "--runs=0");
        assertThat(err.toString()).endsWith("Try: ./evenweave lab starvation --help\n");
        assertRefused("'--runs': 'six': give a whole number", "lab", "starvation", "--runs=six");
        assertRefused("--work -1: give 0 or more", "lab", "starvation", "--work=-1");
        assertRefused("--foreign-limit 101.0: give a percentage", "lab", "starvation", "--foreign-limit=101");
    }

    private void assertRefused(String message, String... args) {
        assertThat(execute(args)).as(message).isEqualTo(2);
        assertThat(err.toString()).startsWith("evenweave: ").contains(message).contains("\nTry: ./evenweave");
        assertThat(out.toString()).isEmpty();
    }
}
