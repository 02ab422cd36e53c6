// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.carrier;

/** May reach into the JDK. */
public final class Carries {
    void open(java.lang.reflect.Field field) {
        field.setAccessible(true);
    }
}
