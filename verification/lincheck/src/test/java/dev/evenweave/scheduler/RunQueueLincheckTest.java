// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.scheduler.RunQueueTwin.Flaw;
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
 * One owner and its thieves see {@link RunQueue} as if each operation happened at one moment: nothing lost, nothing taken
 * twice, in order, and never empty while something is in it.
 *
 * <p>Three sets of operations, for what is promised differs. A thief's half is half of what it saw, to which the owner may
 * have added since: with two slots that makes no difference, so the small ring has all operations, full and empty. The
 * roomy ring never fills, and halves are larger than one. The last set moves what run-next held into the ring, which is two
 * steps: emptiness must not show between them.
 *
 * <p>{@code -Dproof=long} searches a hundred times as far.
 */
class RunQueueLincheckTest {
    private static final boolean LONG = System.getProperty("proof", "short").equals("long");

    @Test
    void ownerAndThievesAgreeOnASmallRing() {
        check(SmallProduct.class, SmallModel.class, LONG ? 400 : 12);
    }

    @Test
    void ownerAndThievesAgreeOnARoomyRing() {
        check(RoomyProduct.class, RoomyModel.class, LONG ? 400 : 12);
    }

    @Test
    void aQueueIsNotEmptyWhileItsOwnerMovesRunNext() {
        check(MovingProduct.class, MovingModel.class, LONG ? 400 : 12);
    }

    @Test
    void eachFlawIsFoundWhereTheTwinWithoutOneIsRight() {
        String one = "offer 1";
        String two = "offer 1, offer 2";
        findsIn(SmallPoll.class, one, "poll", "steal");
        findsIn(SmallSteal.class, one, "poll", "steal");
        findsIn(SmallSpill.class, two, "takeHalf", "steal");
        findsIn(SmallTail.class, "", "offer 1, poll", "steal");
        findsIn(SmallRoom.class, two, "offer 3", "isEmpty");
        findsIn(SmallRunNext.class, "replaceRunNext 1", "replaceRunNext 2", "takeThisRunNext 1");
        findsIn(MovingEmpty.class, "wake 1", "wake 2, next", "isEmpty");
    }

    private static void check(Class<?> operations, Class<?> model, int iterations) {
        options(iterations).sequentialSpecification(model).check(operations);
    }

