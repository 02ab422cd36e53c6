// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.carrier;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. Answers "which platform thread carries me" at the price of a register read, and "is it one of ours".
 *
 * The way. Thread.currentCarrierThread is an intrinsic; reached through a static final method handle it compiles to the
 * same load. A handle held anywhere else (an instance field, a non-final static) costs ten times as much.
 *
 * Without --add-opens java.base/java.lang the method is out of reach: then nothing is known about carriers, no carrier
 * of ours can exist in this JVM (building one needs the same access), and every question here has a quick safe answer.
 *
 * The superclass of Carrier lives in a package that java.base does not export. The export is added here, before anything
 * can load Carrier; that is why Carrier is only ever reached through this class.
 */
/** Looks up the carrier of the calling code. */
public final class CurrentCarrier {
    private static final @Nullable MethodHandle CURRENT = openRoad();
    private static final MethodHandle YIELD = osYield();

    private CurrentCarrier() {}

    /**
     * Tells whether the JVM lets Evenweave see carriers: true with {@code --add-opens java.base/java.lang}.
     *
     * @return whether {@link #thread()} is exact and {@link #get()} can return a carrier
     */
    public static boolean isVisible() {
        return CURRENT != null;
    }

    /**
     * Returns the carrier of Evenweave that runs the calling code, or null on any other thread.
     *
     * <p>The answer holds until the calling virtual thread parks, yields or blocks: do not keep it across such a call.
     *
     * @return the carrier, or null
     */
    public static @Nullable Carrier get() {
        MethodHandle current = CURRENT;
        if (current == null) {
            return null;
        }
        try {
            return (Thread) current.invokeExact() instanceof Carrier carrier ? carrier : null;
        } catch (RuntimeException | Error e) {
            throw e; // StackOverflowError, most likely
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Returns the platform thread that runs the calling code; where carriers are not visible, the current thread.
     *
     * @return the platform thread, or the current (perhaps virtual) thread if {@link #isVisible()} is false
     */
    public static Thread thread() {
        MethodHandle current = CURRENT;
        if (current == null) {
            return Thread.currentThread();
        }
        try {
            return (Thread) current.invokeExact();
        } catch (RuntimeException | Error e) {
            throw e; // StackOverflowError, most likely
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Offers the processor of the machine to another platform thread, without unmounting a virtual thread and without
     * touching its park permit: what a spin lock does when its holder may have been descheduled.
     */
    public static void yieldPlatformThread() {
        try {
            YIELD.invokeExact();
        } catch (RuntimeException | Error e) {
            throw e; // StackOverflowError, most likely
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static @Nullable MethodHandle openRoad() {
        try {
            Method current = Thread.class.getDeclaredMethod("currentCarrierThread");
            current.setAccessible(true);
            export("jdk.internal.misc");
            return MethodHandles.lookup().unreflect(current);
        } catch (InaccessibleObjectException | ReflectiveOperationException e) {
            return null;
        }
    }

    /**
     * Exports a package of java.base to Evenweave's module for the rest of the JVM's life.
     *
     * @param packageName the package
     * @throws ReflectiveOperationException if the JDK has no such door
     * @throws InaccessibleObjectException if java.lang is not open to Evenweave
     */
    public static void export(String packageName) throws ReflectiveOperationException {
        letIn("implAddExports", packageName);
    }

    /**
     * Opens a package of java.base to Evenweave's module for the rest of the JVM's life.
     *
     * @param packageName the package
     * @throws ReflectiveOperationException if the JDK has no such door
     * @throws InaccessibleObjectException if java.lang is not open to Evenweave
     */
    public static void open(String packageName) throws ReflectiveOperationException {
        letIn("implAddOpens", packageName);
    }

    private static void letIn(String door, String packageName) throws ReflectiveOperationException {
        Method method = Module.class.getDeclaredMethod(door, String.class, Module.class);
        method.setAccessible(true);
        method.invoke(Object.class.getModule(), packageName, CurrentCarrier.class.getModule());
    }

    private static MethodHandle osYield() {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodType type = MethodType.methodType(void.class);
        try {
            if (CURRENT != null) {
                Method yield = Thread.class.getDeclaredMethod("yield0");
                yield.setAccessible(true);
                return lookup.unreflect(yield);
            }
            return lookup.findStatic(CurrentCarrier.class, "yieldIfPlatform", type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through YIELD
    private static void yieldIfPlatform() {
        if (Thread.currentThread().isVirtual()) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }
}
