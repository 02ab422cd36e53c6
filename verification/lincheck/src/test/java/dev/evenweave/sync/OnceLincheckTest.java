// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Of those who would compute, one does; the others get its value, or try in turn when it fails.
 *
 * <p>{@code -Dproof=long} searches thirty times as far.
 */
@Param(name = "v", gen = IntGen.class, conf = "1:9")
class OnceLincheckTest {
    private static final boolean LONG = System.getProperty("proof", "short").equals("long");
    private static final int FAILED = -1;

    @Test
    void onceCell() {
        options().sequentialSpecification(CellModel.class).check(CellProduct.class);
    }

    @Test
    void aCellWhoseLoserKeepsItsOwnValueIsFound() {
        fails(CellTwin.class, CellModel.class);
    }

    @Test
    void once() {
        options().sequentialSpecification(OnceModel.class).check(OnceProduct.class);
    }

    @Test
    void aOnceThatLooksBeforeItRunsIsFound() {
        fails(OnceTwin.class, OnceModel.class);
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
                .actorsBefore(0)
                .actorsPerThread(2)
                .actorsAfter(1);
    }

    static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failed() {
            super("failed", null, false, false);
        }
    }

    @Param(name = "v", gen = IntGen.class, conf = "1:9")
    public static class CellProduct {
        final OnceCell<Integer> cell = new OnceCell<>();

        @Operation
        public int getOrInit(@Param(name = "v") int value) {
            return cell.getOrInitUninterruptibly(() -> value);
        }

        @Operation
        public int getOrFail() {
            try {
                return cell.getOrInitUninterruptibly(() -> {
                    throw new Failed();
                });
            } catch (Failed e) {
                return FAILED;
            }
        }

        @Operation
        public boolean set(@Param(name = "v") int value) throws InterruptedException {
            return cell.set(value);
        }

        @Operation
        public @Nullable Integer get() {
            return cell.get();
        }
    }

    /** Computes what it did not see, and believes itself. */
    public static class CellTwin extends CellProduct {
        @Override
        @Operation
        public int getOrInit(@Param(name = "v") int value) {
            Integer now = cell.get();
            if (now != null) {
                return now;
            }
            boolean ignored = cell.trySet(value);
            return value;
        }
    }

    /** The cell in one thread's terms. */
    public static class CellModel {
        private @Nullable Integer value;

        public int getOrInit(int other) {
            if (value == null) {
                value = other;
            }
            return value;
        }

        public int getOrFail() {
            return value == null ? FAILED : value;
        }

        public boolean set(int other) {
            boolean empty = value == null;
            if (empty) {
                value = other;
            }
            return empty;
        }

        public @Nullable Integer get() {
            return value;
        }
    }

    public static class OnceProduct {
        final Once once = new Once();
        int runs;

        @Operation
        public boolean run() {
            return once.runUninterruptibly(() -> {
                runs++;
            });
        }

        @Operation
        public boolean fail() {
            try {
                return once.runUninterruptibly(() -> {
                    throw new Failed();
                });
            } catch (Failed e) {
                return true;
            }
        }

        @Operation
        public int runsSeen() {
            return once.isCompleted() ? runs : 0;
        }
    }

    /** Runs what it did not see completed. */
    public static class OnceTwin extends OnceProduct {
        @Override
        @Operation
        public boolean run() {
            if (once.isCompleted()) {
                return false;
            }
            runs++;
            once.runUninterruptibly(() -> {});
            return true;
        }
    }

    /** It in one thread's terms. */
    public static class OnceModel {
        private boolean completed;

        public boolean run() {
            boolean first = !completed;
            completed = true;
            return first;
        }

        public boolean fail() {
            return !completed;
        }

        public int runsSeen() {
            return completed ? 1 : 0;
        }
    }
}
