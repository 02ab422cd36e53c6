// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.command;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.report.CsvReport;
import dev.evenweave.lab.report.HtmlReport;
import dev.evenweave.lab.report.JsonReport;
import dev.evenweave.lab.report.LabResult;
import dev.evenweave.lab.report.MarkdownReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;

/** The files that a result is written to, beside the table. */
public final class ReportOptions {

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result file (schema evenweave-lab/1).")
    private @Nullable Path json;

    @Option(names = "--csv", paramLabel = "FILE", description = "Write every value, one a line.")
    private @Nullable Path csv;

    @Option(names = "--markdown", paramLabel = "FILE", description = "Write the table as Markdown.")
    private @Nullable Path markdown;

    @Option(names = "--html", paramLabel = "FILE", description = "Write a page with plots that needs no network.")
    private @Nullable Path html;

    /** Refuses files that could not be written, before anything is measured. */
    public void check() {
        check("--json", json);
        check("--csv", csv);
        check("--markdown", markdown);
        check("--html", html);
    }

    private static void check(String option, @Nullable Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || Files.isDirectory(file)) {
            throw new UserError(option + " " + file + " is a folder: name a file in it");
        }
        if (!Files.isDirectory(folder)) {
            throw new UserError(option + " " + file + ": there is no folder " + folder + ": create it first");
        }
        if (!Files.isWritable(Files.exists(file) ? file : folder)) {
            throw new UserError(option + " " + file + " cannot be written: choose another place");
        }
    }

    /** Writes what was asked for. A file that fails does not keep the others from being written. */
    public void write(LabResult result) {
        StringBuilder failed = new StringBuilder();
        write(json, file -> JsonReport.write(result, file), failed);
        write(csv, file -> CsvReport.write(result, file), failed);
        write(markdown, file -> MarkdownReport.write(result, file), failed);
        write(html, file -> HtmlReport.write(result, file), failed);
        if (!failed.isEmpty()) {
            throw UserError.later("not written: " + failed);
        }
    }

    private static void write(@Nullable Path file, Report report, StringBuilder failed) {
        if (file == null) {
            return;
        }
        try {
            report.write(file);
        } catch (IOException | JacksonException e) {
            failed.append(failed.isEmpty() ? "" : ", ")
                    .append(file)
                    .append(" (")
                    .append(e.getMessage())
                    .append(')');
        }
    }

    private interface Report {
        void write(Path file) throws IOException;
    }
}
