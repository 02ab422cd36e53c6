// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A channel, with and without a buffer, and a oneshot behave as if each operation happened at one moment. Waiting is two
 * operations: to enter the queue, and later to leave it again or else take what came; each thread waits for one element and
 * with one element at a time.
 *
 * <p>{@code -Dproof=long} searches two thousand times as far.
 */
class ChannelLincheckTest {
    private static final boolean LONG = System.getProperty("proof", "short").equals("long");

    @Test
    void unbuffered() {
        options().sequentialSpecification(UnbufferedModel.class).check(Unbuffered.class);
    }

    @Test
    void bufferOfOne() {
        options().sequentialSpecification(OneModel.class).check(One.class);
    }

    @Test
    void bufferOfTwo() {
        options().sequentialSpecification(TwoModel.class).check(Two.class);
    }

    @Test
    void mpsc() {
        options().sequentialSpecification(MpscModel.class).check(MpscProduct.class);
    }

    @Test
    void oneshot() {
        options().sequentialSpecification(OneshotModel.class).check(OneshotProduct.class);
    }

    @Test
    void aReceiverThatQueuesWithoutASecondLookIsFound() {
        options().sequentialSpecification(TwinModel.class).check(TwinThatLooksAgain.class);
        fails(TwinThatDoesNot.class, TwinModel.class);
    }

    @Test
    void aOneshotThatLooksBeforeItSendsIsFound() {
        fails(OneshotTwin.class, OneshotModel.class);
    }

    private static void fails(Class<?> twin, Class<?> model) {
        assertThatThrownBy(() -> options()
                        .iterations(100)
                        .minimizeFailedScenario(false)
                        .sequentialSpecification(model)
                        .check(twin))
                .isInstanceOf(LincheckAssertionError.class);
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(LONG ? 300 : 5)
                .invocationsPerIteration(LONG ? 10_000 : 300)
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(2);
    }

    private static final int NOTHING = 0;
    private static final int END = -1;
    private static final int WAITS = -2;
    private static final int BUSY = -3;

    /** The operations, on a product or on a model. */
    @Param(name = "element", gen = IntGen.class, conf = "1:3")
    @Param(name = "thread", gen = ThreadIdGen.class)
    public abstract static class Product {
        final Channel<Integer> channel;
        private final Map<Integer, CompletableFuture<Integer>> receiving = new HashMap<>();
        private final Map<Integer, CompletableFuture<?>> sending = new HashMap<>();

        Product(int capacity) {
            channel = Channel.buffered(capacity);
            for (int thread = 0; thread < 6; thread++) {
                receiving.put(thread, none());
                sending.put(thread, none());
            }
        }

        private static <T> CompletableFuture<T> none() {
            return CompletableFuture.failedFuture(new IllegalStateException());
        }

        @Operation
        public int trySend(@Param(name = "element") int element) {
            try {
                return channel.trySend(element) ? 1 : NOTHING;
            } catch (ChannelClosedException e) {
                return END;
            }
        }

        @Operation
        public int tryReceive() {
            try {
                Integer element = channel.tryReceive();
                return element == null ? NOTHING : element;
            } catch (ChannelClosedException e) {
                return END;
            }
        }

        @Operation
        public void startReceive(@Param(name = "thread") int thread) {
            if (isNone(receiving.get(thread))) {
                receiving.replace(thread, channel.receiveAsync());
            }
        }

        @Operation
        public int endReceive(@Param(name = "thread") int thread) {
            CompletableFuture<Integer> future = receiving.get(thread);
            if (isNone(future)) {
                return BUSY;
            }
            receiving.replace(thread, none());
            if (future.cancel(false)) {
                return NOTHING;
            }
            try {
                return future.join();
            } catch (RuntimeException e) {
                return END;
            }
        }

        @Operation
        public void startSend(@Param(name = "element") int element, @Param(name = "thread") int thread) {
            if (isNone(sending.get(thread))) {
                sending.replace(thread, channel.sendAsync(element));
            }
        }

        @Operation
        public int endSend(@Param(name = "thread") int thread) {
            CompletableFuture<?> future = sending.get(thread);
            if (isNone(future)) {
                return BUSY;
            }
            sending.replace(thread, none());
            if (future.cancel(false)) {
                return NOTHING;
            }
            try {
                future.join();
                return 1;
            } catch (RuntimeException e) {
                return END;
            }
        }

        @Operation
        public boolean close() {
            return channel.close();
        }

        private static boolean isNone(@Nullable CompletableFuture<?> future) {
            return future == null
                    || future.isCompletedExceptionally()
                            && future.exceptionNow() instanceof IllegalStateException
                            && !(future.exceptionNow() instanceof ChannelClosedException);
        }
    }

    public static final class Unbuffered extends Product {
        public Unbuffered() {
            super(0);
        }
    }

    public static final class One extends Product {
        public One() {
            super(1);
        }
    }

    public static final class Two extends Product {
        public Two() {
            super(2);
        }
    }

