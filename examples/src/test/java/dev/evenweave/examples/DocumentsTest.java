// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every Java sample of README and guide stands in an example, which is compiled and run; every link leads somewhere. */
class DocumentsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    static Stream<Path> documents() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(
                    Stream.of("README.md", "CONTRIBUTING.md").map(ROOT::resolve),
                    docs.filter(file -> file.toString().endsWith(".md")))
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("documents")
    void everyJavaSampleStandsInAnExample(Path document) throws IOException {
        List<String> sources = sources();
        for (String sample : samples(Files.readString(document))) {
            assertThat(sources)
                    .as("an example that contains, but for indentation, this sample of %s:%n%s", document, sample)
                    .anyMatch(source -> source.contains(sample));
        }
    }

    @ParameterizedTest
    @MethodSource("documents")
    void everyLinkToAFileLeadsToOne(Path document) throws IOException {
        var links =
                java.util.regex.Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)").matcher(Files.readString(document));
        while (links.find()) {
            assertThat(document.resolveSibling(links.group(1)))
                    .as("link in %s", document)
                    .exists();
        }
    }

    @Test
    void aSampleThatStandsNowhereIsFound() throws IOException {
        List<String> samples = samples("""
                ```java
                int notInAnyExample = 7;
                ```
                """);
        assertThat(samples).hasSize(1);
        assertThat(sources()).noneMatch(source -> source.contains(samples.getFirst()));
    }

    private static List<String> samples(String markdown) {
        List<String> samples = new ArrayList<>();
        StringBuilder sample = null;
        for (String line : markdown.lines().toList()) {
            if (sample == null) {
                sample = line.strip().equals("```java") ? new StringBuilder() : null;
            } else if (line.strip().equals("```")) {
                samples.add(sample.toString());
                sample = null;
            } else {
                sample.append(line.strip()).append('\n');
            }
        }
        return samples;
    }

    /** The sources of this module, tests included but for this one, without indentation. */
    private static List<String> sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            return files.filter(file -> file.toString().endsWith(".java") && !file.endsWith("DocumentsTest.java"))
                    .map(DocumentsTest::withoutIndentation)
                    .toList();
        }
    }

    private static String withoutIndentation(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            StringBuilder text = new StringBuilder();
            lines.forEach(line -> text.append(line.strip()).append('\n'));
            return text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
