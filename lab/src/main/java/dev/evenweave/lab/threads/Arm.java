// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.threads;

import dev.evenweave.scheduler.Scheduler;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadFactory;

/** The schedulers that are compared. */
enum Arm {
    /** The JDK's own. */
    JDK {
        @Override
        ThreadFactory factory(int processors) {
            return Thread.ofVirtual().factory();
        }
    },
    EVENWEAVE {
        @Override
        ThreadFactory factory(int processors) {
            // Never closed: the process ends with the run.
            return Scheduler.builder().parallelism(processors).build().newThreadFactory();
        }
    },
    /**
     * One slot and one thread that runs what lies in it: not a scheduler, but the least that could be one. What it takes is
     * the JDK's own share of a switch, below which no scheduler can get. It has one processor, however many are asked for.
     */
    FLOOR {
        @Override
        ThreadFactory factory(int processors) {
            return Floor.threads();
        }
    };

    abstract ThreadFactory factory(int processors);

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Arm of(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT));
    }

    static List<String> labels(Arm... arms) {
        return Arrays.stream(arms).map(Arm::label).toList();
    }

    /** The flags of a run's JVM. */
    static List<String> flags(int processors, List<String> more) {
        List<String> flags = new ArrayList<>();
        flags.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
        flags.add("-Djdk.virtualThreadScheduler.parallelism=" + processors);
        flags.addAll(more);
        return flags;
    }
}
