// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import dev.evenweave.scheduler.Scheduler;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;

/** Puts every virtual thread that this JVM will create on Evenweave, or says why it cannot. */
final class TakeOver {
    private TakeOver() {}

    /**
     * Takes over, before the program has used virtual threads.
     *
     * @return the scheduler; the one that the JVM already has, if it has been taken over before
     */
    static Scheduler install(Options options) throws BadOption, Refusal {
        Scheduler present = Scheduler.ofJvm();
        if (present != null) {
            return present;
        }
        if (!Doors.isJavaLangOpen()) {
            throw new Refusal("java.lang is not open: start java with --add-opens java.base/java.lang=ALL-UNNAMED");
        }
        Doors.openJavaLangToScheduler();
        Doors.export("jdk.internal.misc");
        if (!DefaultScheduler.isUntouched()) {
            throw new Refusal(
                    "virtual threads have been used in this JVM before Evenweave could take them over: start it with"
                            + " ./evenweave run, or put -javaagent:evenweave-agent.jar before all other agents");
        }
        Field field = new Field();
        try {
            return options.scheduler().buildForJvm(field::set);
        } catch (IllegalStateException | UnsupportedOperationException e) {
            if (field.refusal != null) {
                throw field.refusal;
            }
            field.restore();
            throw new Refusal(String.valueOf(e.getMessage()), e);
        }
    }

    /** What was written, so that a take-over that fails half-way leaves no trace. */
    private static final class Field {
        private @Nullable ForkJoinPool before;
        private @Nullable Refusal refusal;

        void set(ForkJoinPool scheduler) {
            try {
                before = DefaultScheduler.replace(scheduler);
            } catch (Refusal e) {
                refusal = e;
                throw new IllegalStateException(e);
            }
        }

        void restore() throws Refusal {
            if (before != null) {
                DefaultScheduler.replace(before);
            }
        }
    }
}