    /** What a channel does when one thread at a time uses it. */
    public abstract static class Model {
        private final int capacity;
        private final ArrayDeque<Integer> buffer = new ArrayDeque<>();
        private final ArrayDeque<Integer> receivers = new ArrayDeque<>();
        private final ArrayDeque<Integer> senders = new ArrayDeque<>();
        private final Map<Integer, Integer> received = new HashMap<>();
        private final Map<Integer, Integer> sent = new HashMap<>();
        private final Map<Integer, Integer> brought = new HashMap<>();
        private boolean closed;

        Model(int capacity) {
            this.capacity = capacity;
        }

        public int trySend(int element) {
            if (closed) {
                return END;
            }
            if (!receivers.isEmpty()) {
                received.put(receivers.remove(), element);
                return 1;
            }
            if (buffer.size() < capacity) {
                buffer.add(element);
                return 1;
            }
            return NOTHING;
        }

        public int tryReceive() {
            if (!buffer.isEmpty()) {
                int element = buffer.remove();
                if (!senders.isEmpty()) {
                    buffer.add(serveSender());
                }
                return element;
            }
            if (!senders.isEmpty()) {
                return serveSender();
            }
            return closed ? END : NOTHING;
        }

        private int serveSender() {
            int sender = senders.remove();
            sent.put(sender, 1);
            return brought.get(sender);
        }

        public void startReceive(int thread) {
            if (received.containsKey(thread)) {
                return;
            }
            int element = tryReceive();
            if (element == NOTHING) {
                receivers.add(thread);
                received.put(thread, WAITS);
            } else {
                received.put(thread, element);
            }
        }

        public int endReceive(int thread) {
            Integer element = received.remove(thread);
            if (element == null) {
                return BUSY;
            }
            if (element == WAITS) {
                receivers.remove(thread);
                return NOTHING;
            }
            return element;
        }

        public void startSend(int element, int thread) {
            if (sent.containsKey(thread)) {
                return;
            }
            int outcome = trySend(element);
            if (outcome == NOTHING) {
                senders.add(thread);
                brought.put(thread, element);
                sent.put(thread, WAITS);
            } else {
                sent.put(thread, outcome);
            }
        }

        public int endSend(int thread) {
            Integer outcome = sent.remove(thread);
            if (outcome == null) {
                return BUSY;
            }
            if (outcome == WAITS) {
                senders.remove(thread);
                return NOTHING;
            }
            return outcome;
        }

        public boolean close() {
            if (closed) {
                return false;
            }
            closed = true;
            for (int receiver : receivers) {
                received.put(receiver, END);
            }
            for (int sender : senders) {
                sent.put(sender, END);
            }
            receivers.clear();
            senders.clear();
            return true;
        }
    }

    public static final class UnbufferedModel extends Model {
        public UnbufferedModel() {
            super(0);
        }
    }

    public static final class OneModel extends Model {
        public OneModel() {
            super(1);
        }
    }

    public static final class TwoModel extends Model {
        public TwoModel() {
            super(2);
        }
    }

    /** A bounded Mpsc with two places, and reservations. */
    @Param(name = "element", gen = IntGen.class, conf = "1:3")
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static final class MpscProduct {
        private final Mpsc<Integer> mpsc = Mpsc.bounded(2);
        private final Mpsc.Sender<Integer> sender = mpsc.sender();
        private final Mpsc.@Nullable Reservation<?>[] reservations = new Mpsc.Reservation<?>[6];

        @Operation
        public boolean trySend(@Param(name = "element") int element) {
            return sender.trySend(element);
        }

        @Operation
        public int tryReceive() {
            Integer element = mpsc.receiver().tryReceive();
            return element == null ? NOTHING : element;
        }

        @Operation
        public int tryReserve(@Param(name = "thread") int thread) {
            if (reservations[thread] != null) {
                return BUSY;
            }
            reservations[thread] = sender.tryReserve();
            return reservations[thread] == null ? NOTHING : 1;
        }

        @Operation
        @SuppressWarnings("unchecked")
        public int fill(@Param(name = "element") int element, @Param(name = "thread") int thread) {
            Mpsc.Reservation<Integer> reservation = (Mpsc.Reservation<Integer>) reservations[thread];
            if (reservation == null) {
                return BUSY;
            }
            reservations[thread] = null;
            reservation.send(element);
            return 1;
        }

        @Operation
        public int giveBack(@Param(name = "thread") int thread) {
            Mpsc.Reservation<?> reservation = reservations[thread];
            if (reservation == null) {
                return BUSY;
            }
            reservations[thread] = null;
            reservation.close();
            return 1;
        }
    }

    public static final class MpscModel {
        private final ArrayDeque<Integer> buffer = new ArrayDeque<>();
        private final boolean[] held = new boolean[6];

        private boolean hasRoom() {
            int places = buffer.size();
            for (boolean one : held) {
                places += one ? 1 : 0;
            }
            return places < 2;
        }

