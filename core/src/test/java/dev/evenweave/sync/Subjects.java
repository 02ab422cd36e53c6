// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import dev.evenweave.wait.Parker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Everything at which one can wait for something to happen, behind one face: one suite tests what holds for all. */
final class Subjects {
    private Subjects() {}

    interface Blocking {
        void await() throws InterruptedException;
    }

    interface Timed {
        boolean await(Duration timeout) throws InterruptedException;
    }

    /**
     * One primitive and how to wait at it.
     *
     * @param open lets all go that wait
     * @param close null if it cannot be closed
     */
    record Subject(
            Blocking blocking,
            Timed timed,
            Runnable uninterruptible,
            Supplier<CompletableFuture<?>> async,
            Predicate<Waiter> callback,
            Predicate<Waiter> cancel,
            IntSupplier queueLength,
            Runnable open,
            @Nullable Consumer<Throwable> close,
            Supplier<String> text) {

        boolean canClose() {
            return close != null;
        }

        @Override
        public String toString() {
            return text.get();
        }
    }

    /** What holds once something was opened. */
    enum Open {
        /** The next to come waits again. */
        FOR_THOSE_WHO_WAITED,
        /** Nobody waits. */
        FOR_ALL,
        /** Nobody waits, nor looks at the interrupt flag. */
        WITHOUT_A_LOOK
    }

    /**
     * How to make one.
     *
     * @param open what it is once it was opened
     */
    record Kind(String name, Open open, BiFunction<Integer, Parker, Subject> maker) {
        /** @param waits how many waits there will be before it is opened */
        Subject make(int waits, Parker parker) {
            return maker.apply(waits, parker);
        }

        Subject make(int waits) {
            return make(waits, Parker.THREADS);
        }

