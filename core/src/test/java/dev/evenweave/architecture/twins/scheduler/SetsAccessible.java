// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.scheduler;

import java.lang.reflect.Field;

/** Reaches into the JDK from the wrong class. */
public final class SetsAccessible {
    void wrong(Field field) {
        field.setAccessible(true);
    }
}
