// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.util.ArrayDeque;
import java.util.Deque;

/** What the tests ask of a ring or a chain, in numbers instead of objects: 0 is none. */
interface TestedDeque {
    void pushHead(int object);

    int popHead();

    int popTail();

    /** What a deque does when one thread at a time uses it. */
    static TestedDeque model() {
        Deque<Integer> deque = new ArrayDeque<>();
        return new TestedDeque() {
            @Override
            public void pushHead(int object) {
                deque.addFirst(object);
            }

            @Override
            public int popHead() {
                return number(deque.pollFirst());
            }

            @Override
            public int popTail() {
                return number(deque.pollLast());
            }
        };
    }

    /** A ring that is never full in these tests. */
    static TestedDeque ring() {
        Ring ring = new Ring(32, null);
        return new TestedDeque() {
            @Override
            public void pushHead(int object) {
                if (!ring.pushHead(object)) {
                    throw new IllegalStateException("full");
                }
            }

            @Override
            public int popHead() {
                return number(ring.popHead());
            }

            @Override
            public int popTail() {
                return number(ring.popTail());
            }
        };
    }

    /** A chain of rings that are full soon. */
    static TestedDeque chain(int firstRing, int maxRing) {
        Chain chain = new Chain(firstRing, maxRing);
        return new TestedDeque() {
            @Override
            public void pushHead(int object) {
                chain.pushHead(object);
            }

            @Override
            public int popHead() {
                return number(chain.popHead());
            }

            @Override
            public int popTail() {
                return number(chain.popTail());
            }
        };
    }

    static int number(Object object) {
        return object == null ? 0 : (Integer) object;
    }
}
