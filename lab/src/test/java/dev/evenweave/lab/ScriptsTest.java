// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the shell scripts of the project against JDKs and a Maven that only pretend. */
class ScriptsTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    @TempDir
    private Path temp;

    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void onlyTheToolsOfTheSystem() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "these are scripts for a POSIX shell");
        // A PATH that holds what the scripts need, and no java of this machine.
        Path tools = Files.createDirectories(temp.resolve("tools"));
        for (String tool : List.of("sh", "sed", "head", "dirname", "readlink", "find", "cat", "mkdir", "touch")) {
            for (String folder : List.of("/bin", "/usr/bin")) {
                Path file = Path.of(folder, tool);
                if (Files.isExecutable(file) && !Files.exists(tools.resolve(tool))) {
                    script(tools.resolve(tool), "exec " + file + " \"$@\"");
                }
            }
        }
        environment.put("PATH", tools.toString());
        environment.put("EVENWEAVE_JDK_PLACES", "");
    }

    @Test
    void theVariableOfTheProjectComesFirst() throws Exception {
        environment.put("EVENWEAVE_JAVA_HOME", jdk("mine", "25.0.1").toString());
        environment.put("JAVA_HOME", jdk("other", "26").toString());
        assertThat(findJdk()).isEqualTo(found("mine"));
    }

    @Test
    void aWrongVariableOfTheProjectIsNamedAndPassedOver() throws Exception {
        environment.put("EVENWEAVE_JAVA_HOME", jdk("old", "21.0.9").toString());
        environment.put("JAVA_HOME", jdk("good", "25.0.1").toString());
        Outcome outcome = findJdk();
        assertThat(outcome.code).isZero();
        assertThat(outcome.out).isEqualTo(temp.resolve("good") + "\n");
        assertThat(outcome.err)
                .contains("EVENWEAVE_JAVA_HOME=" + temp.resolve("old") + " is no JDK 25")
                .hasLineCount(1);
    }

    @Test
    void javaHomeIsPassedOverInSilenceWhenItIsTooOld() throws Exception {
        environment.put("JAVA_HOME", jdk("old", "17.0.15").toString());
        environment.put("EVENWEAVE_JDK_PLACES", jdk("place", "25").toString());
        assertThat(findJdk()).isEqualTo(found("place"));
    }

    @Test
    void everyFolderOfThePathIsAskedThroughLinks() throws Exception {
        Path old = jdk("old", "1.8.0_402");
        Path link = Files.createDirectories(temp.resolve("links"));
        Files.createSymbolicLink(link.resolve("javac"), jdk("good", "25.0.3").resolve("bin/javac"));
        environment.merge("PATH", old.resolve("bin") + ":" + link, (tools, more) -> tools + ":" + more);
        assertThat(findJdk()).isEqualTo(found("good"));
    }

    @Test
    void aRelativeLinkIsFollowedToo() throws Exception {
        jdk("good", "25.0.3");
        Path link = Files.createDirectories(temp.resolve("links"));
        Files.createSymbolicLink(link.resolve("javac"), Path.of("../good/bin/javac"));
        environment.merge("PATH", link.toString(), (tools, more) -> tools + ":" + more);
        assertThat(findJdk()).isEqualTo(found("good"));
    }

    @Test
    void whatCannotBuildOrDoesNotStartIsPassedOver() throws Exception {
        Path runtimeOnly = jdk("jre", "25");
        Files.delete(runtimeOnly.resolve("bin/javac"));
        Path broken = jdk("broken", "25");
        script(broken.resolve("bin/java"), "exit 127");
        Path noImage = jdk("stub", "25");
        Files.delete(noImage.resolve("lib/modules"));
        Path missing = temp.resolve("missing");
        Path spaces = jdk("with spaces", "25.0.3");
        environment.put("EVENWEAVE_JDK_PLACES", join(runtimeOnly, broken, noImage, missing, spaces));
        assertThat(findJdk()).isEqualTo(found("with spaces"));
    }

    @Test
    void earlyAccessAndNewerReleasesWill() throws Exception {
        environment.put("JAVA_HOME", jdk("early", "27-ea").toString());
        assertThat(findJdk()).isEqualTo(found("early"));
    }

    @Test
    void whatJavaSaysBeforeItsVersionDoesNotMatter() throws Exception {
        Path jdk = jdk("noisy", "25");
        script(
                jdk.resolve("bin/java"),
                "echo 'Picked up JAVA_TOOL_OPTIONS: -Dversion=1' >&2; echo 'openjdk version \"25.0.3\" 2026-04-21' >&2");
        environment.put("JAVA_HOME", jdk.toString());
        assertThat(findJdk()).isEqualTo(found("noisy"));
    }

    @Test
    void withNoneOneLineSaysWhatToInstall() throws Exception {
        for (String script : List.of("evenweave", "check", "scripts/find-jdk")) {
            Outcome outcome = run(project(), script);
            assertThat(outcome.code).as(script).isEqualTo(2);
            assertThat(outcome.out).as(script).isEmpty();
            assertThat(outcome.err)
                    .as(script)
                    .startsWith("evenweave: no JDK 25 or newer found: install one")
                    .contains("EVENWEAVE_JAVA_HOME")
                    .hasLineCount(1);
        }
    }

    @Test
    void theCommandLineIsBuiltOnceAndThenStartsWithoutMaven() throws Exception {
        environment.put("JAVA_HOME", jdk("good", "25").toString());
        Path project = project();

        Outcome first = run(project, "evenweave", "lab", "list");
        assertThat(first.code).isZero();
        assertThat(first.err).contains("evenweave: building the command line").hasLineCount(1);
        assertThat(first.out)
                .contains("--add-opens java.base/java.lang=ALL-UNNAMED")
                .endsWith("-jar " + project.resolve("lab/target/evenweave-lab.jar") + " lab list\n");
        assertThat(project.resolve("mvnw-calls")).content().hasLineCount(1).contains("-pl lab -am package");

        Outcome second = run(project, "evenweave", "lab", "list");
        assertThat(second.err).isEmpty();
        assertThat(second.out).isEqualTo(first.out);
        assertThat(project.resolve("mvnw-calls")).content().hasLineCount(1);
    }

    @Test
    void aChangedSourceIsBuiltAgain() throws Exception {
        environment.put("JAVA_HOME", jdk("good", "25").toString());
        Path project = project();
        run(project, "evenweave");
        FileTime later = FileTime.from(Instant.now().plusSeconds(60));
        Files.setLastModifiedTime(project.resolve("core/src/main/A.java"), later);
        assertThat(run(project, "evenweave").err).contains("building");
        assertThat(project.resolve("mvnw-calls")).content().hasLineCount(2);
    }

    @Test
    void aFailedBuildIsSaidAndNothingIsRun() throws Exception {
        environment.put("JAVA_HOME", jdk("good", "25").toString());
        Path project = project();
        script(project.resolve("mvnw"), "echo '[ERROR] no' ; exit 1");
        Outcome outcome = run(project, "evenweave", "--version");
        assertThat(outcome.code).isEqualTo(1);
        assertThat(outcome.out).isEmpty();
        assertThat(outcome.err).contains("[ERROR] no", "evenweave: the build failed");
    }

    @Test
    void theCommandLineStartsThroughALinkAndKeepsItsArguments() throws Exception {
        environment.put("JAVA_HOME", jdk("good", "25").toString());
        Path project = project();
        Path link = Files.createSymbolicLink(temp.resolve("ew"), project.resolve("evenweave"));
        Outcome outcome = run(temp, link.toString(), "lab", "two words", "");
        assertThat(outcome.code).isZero();
        assertThat(outcome.out).endsWith(" lab two words \n");
    }

    @Test
    void runBecomesTheProgramThatThePlanNames() throws Exception {
        Path home = jdk("good", "25");
        environment.put("JAVA_HOME", home.toString());
        environment.put("JDK_JAVA_OPTIONS", "-cp given");
        environment.put("JAVA_TOOL_OPTIONS", "-Dtool");
        Path program = temp.resolve("the program");
        script(
                program,
                "echo \"ran as $$ with $1 and ${JDK_JAVA_OPTIONS-none} ${EVENWEAVE_JDK_JAVA_OPTIONS-none}\"; exit 7");
        Path project = project();
        // A plan that wants another program to be run, and tells what it was asked.
        script(
                home.resolve("bin/java"),
                "if [ \"$1\" = -version ]; then echo 'openjdk version \"25\"' >&2; exit; fi\n"
                        + "echo \"plans ${*##*Plan} by ${JDK_JAVA_OPTIONS-none} ${JAVA_TOOL_OPTIONS-none}"
                        + " $EVENWEAVE_JDK_JAVA_OPTIONS\" >&2\n"
                        + "echo \"exec '" + program + "' 'two  words'\"");
        Outcome outcome = run(project, "evenweave", "run", "--", "Main");
        assertThat(outcome.code).isEqualTo(7);
        assertThat(outcome.out).contains(" with two  words and -cp given none");
        assertThat(outcome.err).contains("by none none -cp given");
    }

    @Test
    void aRefusedPlanRunsNothing() throws Exception {
        Path home = jdk("good", "25");
        environment.put("JAVA_HOME", home.toString());
        Path project = project();
        script(
                home.resolve("bin/java"),
                "if [ \"$1\" = -version ]; then echo 'openjdk version \"25\"' >&2; exit; fi\n"
                        + "echo 'evenweave: no' >&2; exit 2");
        Outcome outcome = run(project, "evenweave", "run");
        assertThat(outcome.code).isEqualTo(2);
        assertThat(outcome.err).endsWith("evenweave: no\n");
        assertThat(outcome.out).isEmpty();
    }

    @Test
    void checkVerifiesWithTheJdkThatWasFound() throws Exception {
        environment.put("JAVA_HOME", jdk("old", "17").toString());
        environment.put("EVENWEAVE_JDK_PLACES", jdk("good", "25").toString());
        Path project = project();
        assertThat(run(temp, project.resolve("check").toString(), "-pl", "core").code)
                .isZero();
        assertThat(project.resolve("mvnw-calls"))
                .hasContent("JAVA_HOME=" + temp.resolve("good") + " verify -pl core\n");
    }

    private record Outcome(int code, String out, String err) {}

    private Outcome found(String name) {
        return new Outcome(0, temp.resolve(name) + "\n", "");
    }

    private Outcome findJdk() throws Exception {
        return run(ROOT, "scripts/find-jdk");
    }

    /** The scripts of this project in a folder of their own, with a Maven that notes how it was called. */
    private Path project() throws IOException {
        Path project = temp.resolve("project");
        if (Files.exists(project)) {
            return project;
        }
        for (String folder :
                List.of("scripts", "core/src/main", "launch/src/main", "launch/src/entry", "lab/src/main")) {
            Files.createDirectories(project.resolve(folder));
        }
        for (String file : List.of("evenweave", "check", "scripts/find-jdk")) {
            Files.copy(ROOT.resolve(file), project.resolve(file));
            project.resolve(file).toFile().setExecutable(true);
        }
        FileTime earlier = FileTime.from(Instant.now().minusSeconds(60));
        for (String file :
                List.of("pom.xml", "core/pom.xml", "launch/pom.xml", "lab/pom.xml", "core/src/main/A.java")) {
            Files.createFile(project.resolve(file));
            Files.setLastModifiedTime(project.resolve(file), earlier);
        }
        for (String folder : List.of("core/src/main", "launch/src/main", "launch/src/entry", "lab/src/main")) {
            Files.setLastModifiedTime(project.resolve(folder), earlier);
        }
        script(
                project.resolve("mvnw"),
                "echo JAVA_HOME=$JAVA_HOME \"$@\" >> mvnw-calls; mkdir -p lab/target; touch lab/target/evenweave-lab.jar");
        return project;
    }

    /** Looks like a JDK: says its version, and prints how else it is called. */
    private Path jdk(String name, String version) throws IOException {
        Path home = temp.resolve(name);
        Files.createDirectories(home.resolve("bin"));
        Files.createDirectories(home.resolve("lib"));
        Files.createFile(home.resolve("lib/modules"));
        script(
                home.resolve("bin/java"),
                "if [ \"$1\" = -version ]; then echo 'openjdk version \"" + version + "\"' >&2; else echo \"$*\"; fi");
        script(home.resolve("bin/javac"), "exit 0");
        return home;
    }

    private static void script(Path file, String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String join(Path... paths) {
        return String.join(":", List.of(paths).stream().map(Path::toString).toList());
    }

    private Outcome run(Path folder, String script, String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(folder.resolve(script).toString()));
        command.addAll(List.of(args));
        Path out = Files.createTempFile(temp, "out", "");
        Path err = Files.createTempFile(temp, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    }
}
