// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.report;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/** One line for each value that was measured. */
public final class CsvReport {

    private CsvReport() {}

    public static void write(LabResult result, Path file) throws IOException {
        CSVFormat format = CSVFormat.RFC4180
                .builder()
                .setHeader("experiment", "scenario", "arm", "metric", "unit", "better", "run", "value")
                .get();
        try (Writer out = Files.newBufferedWriter(file);
                CSVPrinter csv = new CSVPrinter(out, format)) {
            for (LabResult.Row row : result.rows()) {
                for (int run = 0; run < row.values().size(); run++) {
                    csv.printRecord(
                            result.experiment(),
                            row.scenario(),
                            row.arm(),
                            row.metric(),
                            row.unit(),
                            row.better(),
                            run + 1,
                            row.values().get(run));
                }
            }
        }
    }
}
