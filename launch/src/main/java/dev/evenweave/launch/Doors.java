// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import dev.evenweave.scheduler.Scheduler;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;

/*
 * Purpose. The ways into java.base that a launch needs: to the field that holds the default scheduler, to the code of the java
 * command that finds a program's main method, to the loader that the JDK would have used. All of them are opened from
 * java.lang, which the user has opened.
 */
/** Opens what is closed. */
final class Doors {
    private Doors() {}

    /** Whether the user has opened java.lang to this code. */
    static boolean isJavaLangOpen() {
        return Object.class.getModule().isOpen("java.lang", Doors.class.getModule());
    }

    /** Opens java.lang to the scheduler, too: in a program made of modules that is another one than the launcher's. */
    static void openJavaLangToScheduler() throws Refusal {
        Module scheduler = Scheduler.class.getModule();
        if (!Object.class.getModule().isOpen("java.lang", scheduler)) {
            open(Object.class.getModule(), "java.lang", scheduler);
        }
    }

    /** Exports a package of java.base to this code for the rest of the JVM's life. */
    static void export(String packageName) throws Refusal {
        change("implAddExports", Object.class.getModule(), packageName, Doors.class.getModule());
    }

    /** Opens a package to this code for the rest of the JVM's life. */
    static void openToLauncher(Module module, String packageName) throws Refusal {
        open(module, packageName, Doors.class.getModule());
    }

    private static void open(Module module, String packageName, Module to) throws Refusal {
        change("implAddOpens", module, packageName, to);
    }

    private static void change(String door, Module module, String packageName, Module to) throws Refusal {
        try {
            Method method = Module.class.getDeclaredMethod(door, String.class, Module.class);
            method.setAccessible(true);
            method.invoke(module, packageName, to);
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            throw new Refusal(
                    "this JDK (" + Runtime.version() + ") does not let its package " + packageName + " be opened: " + e,
                    e);
        }
    }

    /**
     * Puts a jar on the class path of the JDK's application class loader: what that loader itself does for an agent.
     *
     * @param loader the JDK's loader
     * @param path the jar
     */
    public static void appendToClassPath(ClassLoader loader, String path) throws ReflectiveOperationException, Refusal {
        openToLauncher(Object.class.getModule(), "jdk.internal.loader");
        Method method = loader.getClass().getDeclaredMethod("appendToClassPathForInstrumentation", String.class);
        method.setAccessible(true);
        method.invoke(loader, path);
    }
}
