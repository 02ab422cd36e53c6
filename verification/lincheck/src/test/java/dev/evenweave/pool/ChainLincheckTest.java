// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.pool.ChainTwin.Flaw;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * The owner and the thieves see a {@link Ring} and a {@link Chain} as if each operation happened at one moment: a deque
 * from which nothing is lost and nothing comes twice, and which seems empty only when it is.
 *
 * <p>{@code -Dproof=long} searches a hundred times as far.
 */
class ChainLincheckTest {
    private static final boolean LONG = System.getProperty("proof", "short").equals("long");

    @Test
    void aRingIsADeque() {
        options(LONG ? 400 : 12).check(OfRing.class);
    }

    @Test
    void aChainThatGrowsIsADeque() {
        options(LONG ? 400 : 12).check(OfGrowingChain.class);
    }

    @Test
    void aChainOfRingsOfTwoIsADeque() {
        options(LONG ? 400 : 12).check(OfNarrowChain.class);
    }

    @Test
    void eachFlawIsFoundWhereTheTwinWithoutOneIsRight() {
        findsIn(PopHead.class, "pushHead 1", "popHead", "popTail");
        findsIn(PopTail.class, "pushHead 1", "popHead", "popTail");
        findsIn(Publish.class, "", "pushHead 1, popHead", "popTail");
        findsIn(Successor.class, "", "pushHead 1, pushHead 2, pushHead 3, popHead, popHead", "popTail");
        findsIn(SecondLook.class, "pushHead 1", "pushHead 2, pushHead 3, popTail, popTail", "popTail");
    }

    /** Shows that a scenario finds a flaw, and finds none in the same copy without it. */
    private static void findsIn(Class<?> flawed, String before, String owner, String thief) {
        options(0)
                .addCustomScenario(scenario(Right.class, before, owner, thief))
                .check(Right.class);
        assertThatThrownBy(() -> options(0)
                        .minimizeFailedScenario(false)
                        .addCustomScenario(scenario(flawed, before, owner, thief))
                        .check(flawed))
                .as(flawed.getSimpleName())
                .isInstanceOf(LincheckAssertionError.class);
    }

    private static ExecutionScenario scenario(Class<?> operations, String before, String owner, String thief) {
        return new ExecutionScenario(
                calls(operations, before),
                List.of(calls(operations, owner), calls(operations, thief)),
                List.of(),
                null);
    }

    private static List<Actor> calls(Class<?> operations, String text) {
        return Pattern.compile(", ")
                .splitAsStream(text)
                .filter(call -> !call.isEmpty())
                .map(call -> call.split(" "))
                .map(words -> new Actor(
                        method(operations, words[0]),
                        words.length == 1 ? List.of() : List.of(Integer.valueOf(words[1]))))
                .toList();
    }

    private static Method method(Class<?> operations, String name) {
        return Arrays.stream(operations.getMethods())
                .filter(method -> method.getName().equals(name))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException(name));
    }

    private static ModelCheckingOptions options(int iterations) {
        return new ModelCheckingOptions()
                .iterations(iterations)
                .invocationsPerIteration(LONG ? 10_000 : 2_000)
                .threads(3)
                .actorsBefore(3)
                .actorsPerThread(4)
                .actorsAfter(3)
                .sequentialSpecification(OfModel.class);
    }

    /** What the owner and the thieves do. */
    @Param(name = "object", gen = IntGen.class, conf = "1:9")
    public abstract static class Operations {
        private final TestedDeque deque;

        Operations(TestedDeque deque) {
            this.deque = deque;
        }

        @Operation(nonParallelGroup = "owner")
        public void pushHead(@Param(name = "object") int object) {
            deque.pushHead(object);
        }

        @Operation(nonParallelGroup = "owner")
        public int popHead() {
            return deque.popHead();
        }

        @Operation
        public int popTail() {
            return deque.popTail();
        }
    }

    public static class OfModel extends Operations {
        public OfModel() {
            super(TestedDeque.model());
        }
    }

    public static class OfRing extends Operations {
        public OfRing() {
            super(TestedDeque.ring());
        }
    }

    public static class OfGrowingChain extends Operations {
        public OfGrowingChain() {
            super(TestedDeque.chain(1, 8));
        }
    }

    public static class OfNarrowChain extends Operations {
        public OfNarrowChain() {
            super(TestedDeque.chain(2, 2));
        }
    }

    public static class Right extends Operations {
        public Right() {
            super(new ChainTwin(Flaw.NONE));
        }
    }

    public static class PopHead extends Operations {
        public PopHead() {
            super(new ChainTwin(Flaw.POP_HEAD_WITHOUT_EXCHANGE));
        }
    }

    public static class PopTail extends Operations {
        public PopTail() {
            super(new ChainTwin(Flaw.POP_TAIL_WITHOUT_EXCHANGE));
        }
    }

    public static class Publish extends Operations {
        public Publish() {
            super(new ChainTwin(Flaw.PUBLISH_BEFORE_WRITE));
        }
    }

    public static class Successor extends Operations {
        public Successor() {
            super(new ChainTwin(Flaw.SUCCESSOR_READ_TOO_LATE));
        }
    }

    public static class SecondLook extends Operations {
        public SecondLook() {
            super(new ChainTwin(Flaw.NO_SECOND_LOOK));
        }
    }
}
