// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A shrunken copy of {@link Chain} and {@link Ring} with one thing left out, to show that the tests would notice. With
 * {@link Flaw#NONE} it is right, and passes them.
 */
final class ChainTwin implements TestedDeque {
    /** What is left out. */
    enum Flaw {
        NONE,
        /** The owner moves the head by a store: a taker may have won the same object. Breaks Ring I1. */
        POP_HEAD_WITHOUT_EXCHANGE,
        /** A taker moves the tail by a store. Breaks Ring I1. */
        POP_TAIL_WITHOUT_EXCHANGE,
        /** The counters move before the slot is written. Breaks Ring I4. */
        PUBLISH_BEFORE_WRITE,
        /** The successor is read after the pop: the ring may have been filled in between. Breaks Chain I1. */
        SUCCESSOR_READ_TOO_LATE,
        /** A ring that looked empty is taken for the last one. Breaks Chain I3. */
        NO_SECOND_LOOK
    }

    private static final int CAPACITY = 2;
    private static final long HEAD = 1L << 32;

    private final Flaw flaw;
    private Link head = new Link(null);
    private final AtomicReference<Link> tail = new AtomicReference<>(head);

    ChainTwin(Flaw flaw) {
        this.flaw = flaw;
    }

    @Override
    public void pushHead(int object) {
        if (!push(head, object)) {
            Link larger = new Link(head);
            head.next.set(larger);
            head = larger;
            push(larger, object);
        }
    }

    private boolean push(Link link, int object) {
        long counters = link.counters.get();
        int index = (int) (counters >>> 32);
        if (index - (int) counters == CAPACITY || link.slot(index).get() != 0) {
            return false;
        }
        if (flaw == Flaw.PUBLISH_BEFORE_WRITE) {
            link.counters.getAndAdd(HEAD);
            link.slot(index).set(object);
        } else {
            link.slot(index).set(object);
            link.counters.getAndAdd(HEAD);
        }
        return true;
    }

    @Override
    public int popHead() {
        for (Link link = head; link != null; link = link.prev.get()) {
            while (true) {
                long counters = link.counters.get();
                if ((int) (counters >>> 32) == (int) counters) {
                    break;
                }
                if (link.move(counters, counters - HEAD, flaw == Flaw.POP_HEAD_WITHOUT_EXCHANGE)) {
                    return clear(link.slot((int) (counters >>> 32) - 1));
                }
            }
        }
        return 0;
    }

    @Override
    public int popTail() {
        Link link = tail.get();
        while (true) {
            Link successor = flaw == Flaw.SUCCESSOR_READ_TOO_LATE ? null : link.next.get();
            int object = popTail(link);
            if (object != 0) {
                return object;
            }
            if (flaw == Flaw.SUCCESSOR_READ_TOO_LATE) {
                successor = link.next.get();
            }
            if (successor == null) {
                if (flaw != Flaw.NO_SECOND_LOOK && link.next.get() != null) {
                    continue;
                }
                return 0;
            }
            if (tail.compareAndSet(link, successor)) {
                successor.prev.set(null);
            }
            link = successor;
        }
    }

    private int popTail(Link link) {
        while (true) {
            long counters = link.counters.get();
            if ((int) (counters >>> 32) == (int) counters) {
                return 0;
            }
            if (link.move(counters, counters + 1, flaw == Flaw.POP_TAIL_WITHOUT_EXCHANGE)) {
                return clear(link.slot((int) counters));
            }
        }
    }

    private static int clear(AtomicInteger slot) {
        int object = slot.get();
        slot.set(0);
        return object;
    }

    /** A ring of two; its counters are too few to carry from the lower half into the upper one. */
    private static final class Link {
        final AtomicLong counters = new AtomicLong();
        final AtomicInteger even = new AtomicInteger();
        final AtomicInteger odd = new AtomicInteger();
        final AtomicReference<Link> next = new AtomicReference<>();
        final AtomicReference<Link> prev;

        Link(Link prev) {
            this.prev = new AtomicReference<>(prev);
        }

        AtomicInteger slot(int index) {
            return index % 2 == 0 ? even : odd;
        }

        boolean move(long from, long to, boolean byStore) {
            if (byStore) {
                counters.set(to);
                return true;
            }
            return counters.compareAndSet(from, to);
        }
    }
}