        public boolean trySend(int element) {
            return hasRoom() && buffer.add(element);
        }

        public int tryReceive() {
            Integer element = buffer.poll();
            return element == null ? NOTHING : element;
        }

        public int tryReserve(int thread) {
            if (held[thread]) {
                return BUSY;
            }
            held[thread] = hasRoom();
            return held[thread] ? 1 : NOTHING;
        }

        public int fill(int element, int thread) {
            if (giveBack(thread) == BUSY) {
                return BUSY;
            }
            buffer.add(element);
            return 1;
        }

        public int giveBack(int thread) {
            if (!held[thread]) {
                return BUSY;
            }
            held[thread] = false;
            return 1;
        }
    }

    /** A oneshot; whoever gave up first has it over. */
    @Param(name = "element", gen = IntGen.class, conf = "1:3")
    public static class OneshotProduct {
        final Oneshot<Integer> oneshot = new Oneshot<>();

        @Operation
        public int send(@Param(name = "element") int element) {
            try {
                return oneshot.send(element) ? 1 : NOTHING;
            } catch (ChannelClosedException e) {
                return END;
            } catch (IllegalStateException e) {
                return BUSY;
            }
        }

        @Operation
        public int tryReceive() {
            try {
                Integer element = oneshot.tryReceive();
                return element == null ? NOTHING : element;
            } catch (ChannelClosedException e) {
                return END;
            }
        }

        @Operation
        public boolean close() {
            return oneshot.close();
        }

        @Operation
        public boolean cancel() {
            return oneshot.cancel();
        }
    }

    /** Looks for an element, and if there is none sends: two steps, so two senders may both succeed. */
    @Param(name = "element", gen = IntGen.class, conf = "1:3")
    public static final class OneshotTwin {
        private volatile int state;

        @Operation
        public int send(@Param(name = "element") int element) {
            if (state != 0) {
                return BUSY;
            }
            state = element;
            return 1;
        }

        @Operation
        public int tryReceive() {
            int element = state;
            if (element > 0) {
                state = END;
            }
            return element;
        }
    }

    public static final class OneshotModel {
        private static final int TAKEN = -10;
        private static final int CANCELLED = -11;
        private static final int CLOSED = -12;
        private int state;

        public int send(int element) {
            if (state == 0) {
                state = element;
                return 1;
            }
            return state == CANCELLED ? NOTHING : state == CLOSED ? END : BUSY;
        }

        public int tryReceive() {
            if (state > 0) {
                int element = state;
                state = TAKEN;
                return element;
            }
            return state == 0 ? NOTHING : END;
        }

        public boolean close() {
            if (state != 0) {
                return false;
            }
            state = CLOSED;
            return true;
        }

        public boolean cancel() {
            if (state < 0) {
                return false;
            }
            state = CANCELLED;
            return true;
        }
    }

    /** The gates of a ring, with and without the second look behind them. */
    @Param(name = "element", gen = IntGen.class, conf = "1:3")
    public abstract static class Twin {
        private final Ring ring = new Ring(2);
        private final boolean looksAgain;
        private boolean waits;
        private int came;

        Twin(boolean looksAgain) {
            this.looksAgain = looksAgain;
        }

        /** Waits for an element, if nobody does; an element that comes then can be collected. */
        @Operation
        public int receive() {
            Object element = ring.poll();
            if (element != null) {
                return (int) element;
            }
            synchronized (ring) {
                ring.shut();
                Object second = looksAgain && !waits ? ring.pollShut() : null;
                if (second != null) {
                    ring.open();
                    return (int) second;
                }
                waits = true;
                return NOTHING;
            }
        }

        @Operation
        public int collect() {
            synchronized (ring) {
                int element = came;
                came = 0;
                return element;
            }
        }

        @Operation
        public boolean send(@Param(name = "element") int element) {
            if (ring.offer(element)) {
                return true;
            }
            synchronized (ring) {
                ring.shut();
                if (waits && came == 0) {
                    came = element;
                    waits = false;
                    ring.open();
                    return true;
                }
                boolean sent = !waits && ring.offerShut(element);
                if (!waits) {
                    ring.open();
                }
                return sent;
            }
        }
    }

    public static final class TwinThatLooksAgain extends Twin {
        public TwinThatLooksAgain() {
            super(true);
        }
    }

    public static final class TwinThatDoesNot extends Twin {
        public TwinThatDoesNot() {
            super(false);
        }
    }

    public static final class TwinModel {
        private final ArrayDeque<Integer> buffer = new ArrayDeque<>();
        private boolean waits;
        private int came;

        public int receive() {
            if (!buffer.isEmpty()) {
                return buffer.remove();
            }
            waits = true;
            return NOTHING;
        }

        public int collect() {
            int element = came;
            came = 0;
            return element;
        }

        public boolean send(int element) {
            if (waits) {
                if (came != 0) {
                    return false;
                }
                came = element;
                waits = false;
                return true;
            }
            return buffer.size() < 2 && buffer.add(element);
        }
    }
}
