// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import java.lang.reflect.Field;
import java.util.concurrent.ForkJoinPool;
import jdk.internal.misc.Unsafe;

/*
 * Purpose. The one place where the JDK's default scheduler of virtual threads is replaced.
 *
 * How. VirtualThread keeps it in a static final field, read in the constructor. Written right after the class was
 * initialized and before anything used it, the new value is the only one that any code has ever seen.
 *
 * Why so early. Compilers take a static final field for a constant: written after the constructor was compiled, the new value
 * reaches none of the threads that compiled code creates. isUntouched() tells in time, and Scheduler.Builder.buildForJvm looks
 * afterwards where a new thread was put.
 *
 * Why not by changing the class. An agent could rewrite the method that creates the scheduler; that needs an agent, which
 * slows every switch of a virtual thread, and gains nothing over a field that nobody has read.
 */
/** The field that says on what virtual threads run. Needs jdk.internal.misc exported to this module. */
final class DefaultScheduler {
    private static final String CLASS = "java.lang.VirtualThread";
    private static final String FIELD = "DEFAULT_SCHEDULER";

    private DefaultScheduler() {}

    /** Whether no code of this JVM has had to do with virtual threads so far. */
    static boolean isUntouched() throws Refusal {
        try {
            return Unsafe.getUnsafe().shouldBeInitialized(Class.forName(CLASS, false, null));
        } catch (ClassNotFoundException e) {
            throw unknown(e);
        }
    }

    /** Replaces the scheduler and returns the one that was there. */
    static ForkJoinPool replace(ForkJoinPool scheduler) throws Refusal {
        try {
            Field field = Class.forName(CLASS, true, null).getDeclaredField(FIELD);
            if (field.getType() != ForkJoinPool.class) {
                throw new NoSuchFieldException(FIELD + " of type ForkJoinPool");
            }
            Unsafe unsafe = Unsafe.getUnsafe();
            Object base = unsafe.staticFieldBase(field);
            long offset = unsafe.staticFieldOffset(field);
            ForkJoinPool before = (ForkJoinPool) unsafe.getReferenceVolatile(base, offset);
            unsafe.putReferenceVolatile(base, offset, scheduler);
            return before;
        } catch (ReflectiveOperationException e) {
            throw unknown(e);
        }
    }

    private static Refusal unknown(ReflectiveOperationException e) {
        return new Refusal(
                "the virtual threads of this JDK (" + Runtime.version() + ") are not built as Evenweave knows them ("
                        + e + "): use JDK 25, or a newer Evenweave",
                e);
    }
}
