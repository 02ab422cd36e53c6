// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitListTest {
    private final WaitList list = new WaitList();

    @Test
    void keepsTheOrderOfArrival() {
        int a = list.add(WaitList.QUEUE, 9, 1, "a");
        int b = list.add(WaitList.QUEUE, 9, 2, "b");
        int c = list.addFirst(WaitList.QUEUE, 9, 3, "c");
        assertThat(ids(WaitList.QUEUE)).containsExactly(c, a, b);
        assertThat(list.need(b)).isEqualTo(2);
        assertThat(list.want(b)).isEqualTo(9);
        assertThat(list.waiter(c)).isEqualTo("c");
    }

    @Test
    void slotsAreReusedLastInFirstOut_I3() {
        int a = list.add(WaitList.QUEUE, 9, 1, "a");
        int b = list.add(WaitList.QUEUE, 9, 1, "b");
        list.unlink(a);
        list.free(a);
        list.unlink(b);
        list.free(b);
        assertThat(list.add(WaitList.QUEUE, 9, 1, "c")).isEqualTo(b);
        assertThat(list.add(WaitList.QUEUE, 9, 1, "d")).isEqualTo(a);
    }

    @Test
    void anUnlinkedIdIsNotReusedUntilItIsFreed_I1() {
        int a = list.add(WaitList.QUEUE, 9, 1, "a");
        list.unlink(a);
        int b = list.add(WaitList.QUEUE, 9, 1, "b");
        assertThat(b).isNotEqualTo(a);
        assertThat(list.waiter(a)).isEqualTo("a");
    }

    @Test
    void unlinkingTwiceDoesNothing_I2() {
        int a = list.add(WaitList.QUEUE, 9, 1, "a");
        int b = list.add(WaitList.QUEUE, 9, 1, "b");
        list.unlink(a);
        list.unlink(a);
        assertThat(ids(WaitList.QUEUE)).containsExactly(b);
    }

    @Test
    void freeingALinkedSlotIsAnAssertionFailure_I1() {
        int a = list.add(WaitList.QUEUE, 9, 1, "a");
        assertThatThrownBy(() -> list.free(a)).isInstanceOf(AssertionError.class);
    }

    @Test
    void aFreeSlotHoldsNoReference_I4() {
        int a = list.add(WaitList.QUEUE, 9, 1, "a");
        list.unlink(a);
        list.free(a);
        assertThat(list.waiter(a)).isNull();
    }

    @Test
    void growsOnlyWhenNoSlotIsFreeAndKeepsEverything_I3_I5() {
        List<Integer> added = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            added.add(list.add(WaitList.QUEUE, 9, i, i));
        }
        assertThat(ids(WaitList.QUEUE)).isEqualTo(added);
        int capacity = list.capacity();
        for (int round = 0; round < 10; round++) {
            for (int id : ids(WaitList.QUEUE)) {
                list.unlink(id);
                list.free(id);
            }
            for (int i = 0; i < 1000; i++) {
                list.add(WaitList.QUEUE, 9, i, i);
            }
        }
        assertThat(list.capacity()).isEqualTo(capacity);
    }

    @Test
    void anIdChangesListsWithoutItsOwnerKnowing() {
        int other = list.newList();
        int a = list.add(other, 9, 1, "a");
        int b = list.add(WaitList.QUEUE, 9, 1, "b");
        list.move(a, WaitList.QUEUE);
        assertThat(ids(WaitList.QUEUE)).containsExactly(b, a);
        assertThat(list.isEmpty(other)).isTrue();
        list.dropList(other);
        assertThat(list.newList()).isEqualTo(other);
    }

    @Test
    void aListInUseCannotBeDropped() {
        int other = list.newList();
        list.add(other, 9, 1, "a");
        assertThatThrownBy(() -> list.dropList(other)).isInstanceOf(AssertionError.class);
    }

    private List<Integer> ids(int of) {
        List<Integer> ids = new ArrayList<>();
        for (int id = list.first(of); id != 0; id = list.next(of, id)) {
            ids.add(id);
        }
        return ids;
    }
}
