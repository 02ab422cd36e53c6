// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tells what a process and those that it starts use: their processor time, and the memory of the largest of them at its
 * peak. Known on Linux only. Memory is looked at every few milliseconds, so what a process does in its last ones is missed.
 */
public final class ProcessMeter {

    private static final long PERIOD_MILLIS = 5;

    /** The unit of proc(5) for processor time, on every Linux of today. */
    private static final double TICKS_PER_SECOND = 100;

    private final AtomicLong peakKilobytes = new AtomicLong();
    private @Nullable Long ticksBefore;
    private @Nullable Long ticksAfter;

    /** To be called before the process starts. */
    void begin() {
        ticksBefore = ticksOfChildren();
    }

    /** Watches until the process ends. */
    Thread watch(Process process) {
        return Thread.ofPlatform().daemon().name("process-meter").start(() -> {
            ProcessHandle handle = process.toHandle();
            try {
                while (handle.isAlive()) {
                    look(handle);
                    Thread.sleep(PERIOD_MILLIS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** To be called when the process has ended. */
    void end() {
        ticksAfter = ticksOfChildren();
    }

    /** In seconds, to a hundredth; empty if unknown. */
    public OptionalDouble cpuSeconds() {
        Long before = ticksBefore;
        Long after = ticksAfter;
        return before == null || after == null
                ? OptionalDouble.empty()
                : OptionalDouble.of((after - before) / TICKS_PER_SECOND);
    }

    /** In megabytes; empty if unknown. */
    public OptionalDouble peakMegabytes() {
        long peak = peakKilobytes.get();
        return peak == 0 ? OptionalDouble.empty() : OptionalDouble.of(peak / 1024.0);
    }

    private void look(ProcessHandle handle) {
        try (Stream<ProcessHandle> all = Stream.concat(Stream.of(handle), handle.descendants())) {
            all.forEach(this::readMemory);
        }
    }

    private void readMemory(ProcessHandle handle) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc", Long.toString(handle.pid()), "status"))) {
                if (line.startsWith("VmHWM:")) {
                    long kilobytes = Long.parseLong(line.replaceAll("\\D", ""));
                    peakKilobytes.accumulateAndGet(kilobytes, Math::max);
                }
            }
        } catch (IOException | RuntimeException e) {
            // It ended while it was looked at, or there is no /proc.
            return;
        }
    }

    /** Of the children that have ended; null if unknown. */
    private static @Nullable Long ticksOfChildren() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            // cutime and cstime, the fields 16 and 17 of the line, the first after the name being 3.
            return Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }
}
