// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

/**
 * Starts a program with all its virtual threads on Evenweave:
 *
 * <pre>
 * java --add-opens java.base/java.lang=ALL-UNNAMED -cp app.jar:evenweave-agent.jar dev.evenweave.launch.Launch \
 *     [--option=value ...] Main|-jar app.jar|-m module[/Main] [argument ...]
 * </pre>
 *
 * {@code --help} lists the options. The program's exit code is this one's; what Evenweave itself has to say comes in one line
 * on the error stream, with the exit code 2 for a bad option and 1 if it cannot take over.
 */
public final class Launch {
    private Launch() {}

    /**
     * Starts the program.
     *
     * @param arguments options of Evenweave, then what to start and its arguments
     * @throws Throwable what the program's main method throws
     */
    public static void main(String[] arguments) throws Throwable {
        if (!Entry.isNewEnough()) {
            System.exit(1);
        }
        Entry.call("Program", "launch", new Class<?>[] {String[].class}, (Object) arguments);
    }
}
