// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.hogs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.lab.CommandLineTest;
import org.junit.jupiter.api.Test;

class HogsCommandTest extends CommandLineTest {

    @Test
    void aNumberThatMakesNoSenseIsNamed() {
        assertThat(execute("lab", "hogs", "--rate", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--rate 0");
        assertThat(execute("demo", "--hogs", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--hogs 0");
        assertThat(execute("demo", "--html", "/no/such/folder/x.html")).isEqualTo(2);
        assertThat(err.toString()).contains("/no/such/folder/x.html");
    }

    @Test
    void theScriptAnswersRun() {
        assertThat(execute("run", "--", "-version")).isEqualTo(2);
        assertThat(err.toString()).contains("./evenweave run");
    }
}
