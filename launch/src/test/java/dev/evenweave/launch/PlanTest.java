// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "paths are written as POSIX writes them")
class PlanTest {

    private static final Path AGENT = Path.of("/ew/evenweave-agent.jar");

    @TempDir
    private Path temp;

    @Test
    void aJar() throws Exception {
        assertThat(plan("--parallelism=2", "--", "-Xmx1g", "-jar", "app.jar", "--parallelism=9", "x"))
                .containsExactly(
                        "/jdk/bin/java",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "-Xmx1g",
                        "-cp",
                        "app.jar:/ew/evenweave-agent.jar",
                        "dev.evenweave.launch.Launch",
                        "--parallelism=2",
                        "-jar",
                        "app.jar",
                        "--parallelism=9",
                        "x");
    }

    @Test
    void optionsMayStandBetweenMinusJarAndTheJar() throws Exception {
        assertThat(plan("--", "-jar", "-Xmx1g", "app.jar")).contains("-Xmx1g").endsWith("-jar", "app.jar");
    }

    @Test
    void aClassPath() throws Exception {
        assertThat(plan("--", "-cp", "a:b", "--add-modules", "java.sql", "Main", "-cp", "c"))
                .containsSubsequence("--add-modules", "java.sql", "-cp", "a:b:/ew/evenweave-agent.jar")
                .endsWith("dev.evenweave.launch.Launch", "Main", "-cp", "c");
        assertThat(plan("--", "--class-path=a", "Main")).contains("a:/ew/evenweave-agent.jar");
        assertThat(plan("--", "Main")).contains(".:/ew/evenweave-agent.jar");
    }

    @Test
    void aModule() throws Exception {
        assertThat(plan("--", "-p", "mods", "-m", "acme/acme.Main", "x"))
                .containsSubsequence("-p", "mods", "-cp", "/ew/evenweave-agent.jar", "-Djdk.module.main=acme")
                .endsWith("-m", "acme/acme.Main", "x");
    }

    @Test
    void aClassPathFromTheEnvironment() throws Exception {
        assertThat(Plan.command(
                                List.of("--", "Main"),
                                Map.of(),
                                Map.of("CLASSPATH", "env"),
                                AGENT,
                                "-Xmx1g -cp \"from options\"")
                        .orElseThrow())
                .contains("from options:/ew/evenweave-agent.jar");
        assertThat(Plan.command(List.of("--", "Main"), Map.of(), Map.of("CLASSPATH", "env"), AGENT, null)
                        .orElseThrow())
                .contains("env:/ew/evenweave-agent.jar");
    }

    @Test
    void anArgumentFile() throws Exception {
        Path file = Files.writeString(temp.resolve("args"), "# comment\n-cp 'a b:c'\n-Dx=\"1 2\" Main");
        assertThat(plan("--", "@" + file, "@kept"))
                .containsSubsequence("-Dx=1 2", "-cp", "a b:c:/ew/evenweave-agent.jar")
                .endsWith("Main", "@kept");
    }

    @Test
    void pollsNeedTheAgent() throws Exception {
        assertThat(plan("--polls=com.acme.**", "--spin=1us", "--", "-cp", "a", "Main"))
                .containsExactly(
                        "/jdk/bin/java",
                        "-javaagent:/ew/evenweave-agent.jar=polls=com.acme.**,spin=1us",
                        "-cp",
                        "a",
                        "Main");
        assertThat(plan("--", "-Devenweave.polls=com.acme.**", "-cp", "a", "Main"))
                .contains("-javaagent:/ew/evenweave-agent.jar");
    }

    @Test
    void valuesMayFollowAsAWordOfTheirOwn() throws Exception {
        assertThat(plan("--parallelism", "2", "--", "Main")).contains("--parallelism=2");
    }

    @Test
    void questionsToTheJvmPassThrough() throws Exception {
        assertThat(plan("--", "-version")).containsExactly("/jdk/bin/java", "-version");
    }

    @Test
    void mistakesAreNamed() {
        assertThatExceptionOfType(BadOption.class)
                .isThrownBy(() -> plan("--paralelism=2", "--", "Main"))
                .withMessageContaining("paralelism");
        assertThatExceptionOfType(BadOption.class).isThrownBy(() -> plan()).withMessageContaining("Usage");
        assertThatExceptionOfType(BadOption.class)
                .isThrownBy(() -> plan("--", "-jar"))
                .withMessageContaining("-jar needs");
        assertThatExceptionOfType(BadOption.class)
                .isThrownBy(() -> plan("--", "-cp"))
                .withMessageContaining("-cp needs");
        assertThatExceptionOfType(BadOption.class)
                .isThrownBy(() -> plan("--", "@/no/such/file"))
                .withMessageContaining("/no/such/file");
    }

    @Test
    void helpIsNoCommand() throws Exception {
        assertThat(Plan.command(List.of("--help"), Map.of(), Map.of(), AGENT, null))
                .isEmpty();
    }

    @Test
    void wordsAreQuotedForTheShell() {
        assertThat(Plan.quoted(List.of("a b", "it's", "$x", ""))).isEqualTo("'a b' 'it'\\''s' '$x' ''");
    }

    private static List<String> plan(String... words) throws BadOption {
        return Plan.command(List.of(words), Map.of("java.home", "/jdk"), Map.of(), AGENT, null)
                .orElseThrow();
    }
}
