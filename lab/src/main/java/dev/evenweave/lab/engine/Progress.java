// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

/** Tells a person how far the experiment is. Calls come from one thread. */
public interface Progress extends AutoCloseable {

    /** A run ended; {@code line} says which and how. */
    void ran(String line);

    /** Something that the person should see at once. */
    void note(String line);

    @Override
    void close();

    /** Says nothing. */
    Progress SILENT = new Progress() {
        @Override
        public void ran(String line) {}

        @Override
        public void note(String line) {}

        @Override
        public void close() {}
    };
}
