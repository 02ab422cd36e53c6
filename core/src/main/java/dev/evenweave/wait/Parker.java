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
     * @param blocker what thread dumps show as the cause; null costs less (on G1, ten nanoseconds less)
     */
    void park(@Nullable Object blocker);

    /**
     * Stops the current thread until it is unparked or interrupted, or the time is over.
     *
     * @param blocker what thread dumps show as the cause; null costs less
     */
    void parkNanos(@Nullable Object blocker, long nanos);

    /** Lets the thread go on. */
    void unpark(Thread thread);

    /** The clock of {@link #parkNanos}, as {@link System#nanoTime}. */
    long nanoTime();

    /** {@link LockSupport}. */
    final class ThreadParker implements Parker {
        private ThreadParker() {}

        @Override
        public void park(@Nullable Object blocker) {
            LockSupport.park(blocker);
        }

        @Override
        public void parkNanos(@Nullable Object blocker, long nanos) {
            LockSupport.parkNanos(blocker, nanos);
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
