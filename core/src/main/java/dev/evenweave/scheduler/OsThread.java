// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. Asks the operating system whether a platform thread is blocked. Java's own Thread.getState() says RUNNABLE of a
 * thread that is blocked in a system call or waits for a class to be initialized by another.
 *
 * How. On Linux a thread reads its own number from the link /proc/thread-self, and anyone reads the letter of its state from
 * /proc/PID/task/TID/stat. R is running or waiting for a processor of the machine, which is no reason to take a thread for
 * blocked; S and D are blocked. Elsewhere nothing is known, and nothing is ever blocked.
 *
 * Why not the thread's processor time, which the management API reads on every platform. A thread that the machine gives no
 * processor does not use any either.
 */
/** A platform thread as the operating system knows it. */
final class OsThread {
    static final OsThread UNKNOWN = new OsThread(null);

    private static final String SELF = "/proc/thread-self";

    /** Enough for the number, the name (15 bytes at most, in parentheses) and the letter. */
    private static final int PREFIX = 64;

    private final @Nullable String statFile;

    private OsThread(@Nullable String statFile) {
        this.statFile = statFile;
    }

    /** The calling platform thread; {@link #UNKNOWN} if this cannot be told, also for want of memory. */
    static OsThread current() {
        try {
            String folder = new File(SELF).getCanonicalPath();
            return folder.equals(SELF) ? UNKNOWN : new OsThread(folder + "/stat");
        } catch (IOException | RuntimeException | Error e) {
            return UNKNOWN; // a carrier must start in any case
        }
    }

    /** Whether it is blocked at this moment; false if that cannot be known. */
    boolean isBlocked() {
        if (statFile == null) {
            return false;
        }
        byte[] prefix = new byte[PREFIX];
        int length;
        try (FileInputStream in = new FileInputStream(statFile)) {
            length = in.read(prefix);
        } catch (IOException e) {
            return false; // ended meanwhile
        }
        return length > 0 && isBlocked(new String(prefix, 0, length, StandardCharsets.ISO_8859_1));
    }

    /** Reads {@code number (name) letter ...}; a name may hold parentheses and blanks. */
    static boolean isBlocked(String stat) {
        int end = stat.lastIndexOf(')');
        if (end < 0 || end + 2 >= stat.length()) {
            return false;
        }
        char state = stat.charAt(end + 2);
        return state == 'S' || state == 'D';
    }
}