        boolean staysOpen() {
            return open != Open.FOR_THOSE_WHO_WAITED;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Kind> kinds() {
        return Stream.of(
                new Kind("Latch", Open.FOR_ALL, Subjects::latch),
                new Kind("WaitGroup", Open.FOR_ALL, Subjects::waitGroup),
                new Kind("Barrier", Open.FOR_THOSE_WHO_WAITED, Subjects::barrier),
                new Kind("Phaser", Open.FOR_ALL, Subjects::phaser),
                new Kind("Phaser.Party", Open.FOR_THOSE_WHO_WAITED, Subjects::party),
                new Kind("ManualResetEvent", Open.FOR_ALL, Subjects::manual),
                new Kind("AutoResetEvent", Open.FOR_THOSE_WHO_WAITED, Subjects::auto),
                new Kind("Completion", Open.FOR_ALL, Subjects::completion),
                new Kind("Shutdown request", Open.FOR_ALL, Subjects::request),
                new Kind("Shutdown", Open.FOR_ALL, Subjects::shutdown),
                new Kind("Once", Open.WITHOUT_A_LOOK, Subjects::once),
                new Kind("OnceCell", Open.WITHOUT_A_LOOK, Subjects::onceCell),
                new Kind("Lazy", Open.WITHOUT_A_LOOK, Subjects::lazy));
    }

    static Stream<Kind> closeableKinds() {
        return kinds().filter(kind -> kind.make(1).canClose());
    }

    static Stream<Kind> kindsThatStayOpen() {
        return kinds().filter(Kind::staysOpen);
    }

    private static Subject latch(int waits, Parker parker) {
        Latch latch = new Latch(2, parker);
        return new Subject(
                latch::await,
                latch::await,
                latch::awaitUninterruptibly,
                latch::awaitAsync,
                latch::await,
                latch::cancel,
                latch::queueLength,
                () -> latch.countDown(2),
                latch::close,
                latch::toString);
    }

    private static Subject waitGroup(int waits, Parker parker) {
        WaitGroup group = new WaitGroup(parker);
        group.add(3);
        return new Subject(
                group::await,
                group::await,
                group::awaitUninterruptibly,
                group::awaitAsync,
                group::await,
                group::cancel,
                group::queueLength,
                () -> group.done(group.count()),
                group::close,
                group::toString);
    }

    /** Each wait is an arrival; opening is the last one. */
    private static Subject barrier(int waits, Parker parker) {
        Barrier barrier = new Barrier(waits + 1L, parker);
        return new Subject(
                barrier::await,
                timeout -> timely(() -> barrier.await(timeout)),
                barrier::awaitUninterruptibly,
                barrier::awaitAsync,
                barrier::await,
                barrier::cancel,
                barrier::queueLength,
                () -> {
                    long generation = barrier.generation();
                    List<CompletableFuture<Boolean>> arrivals = new ArrayList<>();
                    while (barrier.generation() == generation && !barrier.isClosed()) {
                        arrivals.add(barrier.awaitAsync());
                    }
                },
                barrier::close,
                barrier::toString);
    }

    private static Subject phaser(int waits, Parker parker) {
        Phaser phaser = new Phaser(7, parker);
        Phaser.Party party = phaser.register();
        return new Subject(
                () -> phaser.await(7),
                timeout -> phaser.await(7, timeout),
                () -> phaser.awaitUninterruptibly(7),
                () -> phaser.awaitAsync(7),
                waiter -> phaser.await(7, waiter),
                phaser::cancel,
                phaser::queueLength,
                party::arrive,
                phaser::close,
                phaser::toString);
    }

    /** Each wait is that of a party of its own. */
    private static Subject party(int waits, Parker parker) {
        Phaser phaser = new Phaser(Long.MAX_VALUE, parker);
        Phaser.Party opener = phaser.register();
        List<Phaser.Party> parties = new ArrayList<>();
        phaser.register(waits).forEachRemaining(parties::add);
        AtomicInteger next = new AtomicInteger();
        return new Subject(
                () -> parties.get(next.getAndIncrement()).await(),
                timeout -> parties.get(next.getAndIncrement()).await(timeout),
                () -> parties.get(next.getAndIncrement()).awaitUninterruptibly(),
                () -> parties.get(next.getAndIncrement()).awaitAsync(),
                waiter -> parties.get(next.getAndIncrement()).await(waiter),
                phaser::cancel,
                phaser::queueLength,
                () -> {
                    opener.arrive();
                    parties.forEach(party -> {
                        if (party.toString().contains("not arrived")) {
                            party.close();
                        }
                    });
                },
                phaser::close,
                phaser::toString);
    }

    private static Subject manual(int waits, Parker parker) {
        ManualResetEvent event = new ManualResetEvent(false, parker);
        return new Subject(
                event::await,
                event::await,
                event::awaitUninterruptibly,
                event::awaitAsync,
                event::await,
                event::cancel,
                event::queueLength,
                event::set,
                event::close,
                event::toString);
    }

    private static Subject auto(int waits, Parker parker) {
        AutoResetEvent event = new AutoResetEvent(false, parker);
        return new Subject(
                event::await,
                event::await,
                event::awaitUninterruptibly,
                event::awaitAsync,
                event::await,
                event::cancel,
                event::queueLength,
                () -> {
                    for (int waiting = event.queueLength(); waiting > 0; waiting--) {
                        event.set();
                    }
                },
                event::close,
                event::toString);
    }

    private static Subject completion(int waits, Parker parker) {
        Completion<String> completion = new Completion<>(parker);
        return new Subject(
                completion::await,
                timeout -> timely(() -> completion.await(timeout)),
                completion::awaitUninterruptibly,
                completion::awaitAsync,
                completion::await,
                completion::cancel,
                completion::queueLength,
                () -> completion.complete("value"),
                completion::close,
                completion::toString);
    }

    private static Subject request(int waits, Parker parker) {
        Shutdown shutdown = new Shutdown(parker);
        return new Subject(
                shutdown::awaitRequest,
                shutdown::awaitRequest,
                shutdown::awaitRequestUninterruptibly,
                shutdown::awaitRequestAsync,
                shutdown::awaitRequest,
                shutdown::cancel,
                shutdown::queueLength,
                shutdown::request,
                null,
                shutdown::toString);
    }

    private static Subject shutdown(int waits, Parker parker) {
        Shutdown shutdown = new Shutdown(parker);
        Shutdown.Guard guard = shutdown.register();
        return new Subject(
                shutdown::await,
                shutdown::await,
                shutdown::awaitUninterruptibly,
                shutdown::awaitAsync,
                shutdown::await,
                shutdown::cancel,
                shutdown::queueLength,
                () -> {
                    shutdown.request();
                    guard.close();
                },
                null,
                shutdown::toString);
    }

    private static Subject once(int waits, Parker parker) {
        Once once = new Once(parker);
        return new Subject(
                once::await,
                once::await,
                once::awaitUninterruptibly,
                once::awaitAsync,
                once::await,
                once::cancel,
                once::queueLength,
                () -> once.runUninterruptibly(() -> {}),
                null,
                once::toString);
    }

    private static Subject onceCell(int waits, Parker parker) {
        OnceCell<String> cell = new OnceCell<>(parker);
        return new Subject(
                cell::await,
                timeout -> timely(() -> cell.await(timeout)),
                cell::awaitUninterruptibly,
                cell::awaitAsync,
                cell::await,
                cell::cancel,
                cell::queueLength,
                () -> cell.getOrInitUninterruptibly(() -> "value"),
                null,
                cell::toString);
    }

    private static Subject lazy(int waits, Parker parker) {
        CompletableFuture<String> stage = new CompletableFuture<>();
        Lazy<String> lazy = Lazy.ofAsync(() -> stage, parker);
        return new Subject(
                lazy::get,
                timeout -> timely(() -> lazy.get(timeout)),
                lazy::getUninterruptibly,
                lazy::getAsync,
                lazy::await,
                lazy::cancel,
                lazy::queueLength,
                () -> {
                    lazy.start();
                    stage.complete("value");
                },
                null,
                lazy::toString);
    }

    interface TimedBody {
        void run() throws InterruptedException, TimeoutException;
    }

    /** A wait that says by an exception that the time was over. */
    static boolean timely(TimedBody body) throws InterruptedException {
        try {
            body.run();
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }
}
