// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.scheduler;

/** May reach into the JDK, in a nested class too. */
public final class VirtualThreads {
    static final class Nested {
        void open(java.lang.reflect.Field field) {
            field.setAccessible(true);
        }
    }
}
