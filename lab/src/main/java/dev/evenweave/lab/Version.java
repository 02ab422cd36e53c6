// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version, the commit that it was built from, and the JDK that runs it. */
final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() throws IOException {
        Properties built = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                built.load(in);
            }
        }
        String commit = built.getProperty("commit", "");
        // Without git at build time the placeholder stays as it is.
        String from = commit.isEmpty() || commit.startsWith("$") ? "" : " (" + commit + ")";
        return new String[] {
            "evenweave " + built.getProperty("version", "unknown") + from,
            "Java " + Runtime.version() + ", " + System.getProperty("java.vm.name")
        };
    }
}
