// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * The processor time used on this machine up to a moment: by all, and by this process and its finished children.
 *
 * <p>Read from {@code /proc}, so known on Linux only. Time that a hypervisor took away counts as used by others.
 *
 * @param all ticks in which some processor was busy
 * @param own ticks of this process, and of its children that have ended
 * @param passed ticks that went by, on all processors
 */
record CpuUse(long all, long own, long passed) {

    /** Over fewer ticks one of them is too large a share: 50 are a quarter of a second on two processors. */
    private static final int FEWEST_TICKS = 50;

    private static final Path MACHINE = Path.of("/proc/stat");
    private static final Path SELF = Path.of("/proc/self/stat");

    /** The use up to now, or null where it cannot be known. */
    static @Nullable CpuUse now() {
        try {
            return Files.isReadable(MACHINE) && Files.isReadable(SELF)
                    ? parse(Files.readString(MACHINE), Files.readString(SELF))
                    : null;
        } catch (IOException | RuntimeException e) {
            // A /proc of another form: as good as none.
            return null;
        }
    }

    /** Parses the two files, whose form proc(5) tells. */
    static CpuUse parse(String machine, String self) {
        String[] cpu = machine.lines().findFirst().orElseThrow().trim().split("\\s+");
        long busy = 0;
        long idle = 0;
        // user nice system idle iowait irq softirq steal; guest time is part of user already.
        for (int i = 1; i <= 8; i++) {
            long ticks = Long.parseLong(cpu[i]);
            if (i == 4 || i == 5) {
                idle += ticks;
            } else {
                busy += ticks;
            }
        }
        // The name of the command, in brackets, may have spaces and brackets of its own.
        String[] fields = self.substring(self.lastIndexOf(')') + 2).trim().split("\\s+");
        long own = 0;
        // utime stime cutime cstime are the fields 14 to 17 of the line, the first after the name being 3.
        for (int i = 11; i <= 14; i++) {
            own += Long.parseLong(fields[i]);
        }
        return new CpuUse(busy, own, busy + idle);
    }

    /** The share of the machine, in percent, that others used between the two moments; empty if unknown. */
    static OptionalDouble foreignPercent(@Nullable CpuUse before, @Nullable CpuUse after) {
        if (before == null || after == null || after.passed - before.passed < FEWEST_TICKS) {
            return OptionalDouble.empty();
        }
        long foreign = (after.all - before.all) - (after.own - before.own);
        return OptionalDouble.of(Math.max(0, 100.0 * foreign / (after.passed - before.passed)));
    }
}
