// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class HtmlReportTest {

    private static final Pattern RESULT =
            Pattern.compile("<script type=\"application/json\" id=\"result\">(.*?)</script>", Pattern.DOTALL);
    private static final Pattern PLOTTED =
            Pattern.compile("<script type=\"application/json\" id=\"plotted\">(.*?)</script>", Pattern.DOTALL);

    @TempDir
    private Path temp;

    @Test
    void theDataInThePageIsTheResult() throws Exception {
        String json = group(RESULT, HtmlReport.text(ReportTest.result()));
        assertThat(JsonReport.MAPPER.readValue(json, LabResult.class)).isEqualTo(ReportTest.result());
        assertThat(ReportTest.problems(json)).isEmpty();
    }

    @Test
    void thePageLoadsNothing() throws Exception {
        String page = HtmlReport.text(ReportTest.result());
        assertThat(page.replaceAll("(?s)<script>.*?</script>", ""))
                .doesNotContainPattern("<(script|img|iframe)[^>]* src=")
                .doesNotContain("<link", "@import", "url(");
        assertThat(page).doesNotContain("sourceMappingURL");
        assertThat(Pattern.compile("<script").matcher(page).results().count())
                .as("data, charts, drawing")
                .isEqualTo(3);
    }

    @Test
    void verdictsAndNumbersAreThereWithoutAScript() throws Exception {
        String page = HtmlReport.text(ReportTest.result());
        assertThat(page)
                .contains("lower (better)", "class=\"pill good\"", ">0.002<", "is on faster than off?", "a note")
                .contains("40.0 %", "3, disturbed", "unknown");
    }

    @Test
    void namesCannotBreakOut() throws Exception {
        LabResult of = ReportTest.result();
        LabResult nasty = new LabResult(
                of.schema(),
                "<b>&\"</b>",
                "</script><script>alert(1)</script>",
                of.command(),
                Instant.EPOCH.toString(),
                true,
                of.machine(),
                of.discipline(),
                of.arms(),
                of.rows(),
                of.comparisons(),
                of.means(),
                of.runs(),
                List.of("<!--"));
        String page = HtmlReport.text(nasty);
        assertThat(page).doesNotContain("<b>&", "alert(1)</script>", "<!--");
        assertThat(JsonReport.MAPPER
                        .readValue(group(RESULT, page), LabResult.class)
                        .question())
                .isEqualTo(nasty.question());
    }

    /** A real browser draws the page; what its charts then hold is read back. */
    @Test
    void thePlotsShowEveryRunMedianAndInterval() throws Exception {
        Path page = temp.resolve("report.html");
        HtmlReport.write(ReportTest.result(), page);
        JsonNode plots = JsonReport.MAPPER.readTree(group(PLOTTED, drawn(page)));

        assertThat(plots).hasSize(2);
        JsonNode first = plots.get(0);
        assertThat(first.path("scenario").asString()).isEqualTo("work=0");
        assertThat(first.path("metric").asString()).isEqualTo("speed");
        assertThat(first.path("log").asBoolean()).isFalse();
        assertThat(first.path("shapes").asInt()).as("drawn").isGreaterThanOrEqualTo(6 + 6 + 6 + 3 + 3);
        assertThat(first.path("series"))
                .extracting(series -> series.path("name").asString(), HtmlReportTest::values)
                .containsExactly(
                        tuple("interval off", List.of(8.0, 13.0)),
                        tuple("runs off", List.of(8.0, 9.0, 10.0, 11.0, 12.0, 13.0)),
                        tuple("median off", List.of(10.5)),
                        tuple("interval on", List.of(4.0, 6.5)),
                        tuple("runs on", List.of(4.0, 4.5, 5.0, 5.5, 6.0, 6.5)),
                        tuple("median on", List.of(5.25)),
                        tuple("interval off (again)", List.of(8.0, 13.0)),
                        tuple("runs off (again)", List.of(8.0, 9.0, 10.0, 11.0, 12.0, 13.0)),
                        tuple("median off (again)", List.of(10.5)));
    }

    private String drawn(Path page) throws Exception {
        Optional<Path> browser = browser();
        assumeTrue(browser.isPresent(), "needs Chromium");
        Path out = temp.resolve("dom.html");
        Process process = new ProcessBuilder(
                        browser.orElseThrow().toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--user-data-dir=" + temp.resolve("profile"),
                        "--virtual-time-budget=10000",
                        "--dump-dom",
                        page.toUri().toString())
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return Files.readString(out, StandardCharsets.UTF_8);
    }

    private static Optional<Path> browser() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .flatMap(folder -> Stream.of("chromium", "chromium-browser", "google-chrome")
                        .map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static List<Double> values(JsonNode series) {
        List<Double> values = new ArrayList<>();
        series.path("values").forEach(value -> values.add(value.asDouble()));
        return values;
    }

    private static String group(Pattern pattern, String page) {
        Matcher matcher = pattern.matcher(page);
        assertThat(matcher.find()).as(pattern.pattern()).isTrue();
        return matcher.group(1);
    }
}
