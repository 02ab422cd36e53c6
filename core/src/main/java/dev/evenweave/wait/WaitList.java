// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Purpose. FIFO lists of waiters that cost no allocation once warm. A waiter is an int id into arrays, not an object:
// the slot of an id holds the waiter (a Thread or a CallbackWaiter), what it asked for and still needs, and the links.
//
// States of a slot.
//
//            add, addFirst                 the releaser                     the owner
//   FREE ──────────────────▶ LINKED ──────────────────────▶ WOKEN ───────────────────────▶ FREE
//                              │    need := 0 or below,      (linked in list WOKEN until
//                              │    unlink                    somebody wakes it, or unlinked)
//                              └──────── unlink, free: the owner cancels ────────────────▶ FREE
//
// Who unlinks and who frees are two parties: the releaser unlinks and writes the result (`need`), the owner of the id
// reads the result and frees the slot. A thread owns the id that its stack frame holds; a CallbackWaiter is owned by
// the queue from the moment it is woken, since its result is copied into the object itself.
//
// Invariants.
//   I1  An id is never reused while its owner can still look at it: only the owner frees. So ids need no generation.
//   I2  A slot is linked in at most one list. A slot that is not linked points to itself.
//   I3  Slots are reused last in, first out (the hottest slot first), and none is allocated while one is free.
//   I4  A free slot holds no reference.
//   I5  The arrays grow before anything else changes: a failed allocation leaves all lists as they were.
//
// Memory order. None: every method is called under the lock of the owner (WaitQueue). The one exception is
// isEmpty(WOKEN), which a releaser may call after it unlocked, because it then looks for what it itself linked.
//
// Why not simpler. Node objects, one per wait, are 32 bytes of garbage per blocked call; pooling nodes per thread needs
// a ThreadLocal, and per virtual thread that is garbage again. An arena per primitive is warm when the primitive is.
// A sentinel slot per list makes unlink free of branches and lets an id change lists (Condvar to Mutex) in O(1) without
// its owner knowing.

/**
 * Doubly linked lists of waiters over one arena; ids are positive ints, 0 says none.
 *
 * <p>Not thread-safe: for use under the lock of a {@link WaitQueue}. Never shrinks.
 */
public class WaitList {
    /** The list of those who wait. */
    public static final int QUEUE = 0;

    /** The list of those who have their result and are still to be woken. */
    public static final int WOKEN = 1;

    private static final int FIRST_ID = 2;
    private static final int FIRST_CAPACITY = 4;

    // The arrays of all lists that nobody has waited in, which are only read.
    private static final int[] NO_LINKS = {QUEUE, QUEUE, WOKEN, WOKEN};
    private static final long[] NO_AMOUNTS = new long[2 * FIRST_ID];
    private static final @Nullable Object[] NO_WAITERS = new @Nullable Object[FIRST_ID];

    /** Where lists come from when not from here: the lab compares another storage with this one. */
    private static volatile @Nullable Supplier<? extends WaitList> replacement;

    /** {@code links[2 * id]} is the next id and {@code links[2 * id + 1]} the one before; a free slot has the next free. */
    private int[] links = NO_LINKS;

    /** {@code amounts[2 * id]} is what is still needed and {@code amounts[2 * id + 1]} what was asked for. */
    private long[] amounts = NO_AMOUNTS;

    private @Nullable Object[] waiters = NO_WAITERS;

    /** The free slot used last, 0 if there is none. */
    private int free;

    /** The first id that was never used. */
    private int fresh = FIRST_ID;

    protected WaitList() {}

    /** Makes an empty list, of the lab's storage if the lab has set one. */
    static WaitList create() {
        Supplier<? extends WaitList> other = replacement;
        return other == null ? new WaitList() : other.get();
    }

    /** For the lab: makes every primitive that has not waited yet use another storage, or this one again if null. */
    public static void replaceStorage(@Nullable Supplier<? extends WaitList> other) {
        replacement = other;
    }

    /** Makes sure that the next {@code add} cannot fail. */
    public void reserve() {
        grow();
    }

    private void grow() {
        if (free == 0 && fresh == waiters.length) {
            int capacity = fresh == FIRST_ID ? FIRST_ID + FIRST_CAPACITY : Math.multiplyExact(fresh, 2);
            int[] moreLinks = Arrays.copyOf(links, 2 * capacity);
            long[] moreAmounts = Arrays.copyOf(amounts, 2 * capacity);
            @Nullable Object[] moreWaiters = Arrays.copyOf(waiters, capacity);
            links = moreLinks;
            amounts = moreAmounts;
            waiters = moreWaiters;
        }
    }

    /** Appends to the list and returns the id. */
    public int add(int list, long want, long need, @Nullable Object waiter) {
        int id = allocate(want, need, waiter);
        linkBefore(list, id);
        return id;
    }

    /** Puts at the head of the list and returns the id. */
    public int addFirst(int list, long want, long need, @Nullable Object waiter) {
        int id = allocate(want, need, waiter);
        linkBefore(links[2 * list], id);
        return id;
    }

    /** The head of the list, or 0. */
    public int first(int list) {
        int id = links[2 * list];
        return id == list ? 0 : id;
    }

    /** The one behind, or 0. */
    public int next(int list, int id) {
        int next = links[2 * id];
        return next == list ? 0 : next;
    }

    public boolean isEmpty(int list) {
        return links[2 * list] == list;
    }

    /** Takes the id out of the list that it is in; does nothing if it is in none. */
    public void unlink(int id) {
        if (links[2 * id] != id) {
            unlinkLinked(id);
        }
    }

    /** Takes the id out of its list and appends it to another. */
    public void move(int id, int list) {
        unlinkLinked(id);
        linkBefore(list, id);
    }

    /** Gives the slot back; the id must not be linked, and its owner must forget it. */
    public void free(int id) {
        assert links[2 * id] == id : "slot " + id + " is freed while linked (I1)";
        waiters[id] = null;
        links[2 * id] = free;
        links[2 * id + 1] = -1;
        free = id;
    }

    /** What is still needed, or the result. */
    public long need(int id) {
        return amounts[2 * id];
    }

    public void need(int id, long need) {
        amounts[2 * id] = need;
    }

    /** What was asked for. */
    public long want(int id) {
        return amounts[2 * id + 1];
    }

    public @Nullable Object waiter(int id) {
        return waiters[id];
    }

    /** Makes a list of its own in this arena: a sentinel slot, to be given back with {@link #dropList}. */
    public int newList() {
        return allocate(0, 0, null);
    }

    public void dropList(int list) {
        assert isEmpty(list) : "list " + list + " is dropped with waiters in it";
        free(list);
    }

    /** How many slots the arena has; for tests. */
    public int capacity() {
        return waiters.length - FIRST_ID;
    }

    private int allocate(long want, long need, @Nullable Object waiter) {
        int id = free;
        if (id == 0) {
            grow();
            id = fresh++;
        } else {
            free = links[2 * id];
        }
        links[2 * id] = id;
        links[2 * id + 1] = id;
        amounts[2 * id] = need;
        amounts[2 * id + 1] = want;
        waiters[id] = waiter;
        return id;
    }

    private void linkBefore(int next, int id) {
        int before = links[2 * next + 1];
        links[2 * id] = next;
        links[2 * id + 1] = before;
        links[2 * before] = id;
        links[2 * next + 1] = id;
    }

    private void unlinkLinked(int id) {
        int next = links[2 * id];
        int before = links[2 * id + 1];
        links[2 * before] = next;
        links[2 * next + 1] = before;
        links[2 * id] = id;
        links[2 * id + 1] = id;
    }
}
