// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.launch.behaviour.Behaviours;
import dev.evenweave.launch.behaviour.Endings;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every way in which programs use virtual threads, in a JVM that was taken over. */
class BehaviourIT {

    @TestFactory
    Stream<DynamicTest> worksWhenRun() throws Exception {
        return behaviours(Road.RUN, Map.of("parallelism", "1"));
    }

    @TestFactory
    Stream<DynamicTest> worksBehindTheHook() throws Exception {
        return behaviours(Road.HOOK, Map.of("parallelism", "2"));
    }

    @TestFactory
    Stream<DynamicTest> worksUnderTheAgent() throws Exception {
        return behaviours(Road.AGENT, Map.of());
    }

    private static Stream<DynamicTest> behaviours(Road road, Map<String, String> options) throws Exception {
        Child child = Child.run(road.command(
                options, List.of("-ea", "--enable-preview", "-cp", road.testClassPath(), Behaviours.class.getName())));
        return Behaviours.names()
                .map(name -> DynamicTest.dynamicTest(
                        name, () -> assertThat(said(child, name)).isEqualTo("ok " + name)));
    }

    /** What the child printed about one behaviour; all that it said if there is nothing. */
    private static String said(Child child, String name) {
        List<String> lines = child.out().lines().toList();
        int first = lines.indexOf("FAILED " + name);
        if (first < 0) {
            return lines.contains("ok " + name) ? "ok " + name : child.toString();
        }
        int end = first + 1;
        while (end < lines.size()
                && !lines.get(end).startsWith("ok ")
                && !lines.get(end).startsWith("FAILED ")) {
            end++;
        }
        return String.join("\n", lines.subList(first, end));
    }

    @ParameterizedTest
    @EnumSource(names = {"RUN", "HOOK", "AGENT"})
    void shutdownHooksRunAtTheEndOfMain(Road road) throws Exception {
        Child child = ending(road, "return");
        assertThat(child.code()).as("%s", child).isZero();
        assertThat(child.out().lines()).containsExactly("main returns", "hook ran");
        assertThat(child.err()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"RUN", "HOOK", "AGENT"})
    void aVirtualThreadMayExit(Road road) throws Exception {
        Child child = ending(road, "exit");
        assertThat(child.code()).as("%s", child).isEqualTo(7);
        assertThat(child.out().lines()).containsExactly("hook ran");
    }

    @ParameterizedTest
    @EnumSource(names = {"RUN", "HOOK", "AGENT"})
    void threadsThatRunForEverDoNotKeepTheJvmAlive(Road road) throws Exception {
        Child child = ending(road, "hog");
        assertThat(child.code()).as("%s", child).isZero();
        assertThat(child.out().lines()).containsExactly("main returns", "hook ran");
    }

    private static Child ending(Road road, String how) throws Exception {
        return Child.run(road.command(Map.of(), List.of("-cp", road.testClassPath(), Endings.class.getName(), how)));
    }
}
