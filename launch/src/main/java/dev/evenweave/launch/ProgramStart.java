// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Optional;
import jdk.internal.misc.MethodFinder;
import sun.launcher.LauncherHelper;

/*
 * Purpose. Finds and calls the program's main method as the java command does: through the JDK's own LauncherHelper, so that
 * manifests (Class-Path, Add-Opens, Launcher-Agent-Class, Enable-Native-Access), error messages, exit codes and the newer
 * kinds of main methods are what the user is used to.
 */
/** What to start, as the java command takes it. */
record ProgramStart(Mode mode, String what, List<String> arguments) {

    /** The numbers that LauncherHelper gives them. */
    enum Mode {
        CLASS(1),
        JAR(2),
        MODULE(3),
        SOURCE(4);

        final int code;

        Mode(int code) {
            this.code = code;
        }
    }

    /** What the JDK runs for {@code java Program.java}: the file's name is its first argument. */
    static final String SOURCE_LAUNCHER = "jdk.compiler/com.sun.tools.javac.launcher.SourceLauncher";

    ProgramStart {
        arguments = List.copyOf(arguments);
    }

    /** Reads {@code Main|-jar FILE|-m MODULE[/CLASS]|-source FILE} and the program's arguments. */
    static Optional<ProgramStart> parse(List<String> words) {
        if (words.isEmpty()) {
            return Optional.empty();
        }
        String first = words.getFirst();
        Mode mode = switch (first) {
            case "-jar" -> Mode.JAR;
            case "-m" -> Mode.MODULE;
            case "-source" -> Mode.SOURCE;
            default -> Mode.CLASS;
        };
        if (mode == Mode.CLASS) {
            return first.startsWith("-")
                    ? Optional.empty()
                    : Optional.of(new ProgramStart(mode, first, words.subList(1, words.size())));
        }
        if (words.size() < 2) {
            return Optional.empty();
        }
        return Optional.of(
                mode == Mode.SOURCE
                        ? new ProgramStart(mode, SOURCE_LAUNCHER, words.subList(1, words.size()))
                        : new ProgramStart(mode, words.get(1), words.subList(2, words.size())));
    }

    /** Starts the program; what its main method throws is thrown here as it is. */
    void run() throws Throwable {
        hideLauncher();
        Doors.export("jdk.internal.misc");
        Doors.export("sun.launcher");
        Class<?> type = LauncherHelper.checkAndLoadMain(true, mode.code, what);
        Method main = MethodFinder.findMainMethod(type);
        Module module = main.getDeclaringClass().getModule();
        if (module.isNamed()) {
            Doors.openToLauncher(module, main.getDeclaringClass().getPackageName());
        }
        main.setAccessible(true);
        Object[] parameters =
                main.getParameterCount() == 0 ? new Object[0] : new Object[] {arguments.toArray(String[]::new)};
        try {
            main.invoke(Modifier.isStatic(main.getModifiers()) ? null : instance(type, module), parameters);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Object instance(Class<?> type, Module module) throws ReflectiveOperationException, Refusal {
        if (module.isNamed()) {
            Doors.openToLauncher(type.getModule(), type.getPackageName());
        }
        var constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    /** Lets the system properties say what they would without the launcher. */
    private void hideLauncher() {
        String path = System.getProperty("java.class.path", "");
        String separator = System.getProperty("path.separator", ":");
        int last = path.lastIndexOf(separator);
        if (last >= 0 && path.endsWith("evenweave-agent.jar")) {
            System.setProperty("java.class.path", path.substring(0, last));
        }
        String program = mode == Mode.SOURCE || arguments.isEmpty() ? what : what + " " + String.join(" ", arguments);
        System.setProperty("sun.java.command", program);
    }
}
