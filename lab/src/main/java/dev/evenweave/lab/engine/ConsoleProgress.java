// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import java.io.Console;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;

/** On the error stream: a bar with the time left when a person watches, else a line for each run. */
public final class ConsoleProgress {

    private ConsoleProgress() {}

    /**
     * Starts to show the progress.
     *
     * @param runs how many runs there will be, the uncounted ones too
     */
    @SuppressWarnings("SystemConsoleNull") // a JVM can be told to have none
    public static Progress start(String experiment, int runs) {
        Console console = System.console();
        return console != null && console.isTerminal() ? bar(experiment, runs) : lines(System.err, runs);
    }

    private static Progress bar(String experiment, int runs) {
        ProgressBar bar = new ProgressBarBuilder()
                .setTaskName(experiment)
                .setInitialMax(runs)
                .setUpdateIntervalMillis(500)
                .setConsumer(new ConsoleProgressBarConsumer(System.err))
                .build();
        return new Progress() {
            @Override
            public void ran(String line) {
                bar.setExtraMessage(line);
                bar.step();
            }

            @Override
            public void note(String line) {
                bar.setExtraMessage(line);
                // A run more than was planned for.
                bar.maxHint(bar.getMax() + 1);
                bar.step();
            }

            @Override
            public void close() {
                bar.close();
            }
        };
    }

    static Progress lines(PrintStream out, int runs) {
        long start = System.nanoTime();
        return new Progress() {
            private int done;

            @Override
            public void ran(String line) {
                done++;
                double passed = (System.nanoTime() - start) / 1e9;
                Duration left = Duration.ofSeconds(Math.round(passed / done * (runs - done)));
                out.printf(Locale.ROOT, "run %d of %d, %s left: %s%n", done, runs, shown(left), line);
            }

            @Override
            public void note(String line) {
                out.println(line);
            }

            @Override
            public void close() {
                out.flush();
            }
        };
    }

    private static String shown(Duration time) {
        return time.toMinutes() > 0
                ? time.toMinutes() + " min " + time.toSecondsPart() + " s"
                : time.toSecondsPart() + " s";
    }
}
