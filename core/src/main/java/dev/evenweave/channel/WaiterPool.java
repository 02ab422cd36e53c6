// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import org.jspecify.annotations.Nullable;

// Purpose. Gives waiters out and takes them back without a second trip through the lock: the granter retires a waiter
// into the pool while it holds the lock anyway, and the owner, when it has read the outcome, only marks it FREE. A
// waiter in the pool is therefore not always free yet; the oldest is the likeliest to be, so the pool is a FIFO.
//
// Invariants.
//   I1  A waiter is in the pool or linked in a queue or both unlinked and held by the one that has the lock.
//   I2  Nobody gets a waiter from the pool that is not FREE.
//
// Why not simpler. A free list that the owner returns its waiter to costs the owner a lock or a compare-and-set per
// wait, which a rendezvous would feel: it has two waits in a round trip of some 300 ns. A node per wait is garbage.

/** The waiters of a channel that are not queued. Every access is under the lock of the channel. */
final class WaiterPool {
    /** How many retired waiters are asked before a new one is made. Those that were not free go to the end. */
    private static final int TRIES = 8;

    private @Nullable Waiter head;
    private @Nullable Waiter tail;

    /** A waiter that is FREE: one that was used before, or else a new one. */
    Waiter take() {
        for (int i = 0; i < TRIES; i++) {
            Waiter first = head;
            if (first == null) {
                break;
            }
            head = first.next;
            if (head == null) {
                tail = null;
            }
            first.next = null;
            if (first.isFree()) {
                return first;
            }
            retire(first);
        }
        return new Waiter();
    }

    void retire(Waiter waiter) {
        assert waiter.next == null && waiter.previous == null && waiter.queue == null : "still linked";
        Waiter last = tail;
        if (last == null) {
            head = waiter;
        } else {
            last.next = waiter;
        }
        tail = waiter;
    }
}
