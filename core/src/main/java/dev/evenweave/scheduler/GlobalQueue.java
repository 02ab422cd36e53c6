// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. Tasks that belong to no carrier, in the order of their arrival: submitted from outside, yielded, preempted, or
 * spilled from a full ring.
 *
 * Invariants.
 * I1. Every method but size() and takenCount() is called with the scheduler's lock held.
 * I2. add() is all or nothing: if the longer array cannot be allocated, nothing has changed and the error goes to the JDK,
 *     which tries again.
 *
 * Why not a lock-free queue. Go's batch rule needs "how many" and "take that many" in one step; a linked queue allocates a
 * node per task; and the check "nothing is queued" must be one with the release of a processor (see Dispatcher).
 */
/** The queue that all carriers share. */
final class GlobalQueue {
    static final int INITIAL_CAPACITY = 256;

    /** An array longer than this is given up once the queue has run empty: a burst should not hold memory for ever. */
    static final int RETAINED_CAPACITY = 1 << 14;

    private static final int MAX_CAPACITY = 1 << 30;

    private static final VarHandle SIZE;
    private static final VarHandle HEAD;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SIZE = lookup.findVarHandle(GlobalQueue.class, "size", int.class);
            HEAD = lookup.findVarHandle(GlobalQueue.class, "head", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** In a field for the tests of what happens when memory runs out. */
    int maxCapacity = MAX_CAPACITY;

    private final SpinLock lock;
    private @Nullable Runnable[] ring = new Runnable[INITIAL_CAPACITY];
    private int head;
    private volatile int size;

    GlobalQueue(SpinLock lock) {
        this.lock = lock;
    }

    /** A moment's view; exact under the lock. */
    int size() {
        return (int) SIZE.getAcquire(this);
    }

    boolean isEmpty() {
        return size() == 0;
    }

    void add(Runnable task) {
        reserve(1);
        ring[(head + size) & (ring.length - 1)] = task;
        SIZE.setRelease(this, size + 1);
    }

    void addAll(@Nullable Runnable[] tasks, int count) {
        reserve(count);
        for (int i = 0; i < count; i++) {
            ring[(head + size + i) & (ring.length - 1)] = tasks[i];
        }
        SIZE.setRelease(this, size + count);
    }

    @Nullable
    Runnable poll() {
        assert lock.isHeld();
        int n = size;
        if (n == 0) {
            return null;
        }
        int slot = head & (ring.length - 1);
        Runnable task = ring[slot];
        ring[slot] = null;
        HEAD.setOpaque(this, head + 1);
        SIZE.setRelease(this, n - 1);
        return task;
    }

    /** Grows by one with each task taken: what stands still, waits. */
    int takenCount() {
        return (int) HEAD.getOpaque(this);
    }

    private void shrink() {
        try {
            ring = new Runnable[INITIAL_CAPACITY];
        } catch (OutOfMemoryError e) {
            // The long array serves as well.
        }
    }

    /** Makes room for {@code more} tasks. */
    void reserve(int more) {
        assert lock.isHeld();
        int n = size;
        if (n == 0 && ring.length > RETAINED_CAPACITY && more <= INITIAL_CAPACITY) {
            shrink();
        }
        if (more > ring.length - n) {
            if (more > maxCapacity - n) {
                throw new OutOfMemoryError("more than " + maxCapacity + " runnable threads");
            }
            int capacity = ring.length;
            while (capacity < n + more) {
                capacity <<= 1;
            }
            Runnable[] longer = new Runnable[capacity];
            for (int i = 0; i < n; i++) {
                longer[(head + i) & (capacity - 1)] = ring[(head + i) & (ring.length - 1)];
            }
            ring = longer;
        }
    }
}
