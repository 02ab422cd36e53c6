// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.evenweave.launch.behaviour.Endings;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every form in which a program can be started, and every reason for which the take-over can be refused. */
class LaunchIT {

    private static final String PROGRAM = """
            %s
            public class Program {
                public static void main(String[] args) throws Exception {
                    String[] where = new String[1];
                    Thread.ofVirtual().start(() -> where[0] = Thread.currentThread().toString()).join();
                    System.out.println((where[0].contains("evenweave-carrier") ? "taken over " : "stock ") + String.join("|", args));
                    System.out.println(System.getProperty("java.class.path"));
                }
            }
            """;

    @TempDir
    private Path temp;

    // ---- forms
    // -------------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(names = {"RUN", "HOOK", "AGENT"})
    void aJarWithAClassPathInItsManifest(Road road) throws Exception {
        Path classes = compile("package acme; import library.Library;", "acme", Map.of("library/Library.java", """
                package library; public class Library {}"""));
        Path library = jar("lib.jar", classes, "library", Map.of());
        Path app = jar(
                "app.jar",
                classes,
                "acme",
                Map.of(
                        "Main-Class",
                        "acme.Program",
                        "Class-Path",
                        library.getFileName().toString()));
        Child child = run(road, "-jar", app.toString(), "one", "two words");
        assertThat(child.out().lines().toList()).as("%s", child).startsWith("taken over one|two words", app.toString());
        assertThat(child.code()).isZero();
        assertThat(child.err()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"RUN", "AGENT"})
    void aModule(Road road) throws Exception {
        Path classes = compile("package acme;", "acme", Map.of("module-info.java", "module acme.app {}"));
        Child child = run(road, "-p", classes.toString(), "-m", "acme.app/acme.Program", "x");
        assertThat(child.out()).as("%s", child).startsWith("taken over x");
        assertThat(child.err()).isEmpty();
    }

    @Test
    void theHookRefusesAModule() throws Exception {
        Path classes = compile("package acme;", "acme", Map.of("module-info.java", "module acme.app {}"));
        Child child = run(Road.HOOK, "-p", classes.toString(), "-m", "acme.app/acme.Program");
        assertThat(child.code()).as("%s", child).isEqualTo(1);
        assertThat(child.err()).contains("java -m").hasLineCount(1);
        assertThat(child.out()).isEmpty();
    }

    @Test
    void aSourceFile() throws Exception {
        Path source = temp.resolve("Program.java");
        Files.writeString(source, PROGRAM.formatted(""));
        Child child = run(Road.RUN, source.toString(), "x");
        assertThat(child.out()).as("%s", child).startsWith("taken over x");
    }

    @Test
    void anInstanceMain() throws Exception {
        Path source = temp.resolve("Small.java");
        Files.writeString(source, "void main() { IO.println(\"small\"); }");
        javac(List.of("-d", temp.toString(), source.toString()));
        assertThat(run(Road.RUN, "-cp", temp.toString(), "Small").out()).startsWith("small");
    }

    @Test
    void whatIsMissingIsToldAsJavaTellsIt() throws Exception {
        Child child = run(Road.RUN, "-cp", temp.toString(), "no.such.Main");
        assertThat(child.code()).isEqualTo(1);
        assertThat(child.err()).contains("Could not find or load main class no.such.Main");
        child = run(Road.RUN, "-jar", temp.resolve("none.jar").toString());
        assertThat(child.code()).isEqualTo(1);
        assertThat(child.err()).contains("none.jar");
    }

