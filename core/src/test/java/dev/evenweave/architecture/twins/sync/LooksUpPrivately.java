// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.sync;

import java.lang.invoke.MethodHandles;

/** Reaches into the JDK from the wrong package. */
public final class LooksUpPrivately {
    Object wrong() throws IllegalAccessException {
        return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
    }
}
