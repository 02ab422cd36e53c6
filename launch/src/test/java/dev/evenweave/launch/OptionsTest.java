// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.evenweave.scheduler.Policy;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {

    @TempDir
    private Path temp;

    @Test
    void everyTunableHasAnOption() {
        List<String> tunables = Arrays.stream(Policy.class.getRecordComponents())
                .map(RecordComponent::getName)
                .map(name -> name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .toList();
        assertThat(Arrays.stream(Option.values()).filter(Option::isTunable).map(option -> option.key))
                .containsExactlyInAnyOrderElementsOf(tunables);
    }

    @Test
    void theFirstPlaceThatHasAnOptionCounts() throws Exception {
        Path file = Files.writeString(temp.resolve("conf"), "polls=file.A\nname=from-file\npolls-exclude=file.X\n");
        Map<String, String> environment = Map.of(
                "EVENWEAVE_CONFIG", file.toString(), "EVENWEAVE_POLLS", "env.A", "EVENWEAVE_ON_FAILURE", "continue");
        Map<String, String> properties = Map.of("evenweave.polls", "property.A", "evenweave.on-failure", "continue");
        Options all = Options.read(List.of("polls=argument.A", "on-failure=stop"), properties, environment);
        assertThat(all.polls()).hasValue("argument.A");
        assertThat(all.stopsOnFailure()).isTrue();
        assertThat(all.pollsExclude()).hasValue("file.X");
        assertThat(Options.read(List.of(), properties, environment).polls()).hasValue("property.A");
        assertThat(Options.read(List.of(), Map.of(), environment).polls()).hasValue("env.A");
        assertThat(Options.read(List.of("config=" + file), Map.of(), Map.of()).polls())
                .hasValue("file.A");
        assertThat(Options.read(List.of(), Map.of(), Map.of()).polls()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "paralelism=2, unknown option paralelism",
        "parallelism=many, bad value 'many' of option parallelism: must be a whole number",
        "parallelism=0, bad value '0' of option parallelism",
        "time-slice=10, bad value '10' of option time-slice: must be a number with ns",
        "time-slice=0ms, bad value '0ms' of option time-slice",
        "honour=maybe, bad value 'maybe' of option honour: must be one of",
        "hand-over=yes, bad value 'yes' of option hand-over",
        "on-failure=panic, bad value 'panic' of option on-failure",
        "polls=com/acme, bad value 'com/acme' of option polls",
        "config=/no/such/file, cannot read '/no/such/file'"
    })
    void aMistakeIsNamed(String argument, String message) {
        assertThatExceptionOfType(BadOption.class)
                .isThrownBy(() -> Options.read(List.of(argument), Map.of(), Map.of()))
                .withMessageContaining(message);
    }

    @Test
    void theSourceOfAMistakeIsNamed() throws Exception {
        assertThatExceptionOfType(BadOption.class)
                .isThrownBy(() -> Options.read(List.of(), Map.of("evenweave.foo", "1"), Map.of()))
                .withMessageContaining("-Devenweave.foo");
        assertThatExceptionOfType(BadOption.class)
                .isThrownBy(() -> Options.read(List.of(), Map.of(), Map.of("EVENWEAVE_SPIN", "x")))
                .withMessageContaining("environment variable EVENWEAVE_SPIN");
        Path file = Files.writeString(temp.resolve("conf"), "spin=x\n");
        assertThatExceptionOfType(BadOption.class)
                .isThrownBy(() -> Options.read(List.of("config=" + file), Map.of(), Map.of()))
                .withMessageContaining("'spin' in " + file);
    }

    @Test
    void anOverriddenMistakeIsAMistakeToo() {
        assertThatExceptionOfType(BadOption.class)
                .isThrownBy(() -> Options.read(List.of("spin=1us"), Map.of("evenweave.spin", "x"), Map.of()));
    }

    @Test
    void variablesOfTheScriptsAreNoOptions() throws Exception {
        Options.read(List.of(), Map.of(), Map.of("EVENWEAVE_JAVA_HOME", "/jdk", "EVENWEAVE_JDK_PLACES", ""));
    }

    @Test
    void whatTheJdkWouldHeedIsTheDefault() {
        assertThatExceptionOfType(BadOption.class)
                .isThrownBy(
                        () -> Options.read(List.of(), Map.of("jdk.virtualThreadScheduler.parallelism", "x"), Map.of()))
                .withMessageContaining("-Djdk.virtualThreadScheduler.parallelism");
    }

    @Test
    void timesHaveUnits() {
        assertThat(Option.duration("20us")).isEqualTo(Duration.ofNanos(20_000));
        assertThat(Option.duration("3min")).isEqualTo(Duration.ofMinutes(3));
        assertThat(Option.duration("7ns")).isEqualTo(Duration.ofNanos(7));
    }

    @Test
    void theHelpNamesEveryOption() {
        String help = String.join("\n", Option.help("--"));
        for (Option option : Option.values()) {
            assertThat(help).contains("--" + option.key);
        }
    }
}
