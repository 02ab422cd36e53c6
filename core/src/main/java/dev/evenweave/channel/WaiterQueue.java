// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import org.jspecify.annotations.Nullable;

/** The waiters of one kind in the order of their arrival. Every access is under the lock of the channel. */
final class WaiterQueue {
    private @Nullable Waiter head;
    private @Nullable Waiter tail;

    void add(Waiter waiter) {
        assert waiter.next == null && waiter.previous == null : "already linked";
        Waiter last = tail;
        waiter.previous = last;
        if (last == null) {
            head = waiter;
        } else {
            last.next = waiter;
        }
        tail = waiter;
    }

    @Nullable
    Waiter poll() {
        Waiter first = head;
        if (first != null) {
            Waiter second = first.next;
            head = second;
            if (second == null) {
                tail = null;
            } else {
                second.previous = null;
                first.next = null;
            }
        }
        return first;
    }

    void remove(Waiter waiter) {
        Waiter previous = waiter.previous;
        Waiter next = waiter.next;
        if (previous == null) {
            assert head == waiter : "not in this queue";
            head = next;
        } else {
            previous.next = next;
        }
        if (next == null) {
            assert tail == waiter : "not in this queue";
            tail = previous;
        } else {
            next.previous = previous;
        }
        waiter.previous = null;
        waiter.next = null;
    }
}
