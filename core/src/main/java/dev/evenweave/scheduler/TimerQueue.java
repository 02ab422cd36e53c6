// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. Timers in the order of their deadlines: a heap with four children per node, in which each timer knows its place,
 * so that a cancelled one leaves at once and nothing of it stays behind.
 *
 * Invariants (I1-I3 checked by check(), which tests call).
 * I1. No timer is earlier than its parent.
 * I2. heap[i].index == i for i < size; a timer that is not in the heap has index -1.
 * I3. heap[i] == null for i >= size.
 * I4. Timers of equal deadline fire in the order in which they were added.
 *
 * Who may touch what. Everything: under the lock of the Timers that owns this queue.
 *
 * Why four children. Half the levels of a binary heap for an insertion, which is what a timed wait that ends early pays, and
 * the four lie side by side. Source: Go's timer heap.
 */
/** A heap of timers. */
final class TimerQueue {
    private static final int INITIAL_CAPACITY = 64;

    private @Nullable Timer[] heap = new Timer[INITIAL_CAPACITY];
    private int size;
    private long added;

    int size() {
        return size;
    }

    @Nullable
    Timer peek() {
        return heap[0];
    }

    /** Adds a timer; if this fails for want of memory, nothing has changed. */
    void add(Timer timer) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        timer.order = added++;
        up(size++, timer);
    }

    /** Takes the earliest timer if its deadline has come. */
    @Nullable
    Timer pollExpired(long now) {
        Timer first = heap[0];
        if (first == null || first.deadline - now > 0) {
            return null;
        }
        remove(first);
        return first;
    }

    /** Takes a timer out; false if it is not in. */
    boolean remove(Timer timer) {
        int at = timer.index;
        if (at < 0) {
            return false;
        }
        timer.index = -1;
        Timer last = java.util.Objects.requireNonNull(heap[--size]);
        heap[size] = null;
        if (last != timer) {
            if (at > 0 && last.isBefore(get((at - 1) >> 2))) {
                up(at, last);
            } else {
                down(at, last);
            }
        }
        if (heap.length > INITIAL_CAPACITY && size < heap.length / 8) {
            shrink();
        }
        return true;
    }

    private void shrink() {
        try {
            heap = Arrays.copyOf(heap, heap.length / 2);
        } catch (OutOfMemoryError e) {
            // The long array serves as well.
        }
    }

    private Timer get(int index) {
        Timer timer = heap[index];
        assert timer != null;
        return timer;
    }

    private void up(int at, Timer timer) {
        while (at > 0) {
            int parent = (at - 1) >> 2;
            Timer other = get(parent);
            if (!timer.isBefore(other)) {
                break;
            }
            place(at, other);
            at = parent;
        }
        place(at, timer);
    }

    private void down(int at, Timer timer) {
        while (true) {
            int child = 4 * at + 1;
            if (child >= size) {
                break;
            }
            int end = Math.min(child + 4, size);
            int least = child;
            while (++child < end) {
                if (get(child).isBefore(get(least))) {
                    least = child;
                }
            }
            if (!get(least).isBefore(timer)) {
                break;
            }
            place(at, get(least));
            at = least;
        }
        place(at, timer);
    }

    private void place(int at, Timer timer) {
        heap[at] = timer;
        timer.index = at;
    }

    /** Verifies the invariants; for tests. */
    void check() {
        for (int i = 0; i < heap.length; i++) {
            Timer timer = heap[i];
            if (i >= size) {
                require(timer == null, "I3", i);
            } else {
                require(timer != null && timer.index == i, "I2", i);
                require(i == 0 || timer == null || !timer.isBefore(get((i - 1) >> 2)), "I1", i);
            }
        }
    }

    private static void require(boolean holds, String invariant, int at) {
        if (!holds) {
            throw new AssertionError(invariant + " broken at " + at);
        }
    }
}
