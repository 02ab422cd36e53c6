// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.engine.Outcome.Series;
import dev.evenweave.lab.report.LabResult.ArmName;
import dev.evenweave.lab.statistics.Verdict;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class ReportTest {

    @TempDir
    private Path temp;

    @Test
    void theResultFileKeepsItsSchema() throws Exception {
        assertThat(problems(JsonReport.text(result()))).isEmpty();
        assertThat(problems(JsonReport.text(ofFiles()))).as("values from files").isEmpty();
    }

    @Test
    void theSchemaRefusesWhatIsNoResult() throws Exception {
        assertThat(problems("{}")).isNotEmpty();
        assertThat(problems(JsonReport.text(result()).replace("\"better\" : \"lower\"", "\"better\" : \"less\"")))
                .isNotEmpty();
        assertThat(problems(JsonReport.text(result()).replace("evenweave-lab/1", "evenweave-lab/2")))
                .isNotEmpty();
    }

    @Test
    void aResultFileCanBeReadBack() {
        Path file = temp.resolve("result.json");
        JsonReport.write(result(), file);
        assertThat(JsonReport.MAPPER.readValue(file, LabResult.class)).isEqualTo(result());
    }

    @Test
    void comparisonsAreAgainstTheFirstArmAndNotOfTheControl() {
        assertThat(result().comparisons())
                .extracting(LabResult.Compared::scenario, LabResult.Compared::other, LabResult.Compared::verdict)
                .containsExactly(tuple("work=0", "on", Verdict.LOWER), tuple("work=9", "on", Verdict.SAME));
    }

    @Test
    void meansAreGeometricOverTheScenarios() {
        assertThat(result().means()).singleElement().satisfies(mean -> {
            assertThat(mean.scenarios()).isEqualTo(2);
            assertThat(mean.ratio()).isCloseTo(Math.sqrt(0.5 * 1), within(1e-12));
        });
    }

    @Test
    void theTableShowsTheArmsOfAMetricBelowEachOther() {
        StringWriter text = new StringWriter();
        TextReport.write(result(), new PrintWriter(text));
        assertThat(text.toString().lines().map(String::strip))
                .containsSubsequence(
                        "work=0",
                        "metric      arm          n  median  95 % interval  min  max  ratio      p  verdict",
                        "speed (ms)  off          6    10.5        8 .. 13    8   13",
                        "on           6    5.25       4 .. 6.5    4  6.5    0.5  0.002  lower (better)",
                        "off (again)  6    10.5        8 .. 13    8   13");
    }

    @Test
    void csvHasALineForEachValue() throws Exception {
        Path file = temp.resolve("result.csv");
        CsvReport.write(result(), file);
        assertThat(Files.readAllLines(file))
                .hasSize(1 + 6 * 6)
                .startsWith(
                        "experiment,scenario,arm,metric,unit,better,run,value", "try,work=0,off,speed,ms,lower,1,8.0")
                .contains("try,work=9,off (again),speed,ms,lower,6,6.0");
    }

    @Test
    void markdownEscapesWhatWouldBreakTheTable() {
        String text = MarkdownReport.text(result());
        assertThat(text)
                .contains("| metric | arm | n |", "| speed (ms) | off | 6 |", "lower (better)", "0.5 | 0.002")
                .contains("| \\~ |");
    }

    @Test
    void notesSayWhenThereAreTooFewRuns() {
        assertThat(ofFiles().notes()).anySatisfy(note -> assertThat(note).contains("Too few runs", "6"));
        assertThat(ofFiles().rows().getFirst().low()).isNull();
    }

    @Test
    void numbersHaveFourDigitsThatCount() {
        assertThat(List.of(0.0, 0.031419, 12.345, 100.0, 1234567.0, 0.00000012345, -2.5))
                .extracting(Numbers::shown)
                .containsExactly("0", "0.03142", "12.35", "100", "1,235,000", "0.0000001235", "-2.5");
        assertThat(Numbers.p(0.0004)).isEqualTo("< 0.001");
        assertThat(Numbers.p(0.05)).isEqualTo("0.050");
    }

    static LabResult result() {
        List<ArmName> arms =
                List.of(new ArmName("off", false), new ArmName("on", false), new ArmName("off (again)", true));
        List<Series> series = List.of(
                series("work=0", "off", 8, 9, 10, 11, 12, 13),
                series("work=0", "on", 4, 4.5, 5, 5.5, 6, 6.5),
                series("work=0", "off (again)", 8, 9, 10, 11, 12, 13),
                series("work=9", "off", 1, 2, 3, 4, 5, 6),
                series("work=9", "on", 1, 2, 3, 4, 5, 6),
                series("work=9", "off (again)", 1, 2, 3, 4, 5, 6));
        return Evaluation.evaluate(
                "try",
                "is on faster than off?",
                "./evenweave lab try",
                Instant.EPOCH,
                true,
                Machine.here(List.of("-Xmx1g")),
                new LabResult.Discipline(6, 0, true, 5, 2),
                arms,
                series,
                List.of(
                        new LabResult.RunRow("work=0", "off", 0, 1.5, null, 1, false),
                        new LabResult.RunRow("work=0", "on", 0, 1.5, 40.0, 3, true)),
                List.of("a note"));
    }

    private static LabResult ofFiles() {
        return Evaluation.evaluate(
                "compare",
                "",
                "",
                Instant.EPOCH,
                true,
                Machine.here(List.of()),
                null,
                List.of(new ArmName("a.json", false), new ArmName("b.json", false)),
                List.of(series("s", "a.json", 0), series("s", "b.json", 1)),
                List.of(),
                List.of());
    }

    private static Series series(String scenario, String arm, double... values) {
        return new Series(
                scenario,
                arm,
                "speed",
                "ms",
                Better.LOWER,
                Arrays.stream(values).boxed().toList());
    }

    static List<String> problems(String json) throws Exception {
        try (InputStream in = LabResult.class.getResourceAsStream("evenweave-lab-1.schema.json")) {
            JsonNode schemaNode = JsonReport.MAPPER.readTree(in);
            Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                    .getSchema(schemaNode);
            return schema.validate(JsonReport.MAPPER.readTree(json)).stream()
                    .map(Object::toString)
                    .toList();
        }
    }
}
