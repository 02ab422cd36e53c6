// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.compare;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.report.JsonReport;
import dev.evenweave.lab.report.LabResult;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.JsonNode;

/** Reads a file of measurements, whichever of the known kinds it is. */
public final class ResultFiles {

    private static final String KINDS = "JMH JSON (-rf json), Go benchmark text, or a result file of the lab";

    private ResultFiles() {}

    /** Reads a file; {@code name} is how the user calls it. */
    public static Measured read(String name, Path file) {
        String text = text(name, file);
        String start = text.stripLeading();
        if (start.isEmpty()) {
            throw new UserError(name + " is empty: give " + KINDS);
        }
        Measured measured = new Measured(name);
        if (start.startsWith("[") || start.startsWith("{")) {
            JsonNode json = json(name, text);
            if (JmhResults.looksLike(json)) {
                JmhResults.read(name, json, measured);
            } else if (json.path("schema").asString("").equals(LabResult.SCHEMA)) {
                readLab(name, json, measured);
            } else {
                throw new UserError(name + " is JSON of an unknown kind: give " + KINDS);
            }
        } else {
            List<String> lines = text.lines().toList();
            if (!GoBenchmarks.looksLike(lines)) {
                throw new UserError(name + " has no benchmark line: give " + KINDS);
            }
            GoBenchmarks.read(lines, measured);
        }
        if (measured.entries().isEmpty()) {
            throw new UserError(name + " has no values: give " + KINDS);
        }
        return measured;
    }

    private static String text(String name, Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new UserError(name + ": there is no such file", e);
        } catch (MalformedInputException e) {
            throw new UserError(name + " is no text: give " + KINDS, e);
        } catch (IOException e) {
            throw new UserError(name + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static JsonNode json(String name, String text) {
        try {
            return JsonReport.MAPPER.readTree(text);
        } catch (JacksonException e) {
            TokenStreamLocation at = e.getLocation();
            throw new UserError(
                    name + " is broken JSON"
                            + (at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr()) + ": "
                            + e.getOriginalMessage(),
                    e);
        }
    }

    private static void readLab(String name, JsonNode json, Measured into) {
        LabResult result;
        try {
            result = JsonReport.MAPPER.treeToValue(json, LabResult.class);
        } catch (JacksonException e) {
            throw new UserError(
                    name + " says schema " + LabResult.SCHEMA + " and does not keep it: " + e.getOriginalMessage(), e);
        }
        if (result.rows() == null) {
            throw new UserError(name + " says schema " + LabResult.SCHEMA + " and has no rows");
        }
        boolean severalArms =
                result.rows().stream().map(LabResult.Row::arm).distinct().count() > 1;
        for (LabResult.Row row : result.rows()) {
            if (row.scenario() == null || row.metric() == null || row.unit() == null || row.values() == null) {
                throw new UserError(name + " has a row without scenario, metric, unit or values");
            }
            String scenario = severalArms ? row.scenario() + ", " + row.arm() : row.scenario();
            for (Double value : row.values()) {
                into.add(scenario, row.metric(), row.unit(), row.better(), value);
            }
        }
    }
}
