// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The waiters of one kind in the order of their arrival. Every access is under the lock of the channel, but one. */
final class WaiterQueue {
    private static final VarHandle HEAD;

    static {
        try {
            HEAD = MethodHandles.lookup().findVarHandle(WaiterQueue.class, "head", Waiter.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private @Nullable Waiter head;
    private @Nullable Waiter tail;

    boolean isEmpty() {
        return head == null;
    }

    /** Whether it was empty at some moment during the call; needs no lock. */
    boolean looksEmpty() {
        return HEAD.getVolatile(this) == null;
    }

    void add(Waiter waiter) {
        assert waiter.next == null && waiter.previous == null && waiter.queue == null : "already linked";
        Waiter last = tail;
        waiter.previous = last;
        waiter.queue = this;
        if (last == null) {
            HEAD.setOpaque(this, waiter);
        } else {
            last.next = waiter;
        }
        tail = waiter;
    }

    /** Unlinks the one that came first. */
    @Nullable
    Waiter poll() {
        Waiter first = head;
        if (first != null) {
            remove(first);
        }
        return first;
    }

    void remove(Waiter waiter) {
        assert waiter.queue == this : "not in this queue";
        Waiter previous = waiter.previous;
        Waiter next = waiter.next;
        if (previous == null) {
            HEAD.setOpaque(this, next);
        } else {
            previous.next = next;
            waiter.previous = null;
        }
        if (next == null) {
            tail = previous;
        } else {
            next.previous = previous;
            waiter.next = null;
        }
        waiter.queue = null;
    }
}
