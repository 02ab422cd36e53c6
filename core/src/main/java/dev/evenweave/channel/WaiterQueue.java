// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Purpose. A FIFO of those who wait. It is a ring of places that stay where they are: to enter is to take the place at
// the tail, to be served is to be the place at the head. No links, no nodes, no free list; and, since the places stay
// in the array, no reference is stored but that of the owner.
//
//          head                 tail
//     free │ waiting gone waiting │ free, or DONE: the owner has not run yet
//
// Invariants.
//   I1  The places at head and before tail are WAITING, unless the queue is empty: so empty is head == tail.
//   I2  At most half of the places between are GONE, beyond the first few: leaving costs O(1) on average, and a long
//       wait at the head holds no more than twice what it must.
//   I3  A place is entered only when it is FREE. If the one at the tail is not (its owner was served and has not run
//       yet), a free one is exchanged for it, and if there is none near, the ring grows.
//
// Why not simpler. A linked list of objects from a pool stores a dozen references per wait. The arena of int ids that
// the wait lists of `sync` use has no place for an element, and its owner comes back through the lock to free its slot,
// which a rendezvous, with two waits in some 300 ns, would feel.

/** Those who wait, in the order of their arrival. Every access is under the lock of the channel, but one. */
final class WaiterQueue {
    private static final int FIRST_SIZE = 4;

    /** How many places are asked for a free one before the ring grows. */
    private static final int TRIES = 16;

    /** From this size on a place is made rather than the ring grown, when no free one is near. */
    private static final int AMPLE = 1 << 12;

    /** So many places may be GONE whatever the length. */
    private static final int GONE_ALLOWED = 8;

    private static final VarHandle WAITING;

    static {
        try {
            WAITING = MethodHandles.lookup().findVarHandle(WaiterQueue.class, "waiting", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private @Nullable Waiter[] places = new @Nullable Waiter[FIRST_SIZE];
    private int head;
    private int tail;
    private int gone;

    /** tail - head - gone, for those who have no lock. */
    @SuppressWarnings("unused")
    private int waiting;

    boolean isEmpty() {
        return head == tail;
    }

    /** Whether it was empty at some moment during the call; needs no lock. */
    boolean looksEmpty() {
        return (int) WAITING.getVolatile(this) == 0;
    }

    /** Takes the last place. */
    Waiter enter(Object owner, @Nullable Object element) {
        if (tail - head == places.length) {
            resize(2 * places.length);
        }
        int slot = tail & (places.length - 1);
        Waiter place = places[slot];
        if (place == null || !place.isFree()) {
            place = freePlace();
        }
        place.begin(owner, element);
        place.position = tail++;
        count();
        return place;
    }

    /** Takes out the one that came first, or returns null if nobody waits. */
    @Nullable
    Waiter poll() {
        if (head == tail) {
            return null;
        }
        Waiter first = at(head);
        head++;
        passGone();
        count();
        return first;
    }

    /** Takes out one who waits. */
    void leave(Waiter waiter) {
        assert at(waiter.position) == waiter : "not in this queue";
        waiter.leave();
        gone++;
        passGone();
        while (tail != head && at(tail - 1).isGone()) {
            tail--;
            gone--;
            at(tail).forget();
        }
        if (gone > GONE_ALLOWED && gone > (tail - head) / 2) {
            compact();
        }
        count();
    }

    private void passGone() {
        while (head != tail && at(head).isGone()) {
            at(head).forget();
            head++;
            gone--;
        }
    }

    private void count() {
        WAITING.setOpaque(this, tail - head - gone);
    }

    private Waiter at(int position) {
        return Objects.requireNonNull(places[position & (places.length - 1)]);
    }

    /** Puts a free place at the tail. */
    private Waiter freePlace() {
        int mask = places.length - 1;
        int slot = tail & mask;
        int unused = places.length - (tail - head);
        for (int i = 0; i < unused && i < TRIES; i++) {
            int other = (tail + i) & mask;
            Waiter place = places[other];
            if (place == null) {
                place = new Waiter();
            } else if (!place.isFree()) {
                continue;
            }
            places[other] = places[slot];
            places[slot] = place;
            return place;
        }
        if (places.length < AMPLE) {
            resize(2 * places.length);
            slot = tail & (places.length - 1);
        }
        Waiter place = new Waiter();
        places[slot] = place;
        return place;
    }

    /** Moves to a larger array, those who wait first and the others, which may still be free one day, behind. */
    private void resize(int size) {
        @Nullable Waiter[] larger = new @Nullable Waiter[size];
        int length = tail - head;
        for (int i = 0; i < places.length; i++) {
            Waiter place = places[(head + i) & (places.length - 1)];
            larger[i] = place;
            if (i < length) {
                Objects.requireNonNull(place).position = i;
            }
        }
        places = larger;
        head = 0;
        tail = length;
    }

    /** Moves those who wait together. */
    private void compact() {
        int mask = places.length - 1;
        int to = head;
        for (int from = head; from != tail; from++) {
            Waiter place = at(from);
            if (place.isGone()) {
                place.forget();
            } else {
                places[from & mask] = places[to & mask];
                places[to & mask] = place;
                place.position = to++;
            }
        }
        tail = to;
        gone = 0;
    }
}
