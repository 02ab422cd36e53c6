// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import dev.evenweave.wait.WaitQueue;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Turns the results of a {@link WaitQueue} into Java's manners. */
final class Results {
    private Results() {}

    /** Throws what the result of an untimed wait stands for, unless it was granted. */
    static void check(WaitQueue queue, long result) throws InterruptedException {
        if (result != WaitQueue.GRANTED) {
            throwInterrupted(result);
            throw closed(queue);
        }
    }

    /** The same for a timed wait: false says that the time was over. */
    static boolean checkTimed(WaitQueue queue, long result) throws InterruptedException {
        if (result == WaitQueue.TIMED_OUT) {
            return false;
        }
        check(queue, result);
        return true;
    }

    /** The same for a wait that no interrupt ends. */
    static void checkUninterruptible(WaitQueue queue, long result) {
        if (result != WaitQueue.GRANTED) {
            throw closed(queue);
        }
    }

    /** What an attempt to take without waiting, or a callback, came to: whether it was granted at once. */
    static boolean checkNow(WaitQueue queue, long result) {
        if (result < 0) {
            throw closed(queue);
        }
        return result == WaitQueue.GRANTED;
    }

    private static void throwInterrupted(long result) throws InterruptedException {
        if (result == WaitQueue.INTERRUPTED) {
            Thread.interrupted();
            throw new InterruptedException();
        }
    }

    /** What an interruptible method does on entry. */
    static void checkInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    static ClosedException closed(WaitQueue queue) {
        return ClosedException.thrown(queue.reason());
    }

    static long nanos(Duration timeout) {
        return TimeUnit.NANOSECONDS.convert(timeout);
    }

    static void checkCount(String what, long n) {
        if (n < 0) {
            throw new IllegalArgumentException(what + " must not be negative: " + n);
        }
    }
}
