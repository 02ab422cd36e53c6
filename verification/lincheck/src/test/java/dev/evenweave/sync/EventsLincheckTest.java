// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The events behave as if each operation happened at one moment. Two callback waiters wait from the start: cancelling one
 * says whether a set has let it go.
 *
 * <p>{@code -Dproof=long} searches thirty times as far.
 */
class EventsLincheckTest {
    private static final boolean LONG = System.getProperty("proof", "short").equals("long");

    @Test
    void manualResetEvent() {
        options().sequentialSpecification(ManualModel.class).check(ManualProduct.class);
    }

    @Test
    void aManualResetEventThatLetsGoBeforeItIsSetIsFound() {
        fails(ManualTwin.class, ManualModel.class);
    }

    @Test
    void autoResetEvent() {
        options().sequentialSpecification(AutoModel.class).check(AutoProduct.class);
    }

    @Test
    void anAutoResetEventThatLooksBeforeItTakesIsFound() {
        fails(AutoTwin.class, AutoModel.class);
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
                .iterations(LONG ? 300 : 10)
                .invocationsPerIteration(LONG ? 10_000 : 1_000)
                .threads(3)
                .actorsBefore(1)
                .actorsPerThread(3)
                .actorsAfter(2);
    }

    static final class Silent extends Waiter {
        @Override
        protected void completed(@Nullable Throwable failure) {}
    }

    public static class ManualProduct {
        final ManualResetEvent event = new ManualResetEvent();
        final Waiter first = new Silent();
        final Waiter second = new Silent();

        public ManualProduct() {
            if (event.await(first) || event.await(second)) {
                throw new AssertionError("it is not set");
            }
        }

        @Operation
        public void set() {
            event.set();
        }

        @Operation
        public void reset() {
            event.reset();
        }

        @Operation
        public boolean isSet() {
            return event.isSet();
        }

        @Operation
        public boolean enter() {
            return event.await(new Silent());
        }

        @Operation
        public boolean cancelFirst() {
            return event.cancel(first);
        }

        @Operation
        public boolean cancelSecond() {
            return event.cancel(second);
        }
    }

    /** Takes the waiters out, and is set after that. */
    public static class ManualTwin extends ManualProduct {
        @Override
        @Operation
        public void set() {
            event.cancel(first);
            event.cancel(second);
            event.set();
        }
    }

    /** The event in one thread's terms. */
    public static class ManualModel {
        private boolean set;
        private boolean firstWaits = true;
        private boolean secondWaits = true;

        public void set() {
            set = true;
            firstWaits = false;
            secondWaits = false;
        }

        public void reset() {
            set = false;
        }

        public boolean isSet() {
            return set;
        }

        public boolean enter() {
            return set;
        }

        public boolean cancelFirst() {
            boolean waited = firstWaits;
            firstWaits = false;
            return waited;
        }

        public boolean cancelSecond() {
            boolean waited = secondWaits;
            secondWaits = false;
            return waited;
        }
    }

    public static class AutoProduct {
        final AutoResetEvent event = new AutoResetEvent();
        private final Waiter first = new Silent();
        private final Waiter second = new Silent();

        public AutoProduct() {
            if (event.await(first) || event.await(second)) {
                throw new AssertionError("there is no signal");
            }
        }

        @Operation
        public void set() {
            event.set();
        }

        @Operation
        public void reset() {
            event.reset();
        }

        @Operation
        public boolean tryAwait() {
            return event.tryAwait();
        }

        @Operation
        public boolean isSet() {
            return event.isSet();
        }

        @Operation
        public boolean cancelFirst() {
            return event.cancel(first);
        }

        @Operation
        public boolean cancelSecond() {
            return event.cancel(second);
        }
    }

    /** Takes the signal that it saw, which another may have taken meanwhile. */
    public static class AutoTwin extends AutoProduct {
        @Override
        @Operation
        public boolean tryAwait() {
            if (!event.isSet()) {
                return false;
            }
            event.reset();
            return true;
        }
    }

    /** The event in one thread's terms. */
    public static class AutoModel {
        private boolean signal;
        private final ArrayDeque<String> queue = new ArrayDeque<>();

        public AutoModel() {
            queue.add("first");
            queue.add("second");
        }

        public void set() {
            if (queue.poll() == null) {
                signal = true;
            }
        }

        public void reset() {
            signal = false;
        }

        public boolean tryAwait() {
            boolean taken = signal;
            signal = false;
            return taken;
        }

        public boolean isSet() {
            return signal;
        }

        public boolean cancelFirst() {
            return queue.remove("first");
        }

        public boolean cancelSecond() {
            return queue.remove("second");
        }
    }
}
