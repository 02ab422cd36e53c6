// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A count with one writer and any number of readers. */
final class Counter {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(Counter.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long value;

    /** By the one writer only. */
    void increment() {
        VALUE.setOpaque(this, value + 1);
    }

    long get() {
        return (long) VALUE.getOpaque(this);
    }
}