    /** Shows that a scenario finds a flaw, and finds none in the same copy without it. */
    private static void findsIn(Class<?> flawed, String before, String owner, String thief) {
        boolean small = Small.class.isAssignableFrom(flawed);
        Class<?> right = small ? SmallRight.class : MovingRight.class;
        Class<?> model = small ? SmallModel.class : MovingModel.class;
        options(0)
                .sequentialSpecification(model)
                .addCustomScenario(scenario(right, before, owner, thief))
                .check(right);
        assertThatThrownBy(() -> options(0)
                        .sequentialSpecification(model)
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
                .invocationsPerIteration(LONG ? 10_000 : 1_000)
                .threads(3)
                .actorsBefore(4)
                .actorsPerThread(3)
                .actorsAfter(2);
    }

    /** Everything a small ring can do. */
    @Param(name = "task", gen = IntGen.class, conf = "1:5")
    public abstract static class Small {
        private final TestedQueue queue;

        Small(TestedQueue queue) {
            this.queue = queue;
        }

        @Operation(nonParallelGroup = "owner")
        public boolean offer(@Param(name = "task") int task) {
            return queue.offer(task);
        }

        @Operation(nonParallelGroup = "owner")
        public int poll() {
            return queue.poll();
        }

        @Operation(nonParallelGroup = "owner")
        public int replaceRunNext(@Param(name = "task") int task) {
            return queue.replaceRunNext(task);
        }

        @Operation(nonParallelGroup = "owner")
        public int takeRunNext() {
            return queue.takeRunNext();
        }

        @Operation(nonParallelGroup = "owner")
        public List<Integer> takeHalf() {
            return queue.takeHalf();
        }

        @Operation
        public List<Integer> steal() {
            return queue.steal();
        }

        @Operation
        public boolean takeThisRunNext(@Param(name = "task") int task) {
            return queue.takeRunNext(task);
        }

        @Operation
        public boolean isRingEmpty() {
            return queue.isRingEmpty();
        }

        @Operation
        public boolean isEmpty() {
            return queue.isEmpty();
        }
    }

    /** A ring that is never full. */
    @Param(name = "task", gen = IntGen.class, conf = "1:9")
    public abstract static class Roomy {
        private final TestedQueue queue;

        Roomy(TestedQueue queue) {
            this.queue = queue;
        }

        @Operation(nonParallelGroup = "owner")
        public boolean offer(@Param(name = "task") int task) {
            return queue.offer(task);
        }

        @Operation(nonParallelGroup = "owner")
        public int poll() {
            return queue.poll();
        }

        @Operation
        public List<Integer> steal() {
            return queue.steal();
        }
    }

    /** The owner's way of waking one task after the other: the last comes next, the one before it goes to the ring. */
    @Param(name = "task", gen = IntGen.class, conf = "1:9")
    public abstract static class Moving {
        private final TestedQueue queue;

        Moving(TestedQueue queue) {
            this.queue = queue;
        }

        @Operation(nonParallelGroup = "owner")
        public void wake(@Param(name = "task") int task) {
            int displaced = queue.replaceRunNext(task);
            if (displaced != 0) {
                queue.offer(displaced);
            }
        }

        @Operation(nonParallelGroup = "owner")
        public int next() {
            int task = queue.takeRunNext();
            return task != 0 ? task : queue.poll();
        }

        @Operation
        public boolean isEmpty() {
            return queue.isEmpty();
        }
    }

    public static class SmallModel extends Small {
        public SmallModel() {
            super(new RunQueueModel(2));
        }
    }

    public static class SmallProduct extends Small {
        public SmallProduct() {
            super(TestedQueue.ofProduct(2));
        }
    }

    public static class RoomyModel extends Roomy {
        public RoomyModel() {
            super(new RunQueueModel(64));
        }
    }

    public static class RoomyProduct extends Roomy {
        public RoomyProduct() {
            super(TestedQueue.ofProduct(64));
        }
    }

    public static class MovingModel extends Moving {
        public MovingModel() {
            super(new RunQueueModel(16));
        }
    }

    public static class MovingProduct extends Moving {
        public MovingProduct() {
            super(TestedQueue.ofProduct(16));
        }
    }

    public static class SmallRight extends Small {
        public SmallRight() {
            super(TestedQueue.ofTwin(2, Flaw.NONE));
        }
    }

    public static class MovingRight extends Moving {
        public MovingRight() {
            super(TestedQueue.ofTwin(16, Flaw.NONE));
        }
    }

    public static class SmallPoll extends Small {
        public SmallPoll() {
            super(TestedQueue.ofTwin(2, Flaw.POLL_WITHOUT_EXCHANGE));
        }
    }

    public static class SmallSteal extends Small {
        public SmallSteal() {
            super(TestedQueue.ofTwin(2, Flaw.STEAL_WITHOUT_EXCHANGE));
        }
    }

    public static class SmallSpill extends Small {
        public SmallSpill() {
            super(TestedQueue.ofTwin(2, Flaw.SPILL_WITHOUT_EXCHANGE));
        }
    }

    public static class SmallTail extends Small {
        public SmallTail() {
            super(TestedQueue.ofTwin(2, Flaw.TAIL_BEFORE_SLOT));
        }
    }

    public static class SmallRoom extends Small {
        public SmallRoom() {
            super(TestedQueue.ofTwin(2, Flaw.NO_ROOM_CHECK));
        }
    }

    public static class SmallRunNext extends Small {
        public SmallRunNext() {
            super(TestedQueue.ofTwin(2, Flaw.RUN_NEXT_WITHOUT_EXCHANGE));
        }
    }

    public static class MovingEmpty extends Moving {
        public MovingEmpty() {
            super(TestedQueue.ofTwin(16, Flaw.EMPTY_IN_ONE_LOOK));
        }
    }
}
