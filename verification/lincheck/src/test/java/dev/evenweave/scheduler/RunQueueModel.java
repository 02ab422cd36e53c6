// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** What a run queue does when one thread at a time uses it. */
final class RunQueueModel implements TestedQueue {
    private final int capacity;
    private final Deque<Integer> ring = new ArrayDeque<>();
    private int runNext;

    RunQueueModel(int capacity) {
        this.capacity = capacity;
    }

    @Override
    public boolean offer(int task) {
        return ring.size() < capacity && ring.add(task);
    }

    @Override
    public int poll() {
        Integer task = ring.poll();
        return task == null ? 0 : task;
    }

    @Override
    public int replaceRunNext(int task) {
        int old = runNext;
        runNext = task;
        return old;
    }

    @Override
    public int takeRunNext() {
        return replaceRunNext(0);
    }

    @Override
    public boolean takeRunNext(int task) {
        return runNext == task && replaceRunNext(0) == task;
    }

    @Override
    public List<Integer> takeHalf() {
        return take(ring.size() == capacity ? capacity / 2 : 0);
    }

    @Override
    public List<Integer> steal() {
        return take(ring.size() - ring.size() / 2);
    }

    private List<Integer> take(int count) {
        List<Integer> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(ring.remove());
        }
        return taken;
    }

    @Override
    public boolean isRingEmpty() {
        return ring.isEmpty();
    }

    @Override
    public boolean isEmpty() {
        return ring.isEmpty() && runNext == 0;
    }
}
