// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

/*
 * Purpose. Gets control before the main class of a program whose command line cannot be changed: the JVM makes the class
 * named by -Djava.system.class.loader its system loader, and loads the main class (and before it, each agent) through it.
 *
 * Why not in the constructor. While it runs there is no system class loader, and no thread can be made without one.
 */
/**
 * A system class loader that takes the JVM's virtual threads over when it is asked for its first class, and else leaves
 * everything to the JDK's:
 *
 * <pre>
 * JDK_JAVA_OPTIONS="-Xbootclasspath/a:/path/evenweave-agent.jar -Djava.system.class.loader=dev.evenweave.launch.SystemLoader
 *     --add-opens=java.base/java.lang=ALL-UNNAMED"
 * </pre>
 */
public final class SystemLoader extends ClassLoader {
    static {
        registerAsParallelCapable();
    }

    /** Set before the take-over starts: that loads classes, too. */
    private volatile boolean taken;

    /**
     * Called by the JVM.
     *
     * @param parent the JDK's own application class loader
     */
    public SystemLoader(ClassLoader parent) {
        super(parent);
        if (System.getProperty("jdk.module.main") != null && Entry.isNewEnough()) {
            // The main class of a module is not loaded through the system loader: this one would never be asked.
            try {
                Entry.call("Program", "refuseModule", new Class<?>[0]);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!taken) {
            taken = true;
            takeOver();
        }
        return super.loadClass(name, resolve);
    }

    private static void takeOver() {
        if (!Entry.isNewEnough()) {
            if (!Entry.isToContinue(null)) {
                System.exit(1);
            }
            return;
        }
        try {
            Entry.call("Program", "hook", new Class<?>[0]);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** What the JVM calls to put an agent's jar on the class path. */
    void appendToClassPathForInstrumentation(String path) throws Exception {
        try {
            Entry.call(
                    "Doors", "appendToClassPath", new Class<?>[] {ClassLoader.class, String.class}, getParent(), path);
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