    @Test
    void whatMainThrowsIsThrown() throws Exception {
        Child child = run(Road.RUN, "-cp", Road.TESTS.toString(), Endings.class.getName(), "throw");
        assertThat(child.code()).isEqualTo(1);
        assertThat(child.err())
                .contains("Exception in thread \"main\" java.lang.IllegalStateException: thrown by main")
                .doesNotContain("InvocationTargetException");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aSignalReachesTheProgram() throws Exception {
        List<String> command =
                Road.RUN.command(Map.of(), List.of("-cp", Road.TESTS.toString(), Endings.class.getName(), "wait"));
        Child.Running running = new Child.Running(command, Map.of());
        while (!running.out().contains("waiting") && running.process.isAlive()) {
            running.process.waitFor(20, TimeUnit.MILLISECONDS);
        }
        running.process.destroy(); // SIGTERM
        Child child = running.await();
        assertThat(child.code()).isEqualTo(143);
        assertThat(child.out()).contains("hook ran");
    }

    @Test
    void aLauncherAgentClassInTheProgramsJar() throws Exception {
        Path classes = compile("package acme;", "acme", Map.of());
        Path app = jar(
                "app.jar",
                classes,
                "acme",
                Map.of(
                        "Main-Class", "acme.Program",
                        "Class-Path", Road.AGENT_JAR.toUri().toString(),
                        "Launcher-Agent-Class", "dev.evenweave.launch.Agent"));
        Child child = run(Road.STOCK, "-jar", app.toString());
        assertThat(child.out()).as("%s", child).startsWith("taken over");
    }

    @Test
    void anotherAgentBehindTheHook() throws Exception {
        Path classes = compile("package acme;", "acme", Map.of("other/Agent.java", """
                package other;
                public class Agent {
                    public static void premain(String argument) throws Exception {
                        Thread.startVirtualThread(() -> System.out.println("agent " + Thread.currentThread())).join();
                    }
                }"""));
        Path agent = jar("other.jar", classes, "other", Map.of("Premain-Class", "other.Agent"));
        Child child = run(Road.HOOK, "-javaagent:" + agent, "-cp", classes.toString(), "acme.Program");
        assertThat(child.out())
                .as("%s", child)
                .startsWith("agent ")
                .contains("taken over")
                .doesNotContain("stock");
        assertThat(child.code()).isZero();
    }

    // ---- refusals
    // ----------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(names = {"RUN", "HOOK", "AGENT"})
    void aBadOptionEndsTheStart(Road road) throws Exception {
        // Past the check that "run" makes before it starts a JVM.
        Child child = Child.run(
                road.command(Map.of(), List.of("-cp", Road.TESTS.toString(), Endings.class.getName(), "return")),
                Map.of("EVENWEAVE_TIME_SLICE", "soon"));
        assertThat(child.code()).as("%s", child).isEqualTo(2);
        assertThat(child.err())
                .contains("bad value 'soon'")
                .contains("EVENWEAVE_TIME_SLICE")
                .hasLineCount(1);
        assertThat(child.out()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"RUN", "HOOK", "AGENT"})
    void aJvmWithoutContinuationsIsRefused(Road road) throws Exception {
        List<String> java = List.of(
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:-VMContinuations",
                "-cp",
                Road.TESTS.toString(),
                Endings.class.getName(),
                "return");
        Child stopped = Child.run(road.command(Map.of(), java));
        assertThat(stopped.code()).as("%s", stopped).isEqualTo(1);
        assertThat(stopped.err()).contains("evenweave: ").contains("no continuations");
        assertThat(stopped.out()).isEmpty();
        Child continued = Child.run(road.command(Map.of("on-failure", "continue"), java));
        assertThat(continued.code()).as("%s", continued).isZero();
        assertThat(continued.out()).contains("main returns");
        assertThat(continued.err()).contains("no continuations").contains("going on with the JDK's own scheduler");
    }

    @Test
    void anAgentThatComesAfterAVirtualThreadIsRefused() throws Exception {
        Path classes = compile("package acme;", "acme", Map.of("other/Agent.java", """
                package other;
                public class Agent {
                    public static void premain(String argument) throws Exception {
                        Thread.startVirtualThread(() -> {}).join();
                    }
                }"""));
        Path agent = jar("other.jar", classes, "other", Map.of("Premain-Class", "other.Agent"));
        List<String> java = List.of(
                "-javaagent:" + agent, "-javaagent:" + Road.AGENT_JAR, "-cp", classes.toString(), "acme.Program");
        Child child = Child.run(Road.STOCK.command(Map.of(), java));
        assertThat(child.code()).as("%s", child).isEqualTo(1);
        assertThat(child.err()).contains("virtual threads have been used").hasLineCount(1);
    }

    @Test
    void anAgentAttachedTooLateLeavesTheProgramAlone() throws Exception {
        Path classes = compile("package acme;", "acme", Map.of("acme/Attached.java", """
                package acme;
                public class Attached {
                    public static void main(String[] args) throws Exception {
                        Thread.startVirtualThread(() -> {}).join();
                        var vm = com.sun.tools.attach.VirtualMachine.attach(Long.toString(ProcessHandle.current().pid()));
                        try {
                            vm.loadAgent(args[0], "parallelism=1");
                            System.out.println("attached");
                        } catch (com.sun.tools.attach.AgentInitializationException e) {
                            System.out.println("refused");
                        }
                        Program.main(new String[] {"goes on"});
                    }
                }"""));
        Child child = run(
                Road.STOCK,
                "-Djdk.attach.allowAttachSelf=true",
                "-XX:+EnableDynamicAgentLoading",
                "-cp",
                classes.toString(),
                "acme.Attached",
                Road.AGENT_JAR.toString());
        assertThat(child.out()).as("%s", child).startsWith("refused").contains("stock goes on");
        assertThat(child.err()).contains("evenweave: virtual threads have been used");
        assertThat(child.code()).isZero();
    }

    @Test
    void theHelpListsTheOptions() throws Exception {
        Child child = Child.run(Road.AGENT.command(Map.of("help", "true"), List.of("-version")));
        assertThat(child.code()).isZero();
        assertThat(child.out()).contains("parallelism=N");
    }

    // ---- polls
    // -------------------------------------------------------------------------------------------------------

    @Test
    void pollsAreInsertedAndReported() throws Exception {
        List<String> java = List.of("-Xverify:all", "-cp", Road.TESTS.toString(), Endings.class.getName(), "hog");
        Child child = Child.run(Road.RUN.command(Map.of("polls", "dev.evenweave.launch.behaviour.**"), java));
        assertThat(child.code()).as("%s", child).isZero();
        assertThat(child.err())
                .containsPattern("polls: checkpoints before [1-9]\\d* jumps back in \\d+ methods of \\d+ classes");
    }

    // ---- tools
    // -------------------------------------------------------------------------------------------------------

    private static Child run(Road road, String... java) throws Exception {
        return Child.run(road.command(Map.of(), List.of(java)));
    }

    /** Compiles the program into a package, and other files beside it. */
    private Path compile(String head, String packageName, Map<String, String> others) throws IOException {
        Path sources = temp.resolve("src");
        Path classes = temp.resolve("classes");
        List<String> arguments = new ArrayList<>(List.of("-d", classes.toString()));
        Path program = sources.resolve(packageName).resolve("Program.java");
        Files.createDirectories(program.getParent());
        Files.writeString(program, PROGRAM.formatted(head));
        arguments.add(program.toString());
        for (Map.Entry<String, String> other : others.entrySet()) {
            Path file = sources.resolve(other.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, other.getValue());
            arguments.add(file.toString());
        }
        javac(arguments);
        return classes;
    }

    private static void javac(List<String> arguments) {
        ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
        assertThat(javac.run(System.out, System.err, arguments.toArray(String[]::new)))
                .isZero();
    }

    private Path jar(String name, Path classes, String folder, Map<String, String> attributes) throws IOException {
        Path jar = temp.resolve(name);
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.forEach((key, value) -> manifest.getMainAttributes().putValue(key, value));
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out, manifest);
                Stream<Path> files = Files.walk(classes.resolve(folder))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                entries.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace('\\', '/')));
                Files.copy(file, entries);
                entries.closeEntry();
            }
        }
        return jar;
    }
}
