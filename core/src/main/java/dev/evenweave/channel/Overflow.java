// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Purpose. What an unlimited channel holds beyond its ring: a FIFO in chunks. A chunk that was emptied is kept for the
// next need, one of them, so that a queue that breathes around some length allocates nothing and one that has shrunk
// holds nothing.

/** An unbounded FIFO. Every access is under the lock of the channel. */
final class Overflow {
    private static final int CHUNK = 128;

    private static final class Chunk {
        final @Nullable Object[] elements = new @Nullable Object[CHUNK];

        @Nullable
        Chunk next;
    }

    private Chunk first = new Chunk();
    private Chunk last = first;
    private @Nullable Chunk spare;
    private int firstIndex;
    private int lastIndex;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    void add(Object element) {
        if (lastIndex == CHUNK) {
            Chunk chunk = spare;
            spare = null;
            if (chunk == null) {
                chunk = new Chunk();
            }
            last.next = chunk;
            last = chunk;
            lastIndex = 0;
        }
        last.elements[lastIndex++] = element;
        size++;
    }

    /** The oldest element, or null if there is none. */
    @Nullable
    Object poll() {
        if (size == 0) {
            return null;
        }
        if (firstIndex == CHUNK) {
            Chunk emptied = first;
            first = Objects.requireNonNull(emptied.next);
            firstIndex = 0;
            emptied.next = null;
            spare = emptied;
        }
        Object element = first.elements[firstIndex];
        first.elements[firstIndex++] = null;
        size--;
        return element;
    }
}
