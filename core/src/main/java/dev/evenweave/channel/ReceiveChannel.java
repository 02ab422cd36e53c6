// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The side of a channel for those who receive. Each element goes to one receiver.
 *
 * @param <T> the type of the elements
 */
public sealed interface ReceiveChannel<T> extends Iterable<T> permits Channel {
    /**
     * Takes the oldest element: from the buffer, or of the sender that has waited longest, or waits until one comes.
     * Those who wait are served in the order of their arrival, and nobody who comes later goes before them.
     *
     * <p>What the sender did before it sent happens-before what this thread does after.
     *
     * @return the element; never null
     * @throws InterruptedException if the thread is interrupted on entry or while it waits: no element is taken and the
     *     interrupt flag is cleared. If an element came first, the method returns it and the flag stays set.
     * @throws ChannelClosedException if the channel is closed and nothing is left in it, or this becomes so
     */
    T receive() throws InterruptedException;

    /**
     * As {@link #receive}, but says by null that the channel was closed without a reason and nothing is left in it:
     *
     * {@snippet :
     * for (Order order; (order = orders.receiveOrNull()) != null; ) {
     *     handle(order);
     * }
     * }
     *
     * @return the element, or null at the end
     * @throws InterruptedException as {@link #receive}
     * @throws ChannelClosedException if the channel was closed with a reason and nothing is left in it
     */
    @Nullable
    T receiveOrNull() throws InterruptedException;

    /**
     * Takes the oldest element if there is one.
     *
     * @return the element, or null if there is none at the moment
     * @throws ChannelClosedException if the channel is closed and nothing is left in it
     */
    @Nullable
    T tryReceive();

    /**
     * Takes the oldest element, and waits for one no longer than the timeout.
     *
     * @param timeout the longest time to wait; zero or less: do not wait
     * @return the element, or null if the time is over
     * @throws InterruptedException as {@link #receive}
     * @throws ChannelClosedException if the channel is closed and nothing is left in it, or this becomes so
     */
    @Nullable
    T tryReceive(Duration timeout) throws InterruptedException;

    /**
     * Takes the oldest element as {@link #receive} does, with a future that waits in the place of the thread, in the same
     * queue.
     *
     * <p>Completing the future from outside, by {@code cancel} or {@code orTimeout} for instance, takes it out of the
     * queue, and no element is taken; if it has been given one already, that returns false. What depends on the future
     * runs on the thread that sent the element, outside every lock.
     *
     * @return completes with the element; with {@link ChannelClosedException} if the channel is closed and nothing is
     *     left in it, or this becomes so
     */
    CompletableFuture<T> receiveAsync();

    /** Whether the channel is closed and nothing is left in it, so that nothing can be received any more. */
    boolean isDrained();

    /**
     * Receives until the channel is closed: {@code for (T element : channel)}. Several iterators share the elements. An
     * iterator takes an element when it is asked whether there is one, and holds it until {@code next}.
     *
     * <p>The methods of the iterator wait as {@link #receive} does. They throw {@link ChannelClosedException} if the
     * channel was closed with a reason, and {@link CancellationException}, with the interrupt flag set, if the thread is
     * interrupted.
     */
    @Override
    Iterator<T> iterator();

    /** The elements until the channel is closed, as {@link #iterator} gives them; lazy and sequential. */
    Stream<T> stream();
}
