// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends to or receives from whichever of several channels is ready first, and runs what belongs to it: Go's
 * {@code select} statement, for one use.
 *
 * {@snippet :
 * String outcome = new Select<String>()
 *         .receive(orders, order -> "order " + order.number())
 *         .send(audit, entry, () -> "audited")
 *         .orTimeout(Duration.ofSeconds(1), () -> "nothing to do")
 *         .select();
 * }
 *
 * <p>If several cases are ready, one of them is chosen at random, each with the same probability. Exactly one case takes
 * effect, and exactly one of the functions runs, on the thread that selects, outside every lock. In a loop
 * {@link Selector} does the same without allocating.
 *
 * @param <R> what the functions return
 */
public final class Select<R extends @Nullable Object> {
    private final Selector selector = new Selector();
    private final List<Choice<R>> choices = new ArrayList<>();
    private @Nullable Supplier<? extends R> otherwise;
    private @Nullable Duration timeout;
    private boolean used;

    /** What to do when its case was chosen. */
    private interface Choice<R extends @Nullable Object> {
        R run();
    }

    /** Makes a select without cases. */
    public Select() {}

    /**
     * Adds the case of receiving from the channel. If the channel is closed and nothing is left in it, the case is ready
     * and {@link #select} throws {@link ChannelClosedException}.
     *
     * @param then what to do with the element
     * @param <T> the type of the elements
     */
    public <T> Select<R> receive(ReceiveChannel<T> channel, Function<? super T, ? extends R> then) {
        Objects.requireNonNull(then);
        ReceiveCase<T> added = selector.receive(channel);
        choices.add(() -> then.apply(added.element()));
        return this;
    }

    /**
     * Adds the case of receiving from the channel.
     *
     * @param then what to do with the element
     * @param closed what to do if the channel is closed and nothing is left in it
     * @param <T> the type of the elements
     */
    public <T> Select<R> receive(
            ReceiveChannel<T> channel, Function<? super T, ? extends R> then, Supplier<? extends R> closed) {
        Objects.requireNonNull(then);
        Objects.requireNonNull(closed);
        ReceiveCase<T> added = selector.receive(channel);
        choices.add(() -> {
            T element = added.elementOrNull();
            return element == null ? closed.get() : then.apply(element);
        });
        return this;
    }

    /**
     * Adds the case of sending the element to the channel. If the channel is closed, the case is ready and
     * {@link #select} throws {@link ChannelClosedException}.
     *
     * @param then what to do when the element was sent
     * @param <T> the type of the elements
     */
    public <T> Select<R> send(SendChannel<T> channel, T element, Supplier<? extends R> then) {
        Objects.requireNonNull(then);
        selector.send(channel, element);
        choices.add(then::get);
        return this;
    }

    /**
     * What to do if no case is ready: then the select does not wait.
     *
     * @throws IllegalStateException if it has a default or a timeout already
     */
    public Select<R> orDefault(Supplier<? extends R> then) {
        return otherwise(Duration.ZERO, then);
    }

    /**
     * What to do if no case has become ready within the timeout.
     *
     * @param limit the longest time to wait; zero or less: do not wait
     * @throws IllegalStateException if it has a default or a timeout already
     */
    public Select<R> orTimeout(Duration limit, Supplier<? extends R> then) {
        return otherwise(limit, then);
    }

    private Select<R> otherwise(Duration limit, Supplier<? extends R> then) {
        if (otherwise != null) {
            throw new IllegalStateException("the select has a default or a timeout already");
        }
        timeout = Objects.requireNonNull(limit);
        otherwise = Objects.requireNonNull(then);
        return this;
    }

    /**
     * Waits until one of the cases is possible, does it, and runs what belongs to it.
     *
     * @return what that returned
     * @throws InterruptedException if the thread is interrupted on entry or while it waits: no case has taken effect and
     *     the interrupt flag is cleared
     * @throws ChannelClosedException if the chosen case is one of a closed channel and does not say what to do then
     * @throws IllegalStateException if it was used already, or it has no case and no default
     */
    public R select() throws InterruptedException {
        if (used) {
            throw new IllegalStateException("a Select is for one use: make a new one, or use a Selector in a loop");
        }
        used = true;
        Supplier<? extends R> none = otherwise;
        Duration limit = timeout;
        Case chosen = none == null || limit == null ? selector.select() : selector.select(limit);
        if (chosen != null) {
            return choices.get(chosen.index()).run();
        }
        return Objects.requireNonNull(none).get();
    }
}
