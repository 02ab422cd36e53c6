// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyTest {
    private static final Duration NEGATIVE = Duration.ofMillis(-3);
    private static final Duration TOO_LONG = Duration.ofHours(2);

    private static Arguments bad(String message, UnaryOperator<Policy.Builder> change) {
        return Arguments.of(message, change);
    }

    static Stream<Arguments> badValues() {
        return Stream.of(
                bad("timeSlice PT0S: must be longer than zero", b -> b.timeSlice(Duration.ZERO)),
                bad("timeSlice PT-0.003S: must be longer than zero", b -> b.timeSlice(NEGATIVE)),
                bad("timeSlice PT2H: must not be longer than an hour", b -> b.timeSlice(TOO_LONG)),
                bad("handOverAfter PT0S: must be longer than zero", b -> b.handOverAfter(Duration.ZERO)),
                bad("stallAfter PT0S: must be longer than zero", b -> b.stallAfter(Duration.ZERO)),
                bad("globalQueueInterval 0: must be at least 1", b -> b.globalQueueInterval(0)),
                bad("globalQueueInterval -1: must be at least 1", b -> b.globalQueueInterval(-1)),
                bad("monitorFast PT-0.003S: must be longer than zero", b -> b.monitorFast(NEGATIVE)),
                bad("monitorSlow PT0S: must be longer than zero", b -> b.monitorSlow(Duration.ZERO)),
                bad(
                        "monitorFast PT1S: must not be longer than monitorSlow PT0.01S",
                        b -> b.monitorFast(Duration.ofSeconds(1))),
                bad("runNextAge PT-0.003S: must not be negative", b -> b.runNextAge(NEGATIVE)),
                bad("spin PT-0.003S: must not be negative", b -> b.spin(NEGATIVE)),
                bad("spin PT2H: must not be longer than an hour", b -> b.spin(TOO_LONG)),
                bad("maxCarriers 0: must be at least 1", b -> b.maxCarriers(0)),
                bad("keepAlive PT0S: must be longer than zero", b -> b.keepAlive(Duration.ZERO)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badValues")
    void aBadValueIsNamedWithWhatIsAllowed(String message, UnaryOperator<Policy.Builder> change) {
        Policy.Builder builder = change.apply(Policy.defaults().toBuilder());
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    static Stream<Arguments> nulls() {
        return Stream.of(
                bad("honour", b -> b.honour(null)),
                bad("preemption", b -> b.preemption(null)),
                bad("timeSlice", b -> b.timeSlice(null)),
                bad("handOverAfter", b -> b.handOverAfter(null)),
                bad("stallAfter", b -> b.stallAfter(null)),
                bad("monitorFast", b -> b.monitorFast(null)),
                bad("monitorSlow", b -> b.monitorSlow(null)),
                bad("runNextAge", b -> b.runNextAge(null)),
                bad("spin", b -> b.spin(null)),
                bad("keepAlive", b -> b.keepAlive(null)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("nulls")
    void nullIsNamed(String name, UnaryOperator<Policy.Builder> change) {
        Policy.Builder builder = change.apply(Policy.defaults().toBuilder());
        assertThatThrownBy(builder::build)
                .isInstanceOf(NullPointerException.class)
                .hasMessage(name);
    }

    @Test
    void zeroIsAllowedWhereItMeansNone() {
        Policy policy = Policy.defaults().toBuilder()
                .runNextAge(Duration.ZERO)
                .spin(Duration.ZERO)
                .build();
        assertThat(policy.runNextAge()).isZero();
        assertThat(policy.spin()).isZero();
    }

    @Test
    void theBuilderChangesWhatItIsToldAndKeepsTheRest() {
        Policy policy = Policy.defaults().toBuilder()
                .honour(Honour.LOCAL_ONLY)
                .preemption(Preemption.THREAD_ONLY)
                .handOver(false)
                .timeSlice(Duration.ofMillis(1))
                .handOverAfter(Duration.ofMillis(2))
                .stallAfter(Duration.ofNanos(25))
                .globalQueueInterval(3)
                .monitorFast(Duration.ofMillis(4))
                .monitorSlow(Duration.ofMillis(5))
                .runNextAge(Duration.ofMillis(6))
                .spin(Duration.ofMillis(7))
                .maxCarriers(8)
                .keepAlive(Duration.ofMillis(9))
                .build();
        assertThat(policy)
                .isEqualTo(new Policy(
                        Honour.LOCAL_ONLY,
                        Preemption.THREAD_ONLY,
                        false,
                        Duration.ofMillis(1),
                        Duration.ofMillis(2),
                        Duration.ofNanos(25),
                        3,
                        Duration.ofMillis(4),
                        Duration.ofMillis(5),
                        Duration.ofMillis(6),
                        Duration.ofMillis(7),
                        8,
                        Duration.ofMillis(9)));
        assertThat(policy.toBuilder().build()).isEqualTo(policy);
        assertThat(Policy.defaults().toBuilder().build()).isEqualTo(Policy.defaults());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, 32_768, Integer.MAX_VALUE})
    void aParallelismOutOfRangeIsNamed(int parallelism) {
        assertThatThrownBy(() -> Scheduler.builder().parallelism(parallelism))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("parallelism " + parallelism + ": must be from 1 to 32767");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t"})
    void aBlankNameIsNamed(String name) {
        assertThatThrownBy(() -> Scheduler.builder().name(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name '" + name + "': must not be blank");
    }

    @Test
    void theBuilderTakesNoNull() {
        assertThatThrownBy(() -> Scheduler.builder().policy(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("policy");
        assertThatThrownBy(() -> Scheduler.builder().name(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Scheduler.builder().honour(null)).isInstanceOf(NullPointerException.class);
    }
}
