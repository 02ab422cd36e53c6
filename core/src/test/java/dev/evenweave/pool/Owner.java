// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicReference;

/** A platform thread that does what it is told, step by step. */
final class Owner {
    private final SynchronousQueue<Runnable> steps = new SynchronousQueue<>();
    private final SynchronousQueue<AtomicReference<Throwable>> done = new SynchronousQueue<>();
    final Thread thread = Thread.ofPlatform().daemon().start(this::work);

    /** Runs a step in the thread, and returns when it is over. */
    void run(Runnable step) throws InterruptedException {
        steps.put(step);
        Throwable thrown = done.take().get();
        if (thrown != null) {
            throw new AssertionError(thrown);
        }
    }

    /** Ends the thread. */
    void end() throws InterruptedException {
        run(() -> Thread.currentThread().interrupt());
        thread.join();
    }

    private void work() {
        while (!Thread.currentThread().isInterrupted()) {
            AtomicReference<Throwable> result = new AtomicReference<>();
            try {
                steps.take().run();
            } catch (Throwable e) {
                result.set(e);
            }
            boolean last = Thread.interrupted();
            try {
                done.put(result);
            } catch (InterruptedException e) {
                return;
            }
            if (last) {
                return;
            }
        }
    }
}
