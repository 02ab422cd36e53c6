// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import java.lang.reflect.InvocationTargetException;

/*
 * Purpose. What the three doors (Launch, SystemLoader, Agent) have in common: find out whether this JVM is new enough, and
 * only then touch the rest, which is compiled for it. The classes beside this one are compiled for Java 8, so that an old
 * JVM answers with one clear line and not with an UnsupportedClassVersionError.
 */
/** The step from any Java to the one that the rest of this module needs. */
final class Entry {
    private static final int NEEDED = 25;

    private Entry() {}

    /** Whether this JVM can run the rest; if not, says so in one line. */
    static boolean isNewEnough() {
        int running = feature(System.getProperty("java.specification.version", "0"));
        if (running >= NEEDED) {
            return true;
        }
        System.err.println("evenweave: needs Java " + NEEDED + " or newer, and this is Java "
                + System.getProperty("java.version") + " in " + System.getProperty("java.home")
                + ": start the program with a newer java");
        return false;
    }

    /** Whether an old JVM is to run the program without Evenweave. The file of settings is not looked at so early. */
    static boolean isToContinue(String argument) {
        if (argument != null && ("," + argument + ",").contains(",on-failure=")) {
            return ("," + argument + ",").contains(",on-failure=continue,");
        }
        String property = System.getProperty("evenweave.on-failure");
        return "continue".equals(property != null ? property : System.getenv("EVENWEAVE_ON_FAILURE"));
    }

    /** 1.8 is 8. */
    static int feature(String specification) {
        String number = specification.startsWith("1.") ? specification.substring(2) : specification;
        int dot = number.indexOf('.');
        try {
            return Integer.parseInt(dot < 0 ? number : number.substring(0, dot));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Calls a static method of a class that only a new JVM can load; what that throws is thrown here as it is. */
    static Object call(String type, String method, Class<?>[] types, Object... arguments) throws Throwable {
        try {
            return Class.forName("dev.evenweave.launch." + type)
                    .getMethod(method, types)
                    .invoke(null, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
