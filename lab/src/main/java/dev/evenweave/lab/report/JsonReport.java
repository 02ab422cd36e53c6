// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.report;

import java.nio.file.Path;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The result file. */
public final class JsonReport {

    public static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private JsonReport() {}

    public static void write(LabResult result, Path file) {
        MAPPER.writeValue(file, result);
    }

    static String text(LabResult result) {
        return MAPPER.writeValueAsString(result);
    }
}
