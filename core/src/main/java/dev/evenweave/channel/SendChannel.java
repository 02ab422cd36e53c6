// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The side of a channel for those who send.
 *
 * @param <T> the type of the elements
 */
public sealed interface SendChannel<T> permits Channel {
    /**
     * Sends the element: gives it to the receiver that has waited longest, or puts it into the buffer, or waits until
     * one of these is possible. Those who wait are served in the order of their arrival, and nobody who comes later
     * goes before them.
     *
     * <p>What the thread did before it sent happens-before what the receiver of the element does after it received. On
     * a channel with a buffer of {@code n}, what the receiver of an element did before it received happens-before the
     * end of the {@code n}-th send after that one; without a buffer, before the end of the send itself.
     *
     * @param element what to send; not null
     * @throws InterruptedException if the thread is interrupted on entry or while it waits: the element is not sent and
     *     the interrupt flag is cleared. If the element was sent first, the method returns and the flag stays set.
     * @throws ChannelClosedException if the channel is, or gets, closed: the element is not sent
     * @throws NullPointerException if the element is null
     */
    void send(T element) throws InterruptedException;

    /**
     * Sends the element if that is possible without waiting.
     *
     * @return false if it is not: no receiver waits and the buffer is full
     * @throws ChannelClosedException if the channel is closed
     * @throws NullPointerException if the element is null
     */
    boolean trySend(T element);

    /**
     * Sends the element, and waits for that no longer than the timeout.
     *
     * @param timeout the longest time to wait; zero or less: do not wait
     * @return false if the time is over; the element is not sent
     * @throws InterruptedException as {@link #send}
     * @throws ChannelClosedException if the channel is, or gets, closed: the element is not sent
     * @throws NullPointerException if the element or the timeout is null
     */
    boolean trySend(T element, Duration timeout) throws InterruptedException;

    /**
     * Sends the element as {@link #send} does, with a future that waits in the place of the thread, in the same queue.
     *
     * <p>Completing the future from outside, by {@code cancel} or {@code orTimeout} for instance, takes it out of the
     * queue, and the element is not sent; if it was sent already, that returns false. What depends on the future runs on
     * the thread that received the element, outside every lock.
     *
     * @return completes when the element is sent; with {@link ChannelClosedException} if the channel is, or gets, closed
     * @throws NullPointerException if the element is null
     */
    CompletableFuture<@Nullable Void> sendAsync(T element);

    /**
     * Closes the channel without a reason: the elements have come to their end. As {@link #close(Throwable)} with null.
     *
     * @return false if it was closed already; then nothing happens
     */
    boolean close();

    /**
     * Closes the channel. Threads that wait to send, and every later send, get a {@link ChannelClosedException} with the
     * reason as its cause; what they wanted to send is not sent. What is in the buffer can still be received; after it,
     * receivers, those who wait included, learn that the channel is closed.
     *
     * @param reason why, or null if there is nothing wrong
     * @return false if it was closed already; then nothing happens, and the reason of the first call stands
     */
    boolean close(@Nullable Throwable reason);

    /** Whether the channel was closed, so that nothing can be sent any more. Elements may still be in its buffer. */
    boolean isClosed();
}
