// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.report;

import com.samskivert.mustache.Mustache;
import dev.evenweave.lab.engine.Better;
import dev.evenweave.lab.report.LabResult.Compared;
import dev.evenweave.lab.report.LabResult.Row;
import dev.evenweave.lab.statistics.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.stream.IntStream;

/**
 * One page that needs nothing else: tables that the browser shows as they are, the result as JSON inside, and a script that
 * draws each run out of it.
 */
public final class HtmlReport {

    private static final String CHARTS = "META-INF/resources/webjars/echarts/%s/echarts.common.min.js";
    private static final String CHARTS_VERSION = "META-INF/maven/org.webjars/echarts/pom.properties";

    private HtmlReport() {}

    public static void write(LabResult result, Path file) throws IOException {
        Files.writeString(file, text(result));
    }

    static String text(LabResult result) throws IOException {
        Map<String, Object> page = new HashMap<>();
        page.put("experiment", result.experiment());
        page.put("question", result.question());
        page.put("notes", result.notes());
        List<Map<String, String>> verdicts = verdicts(result);
        page.put("verdicts?", !verdicts.isEmpty());
        page.put("verdicts", verdicts);
        page.put("means", ComparisonTable.means(result));
        List<Map<String, String>> plots = plots(result);
        page.put("plots?", !plots.isEmpty());
        page.put("plots", plots);
        page.put("tables", tables(result));
        List<String> setting = ComparisonTable.setting(result);
        page.put("machine", setting.getFirst());
        page.put("discipline", setting.subList(1, setting.size()));
        page.put("command", result.command());
        page.put("started", result.started());
        page.put("flags", String.join(" ", result.machine().flags()));
        page.put("runs?", !result.runs().isEmpty());
        page.put("runCount", result.runs().size());
        page.put("runs", runs(result));
        String version = chartsVersion();
        page.put("chartsVersion", version);
        page.put("charts", asScript(resource("/" + String.format(Locale.ROOT, CHARTS, version))));
        page.put("script", asScript(resource("report.js")));
        // Inside of a script element only this could end it.
        page.put("json", JsonReport.text(result).replace("<", "\\u003c"));
        try (Reader template = new InputStreamReader(open("report.mustache"), StandardCharsets.UTF_8)) {
            return Mustache.compiler().compile(template).execute(page);
        }
    }

    private static List<Map<String, String>> verdicts(LabResult result) {
        List<Map<String, String>> verdicts = new ArrayList<>();
        for (Compared one : result.comparisons()) {
            Better better = row(result, one).better();
            Map<String, String> line = new LinkedHashMap<>();
            line.put("scenario", one.scenario());
            line.put("metric", one.metric());
            line.put("base", one.base());
            line.put("other", one.other());
            line.put("ratio", Numbers.ratio(one.ratio()));
            line.put("p", Numbers.p(one.p()));
            line.put("verdict", ComparisonTable.verdict(one.verdict(), better));
            line.put("look", look(one.verdict(), better));
            verdicts.add(line);
        }
        return verdicts;
    }

    private static Row row(LabResult result, Compared one) {
        return result.rows().stream()
                .filter(row -> row.scenario().equals(one.scenario())
                        && row.metric().equals(one.metric())
                        && row.arm().equals(one.other()))
                .findFirst()
                .orElseThrow();
    }

    private static String look(Verdict verdict, Better better) {
        return switch (verdict) {
            case LOWER -> better == Better.NEITHER ? "" : better == Better.LOWER ? "good" : "bad";
            case HIGHER -> better == Better.NEITHER ? "" : better == Better.HIGHER ? "good" : "bad";
            case SAME -> "";
            case UNSTABLE, TOO_FEW -> "warn";
        };
    }

    /** One for each scenario and metric. */
    private static List<Map<String, String>> plots(LabResult result) {
        Map<List<String>, Map<String, String>> plots = new LinkedHashMap<>();
        for (Row row : result.rows()) {
            Map<String, String> plot = plots.computeIfAbsent(
                    List.of(row.scenario(), row.metric()),
                    key -> new HashMap<>(Map.of(
                            "scenario",
                            row.scenario(),
                            "metric",
                            row.metric(),
                            "unit",
                            row.unit(),
                            "better",
                            row.better() == Better.NEITHER ? "" : " · " + row.better() + " is better",
                            "label",
                            row.metric() + " in " + row.scenario() + ", medians:")));
            plot.merge(
                    "label",
                    " " + row.arm() + " " + Numbers.shown(row.median()) + " " + row.unit() + ";",
                    String::concat);
        }
        return List.copyOf(plots.values());
    }

    private static List<Map<String, Object>> tables(LabResult result) {
        List<Map<String, Object>> tables = new ArrayList<>();
        for (String scenario : ComparisonTable.scenarios(result)) {
            List<Map<String, Object>> lines = ComparisonTable.lines(result, scenario).stream()
                    .map(line -> Map.<String, Object>of("cells", cells(line)))
                    .toList();
            tables.add(Map.of("scenario", scenario, "columns", cells(ComparisonTable.COLUMNS), "lines", lines));
        }
        return tables;
    }

    private static List<Map<String, String>> cells(List<String> texts) {
        return IntStream.range(0, texts.size())
                .mapToObj(i -> Map.of("text", texts.get(i), "style", ComparisonTable.TEXT.contains(i) ? "t" : ""))
                .toList();
    }

    private static List<Map<String, String>> runs(LabResult result) {
        return result.runs().stream()
                .map(run -> Map.of(
                        "scenario",
                        run.scenario(),
                        "arm",
                        run.arm(),
                        "round",
                        Integer.toString(run.round() + 1),
                        "seconds",
                        String.format(Locale.ROOT, "%.2f", run.seconds()),
                        "foreign",
                        run.foreignPercent() == null
                                ? "unknown"
                                : String.format(Locale.ROOT, "%.1f %%", run.foreignPercent()),
                        "attempts",
                        run.attempts() + (run.disturbed() ? ", disturbed" : "")))
                .toList();
    }

    /** A script whose text cannot end its own element, and names no file beside it. */
    private static String asScript(String text) {
        return text.replace("</script", "<\\/script").replaceAll("(?m)^//# sourceMappingURL=.*$", "");
    }

    private static String chartsVersion() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = open("/" + CHARTS_VERSION)) {
            properties.load(in);
        }
        return properties.getProperty("version");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = open(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static InputStream open(String name) throws IOException {
        InputStream in = HtmlReport.class.getResourceAsStream(name);
        if (in == null) {
            throw new IOException("this build lacks " + name);
        }
        return in;
    }
}
