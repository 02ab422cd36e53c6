// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.command;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns Ctrl-C, and the TERM signal, into an interrupt of the thread that measures, and holds the end of the JVM until
 * what was measured has been written.
 */
public final class StopRequest implements AutoCloseable {

    /** How long the JVM stays for the reports; they take well under a second. */
    private static final long PATIENCE_SECONDS = 20;

    private final Thread worker = Thread.currentThread();
    private final Thread hook = new Thread(this::stop, "stop-request");
    private final CountDownLatch written = new CountDownLatch(1);
    private boolean measuring = true;

    public static StopRequest listen() {
        StopRequest request = new StopRequest();
        Runtime.getRuntime().addShutdownHook(request.hook);
        return request;
    }

    /** From here on a stop waits for the reports and interrupts nothing. */
    public synchronized void measured() {
        measuring = false;
        // The request may have come too late for the runs: the reports must not see it.
        Thread.interrupted();
    }

    @Override
    public void close() {
        written.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending, so the hook is at work already and finds the latch open.
            return;
        }
    }

    private void stop() {
        synchronized (this) {
            if (measuring) {
                worker.interrupt();
            }
        }
        try {
            if (!written.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("evenweave: gave up writing the reports");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
