// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where the runs were made.
 *
 * @param model of the processor
 * @param jdk version and vendor
 * @param flags of the JVMs that ran
 */
public record Machine(int cpus, String model, String jdk, List<String> flags, String os) {

    /** This machine. */
    public static Machine here(List<String> flags) {
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                processor(),
                Runtime.version() + " " + System.getProperty("java.vendor.version", System.getProperty("java.vendor")),
                flags,
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
