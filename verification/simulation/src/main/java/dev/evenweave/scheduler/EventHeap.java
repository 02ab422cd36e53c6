// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.util.Arrays;

/** The next time at which something happens to each of some numbered things, and which of them comes first. */
final class EventHeap {
    private static final int ABSENT = -1;

    private int[] heap = new int[16];
    private int[] place = new int[16];
    private long[] time = new long[16];
    private int size;

    EventHeap() {
        Arrays.fill(place, ABSENT);
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** The thing whose time comes first; among equals the one with the smallest number. */
    int first() {
        return heap[0];
    }

    long firstTime() {
        return time[heap[0]];
    }

    void set(int id, long at) {
        if (id >= place.length) {
            int length = Math.max(2 * place.length, id + 1);
            int old = place.length;
            place = Arrays.copyOf(place, length);
            Arrays.fill(place, old, length, ABSENT);
            time = Arrays.copyOf(time, length);
            heap = Arrays.copyOf(heap, length);
        }
        int at0 = place[id];
        time[id] = at;
        if (at0 == ABSENT) {
            up(size++, id);
        } else if (at0 > 0 && isBefore(id, heap[(at0 - 1) >> 2])) {
            up(at0, id);
        } else {
            down(at0, id);
        }
    }

    void remove(int id) {
        int at = id < place.length ? place[id] : ABSENT;
        if (at == ABSENT) {
            return;
        }
        place[id] = ABSENT;
        int last = heap[--size];
        if (last != id) {
            if (at > 0 && isBefore(last, heap[(at - 1) >> 2])) {
                up(at, last);
            } else {
                down(at, last);
            }
        }
    }

    private boolean isBefore(int a, int b) {
        return time[a] < time[b] || time[a] == time[b] && a < b;
    }

    private void up(int at, int id) {
        while (at > 0) {
            int parent = (at - 1) >> 2;
            int other = heap[parent];
            if (!isBefore(id, other)) {
                break;
            }
            heap[at] = other;
            place[other] = at;
            at = parent;
        }
        heap[at] = id;
        place[id] = at;
    }

    private void down(int at, int id) {
        while (true) {
            int child = 4 * at + 1;
            if (child >= size) {
                break;
            }
            int end = Math.min(child + 4, size);
            int least = child;
            while (++child < end) {
                if (isBefore(heap[child], heap[least])) {
                    least = child;
                }
            }
            if (!isBefore(heap[least], id)) {
                break;
            }
            heap[at] = heap[least];
            place[heap[at]] = at;
            at = least;
        }
        heap[at] = id;
        place[id] = at;
    }
}
