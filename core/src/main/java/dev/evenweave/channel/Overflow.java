// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.channel;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Purpose. What an unlimited channel holds beyond its ring: a FIFO in chunks. A few chunks that were emptied are kept
// for
// the next need, so that a queue that breathes by some hundreds allocates nothing and one that has shrunk holds little.

/** An unbounded FIFO. Every access is under the lock of the channel. */
final class Overflow {
    private static final int CHUNK = 128;

    /** With these a queue may grow and shrink by a thousand elements for nothing; they are some 5 KB. */
    private static final int MAX_SPARES = 8;

    private static final class Chunk {
        final @Nullable Object[] elements = new @Nullable Object[CHUNK];

        @Nullable
        Chunk next;
    }

    private Chunk first = new Chunk();
    private Chunk last = first;
    private @Nullable Chunk spare;
    private int spares;
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
            if (chunk == null) {
                chunk = new Chunk();
            } else {
                spare = chunk.next;
                chunk.next = null;
                spares--;
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
            if (spares < MAX_SPARES) {
                emptied.next = spare;
                spare = emptied;
                spares++;
            }
        }
        Object element = first.elements[firstIndex];
        first.elements[firstIndex++] = null;
        size--;
        return element;
    }
}
