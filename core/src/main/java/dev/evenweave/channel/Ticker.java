// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Purpose. Time as a channel. One daemon thread of the platform, shared by all tickers and there only while one of them
// is set, sends the time into channels with one place; it never waits for a receiver.
//
// Why not simpler. A virtual thread that sleeps per ticker would tick late beside threads that hold the carriers, and a
// timeout is wanted most when something hogs the processor.

/**
 * Sends the time into a channel, once or again and again, to be one of the cases of a select. The channel has one place:
 * a tick that finds the last one still there is dropped, so a slow receiver is not flooded.
 *
 * <p>For a limit on the waiting of one select, {@link Selector#select(Duration)} and {@link Select#orTimeout} are simpler.
 */
public final class Ticker implements AutoCloseable {
    private static final ScheduledThreadPoolExecutor CLOCK = clock();

    private final Channel<Instant> channel = Channel.buffered(1);
    private final boolean repeats;
    private @Nullable ScheduledFuture<?> task;

    private Ticker(boolean repeats) {
        this.repeats = repeats;
    }

    private static ScheduledThreadPoolExecutor clock() {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("evenweave-ticker").factory());
        clock.setRemoveOnCancelPolicy(true);
        clock.setKeepAliveTime(10, TimeUnit.SECONDS);
        clock.allowCoreThreadTimeOut(true);
        return clock;
    }

    /**
     * Ticks once, when the time has passed.
     *
     * @param delay zero or less: at once
     */
    public static Ticker after(Duration delay) {
        Ticker ticker = new Ticker(false);
        ticker.reset(delay);
        return ticker;
    }

    /**
     * Ticks again and again, the first time when the period has passed.
     *
     * @param period more than zero
     * @throws IllegalArgumentException if the period is zero or less
     */
    public static Ticker every(Duration period) {
        Ticker ticker = new Ticker(true);
        ticker.reset(period);
        return ticker;
    }

    /** Where the ticks come. It is not closed when the ticker is: a select simply never takes this case any more. */
    public ReceiveChannel<Instant> channel() {
        return channel;
    }

    /**
     * Starts again with another delay or period. A tick that was not received is dropped, as by
     * {@link #close}.
     *
     * @param time the delay, or the period
     * @throws IllegalArgumentException if it repeats and the period is zero or less
     */
    public void reset(Duration time) {
        long nanos = Channel.nanos(time);
        if (repeats && nanos <= 0) {
            throw new IllegalArgumentException("a ticker needs a period of more than zero: " + time);
        }
        stop();
        task = repeats
                ? CLOCK.scheduleAtFixedRate(this::tick, nanos, nanos, TimeUnit.NANOSECONDS)
                : CLOCK.schedule(this::tick, nanos, TimeUnit.NANOSECONDS);
    }

    private void tick() {
        channel.trySend(Instant.now());
    }

    /**
     * Stops; a tick that was not received is dropped, but one that is being sent right now may still come. Closing again
     * does nothing.
     */
    @Override
    public void close() {
        stop();
    }

    private void stop() {
        ScheduledFuture<?> present = task;
        if (present != null) {
            present.cancel(false);
            task = null;
        }
        channel.tryReceive();
    }
}
