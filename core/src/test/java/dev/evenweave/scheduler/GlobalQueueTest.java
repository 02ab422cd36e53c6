// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static dev.evenweave.scheduler.Rig.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GlobalQueueTest {
    private final SpinLock lock = new SpinLock();
    private final GlobalQueue queue = new GlobalQueue(lock);

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 255, 256, 257, 1000, 40_000})
    void tasksComeOutInTheOrderOfArrivalAcrossGrowth(int count) {
        lock.lock();
        for (int round = 0; round < 3; round++) {
            int taken = 0;
            for (int i = 0; i < count; i++) {
                queue.add(task(i));
                if (i % 3 == 2) {
                    assertThat(queue.poll()).isEqualTo(task(taken++));
                }
            }
            assertThat(queue.size()).isEqualTo(count - taken);
            while (taken < count) {
                assertThat(queue.poll()).isEqualTo(task(taken++));
            }
            assertThat(queue.poll()).isNull();
            assertThat(queue.isEmpty()).isTrue();
        }
    }

    @Test
    void aBatchIsAddedInItsOrderBehindWhatIsThere() {
        lock.lock();
        queue.add(task("first"));
        Runnable[] batch = {task(0), task(1), task(2), task("not in the count")};
        queue.addAll(batch, 3);
        assertThat(queue.size()).isEqualTo(4);
        assertThat(queue.poll()).isEqualTo(task("first"));
        for (int i = 0; i < 3; i++) {
            assertThat(queue.poll()).isEqualTo(task(i));
        }
        assertThat(queue.poll()).isNull();
    }

    @Test
    void theTakenCountMovesWithEachTaskTaken() {
        lock.lock();
        queue.add(task(0));
        int before = queue.takenCount();
        queue.add(task(1));
        assertThat(queue.takenCount()).isEqualTo(before);
        queue.poll();
        assertThat(queue.takenCount()).isEqualTo(before + 1);
    }

    @Test
    void whatIsTakenLeavesNoReference() throws Exception {
        lock.lock();
        for (int i = 0; i < 1000; i++) {
            queue.add(task(i));
        }
        while (queue.poll() != null) {
            // taken
        }
        assertThat(ring()).containsOnlyNulls();
    }

    @Test
    void theMemoryOfABurstIsGivenUp() throws Exception {
        lock.lock();
        for (int i = 0; i < 4 * GlobalQueue.RETAINED_CAPACITY; i++) {
            queue.add(task(i));
        }
        assertThat(ring().length).isGreaterThan(GlobalQueue.RETAINED_CAPACITY);
        while (queue.poll() != null) {
            // taken
        }
        queue.add(task("after"));
        assertThat(ring()).hasSize(GlobalQueue.INITIAL_CAPACITY);
        assertThat(queue.poll()).isEqualTo(task("after"));
    }

    @Test
    void everyChangeIsMadeWithTheLockHeld_I1() {
        assertThatThrownBy(() -> queue.add(task(0))).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> queue.addAll(new Runnable[] {task(0)}, 1)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(queue::poll).isInstanceOf(AssertionError.class);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void anAddThatFindsNoMemoryChangesNothing_I2() {
        lock.lock();
        queue.add(task("before"));
        // More than any array can hold: the longer array cannot be made.
        assertThatThrownBy(() -> queue.reserve(Integer.MAX_VALUE - 8)).isInstanceOf(OutOfMemoryError.class);
        assertThat(queue.size()).isEqualTo(1);
        queue.add(task("after"));
        assertThat(queue.poll()).isEqualTo(task("before"));
        assertThat(queue.poll()).isEqualTo(task("after"));
    }

    private Runnable[] ring() throws Exception {
        MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(GlobalQueue.class, MethodHandles.lookup());
        Runnable[] ring = (Runnable[]) lookup.findVarHandle(GlobalQueue.class, "ring", Runnable[].class)
                .get(queue);
        return Arrays.copyOf(ring, ring.length);
    }
}
