// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * How a thread stops and goes on: the one seam through which tests and model checkers drive waiting threads.
 *
 * <p>The contract is that of {@link LockSupport}: an unpark that comes first makes the next park return at once, and park
 * may return for no reason.
 */
public interface Parker {
    /** Parks real threads. */
    Parker THREADS = new ThreadParker();

    /**
     * Stops the current thread until it is unparked or interrupted.
     *
     * @param blocker what thread dumps may show as the cause; null for nothing
     */
    void park(@Nullable Object blocker);

    /**
     * Stops the current thread until it is unparked or interrupted, or the time is over.
     *
     * @param blocker as {@link #park}
     */
    void parkNanos(@Nullable Object blocker, long nanos);

    /** Lets the thread go on. */
    void unpark(Thread thread);

    /** The clock of {@link #parkNanos}, as {@link System#nanoTime}. */
    long nanoTime();

    /**
     * {@link LockSupport}, where only platform threads say what they wait for. That is a reference stored and cleared for each
     * park, whose barriers cost a virtual thread a noticeable part of its switch; its stack says what it waits at, and of
     * thousands of virtual threads nobody reads the hash codes.
     */
    final class ThreadParker implements Parker {
        private ThreadParker() {}

        @Override
        public void park(@Nullable Object blocker) {
            if (Thread.currentThread().isVirtual()) {
                LockSupport.park();
            } else {
                LockSupport.park(blocker);
            }
        }

        @Override
        public void parkNanos(@Nullable Object blocker, long nanos) {
            if (Thread.currentThread().isVirtual()) {
                LockSupport.parkNanos(nanos);
            } else {
                LockSupport.parkNanos(blocker, nanos);
            }
        }

        @Override
        public void unpark(Thread thread) {
            LockSupport.unpark(thread);
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }
    }
}
