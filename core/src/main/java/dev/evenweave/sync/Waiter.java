// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import dev.evenweave.wait.CallbackWaiter;
import dev.evenweave.wait.WaitQueue;
import org.jspecify.annotations.Nullable;

/**
 * Waits by callback instead of standing still: the face for authors of frameworks, free of allocation since one object
 * serves any number of waits, one after the other.
 *
 * <p>Hand it to a method such as {@link Semaphore#acquire(long, Waiter)}. That returns true if there was nothing to wait
 * for, and then {@link #completed} is not called; it returns false if the waiter was put into the queue, and then
 * {@code completed} is called exactly once, unless {@code cancel} takes the waiter out before that.
 *
 * <p>A waiter waits at one place at a time: using it again before it was called or cancelled throws
 * {@link IllegalStateException}. Inside {@code completed} it is free again.
 */
public abstract class Waiter {
    private final Node node = new Node(this);

    /** For subclasses. */
    protected Waiter() {}

    /**
     * The wait is over, and the waiter has what it waited for unless there is a failure.
     *
     * <p>Runs on the thread that released, outside every lock. It should be short and must not block: the releaser waits
     * for it.
     *
     * @param failure null if the waiter got what it waited for; {@link ClosedException}, without a stack
     *     trace, if that was closed
     */
    protected abstract void completed(@Nullable Throwable failure);

    final CallbackWaiter node() {
        return node;
    }

    private static final class Node extends CallbackWaiter {
        private final Waiter owner;

        Node(Waiter owner) {
            this.owner = owner;
        }

        @Override
        protected void completed(WaitQueue queue, long result) {
            if (agent() instanceof RwLock.UpgradableLock lock) {
                lock.granted(owner, queue);
            } else {
                owner.completed(result == WaitQueue.GRANTED ? null : ClosedException.told(queue.reason()));
            }
        }
    }
}
