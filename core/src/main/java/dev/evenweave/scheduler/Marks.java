// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/*
 * Purpose. Tells a checkpoint in a few instructions that nobody in the JVM has been asked to make room: the usual case.
 *
 * Invariants. I1: the count is the number of marked workers of all schedulers, simulated ones left out.
 *
 * Memory order. The poll reads opaque: a plain read would be hoisted out of a loop and never see a request. Nothing else
 * is published through the count, so no more is needed.
 */
/** How many running threads of all schedulers have been asked to make room. */
final class Marks {
    private static final VarHandle COUNT;

    static {
        try {
            COUNT = MethodHandles.lookup().findStaticVarHandle(Marks.class, "count", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through COUNT
    private static volatile int count;

    private Marks() {}

    static boolean any() {
        return (int) COUNT.getOpaque() != 0;
    }

    static void added() {
        COUNT.getAndAdd(1);
    }

    static void removed() {
        COUNT.getAndAdd(-1);
    }
}
