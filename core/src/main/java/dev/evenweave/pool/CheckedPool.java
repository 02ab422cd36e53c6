// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. A pool that knows where each of its objects is, to find misuse. Slow, and meant to be.
 *
 * States of an object, as the ledger has it.
 *
 *      unknown --get--> OUT --put--> IN --get--> OUT ...
 *         |              |            |
 *        put          collected      put            IN also means dropped: it is not the caller's any more
 *         v              v            v
 *      FOREIGN         LEAKED     PUT_TWICE         changed while IN, seen at the next get: USED_AFTER_PUT
 *
 * Invariants.
 *   I1  The ledger has an entry for each object that get returned and the collector has not taken, and holds none of them.
 *   I2  Callbacks (factory, reset, size, fingerprint, handler) run outside the lock.
 *
 * Who may touch what. Everything but the options: under the lock.
 */
/** The pool of {@link PoolBuilder#checked()}. */
final class CheckedPool<T> implements Pool<T> {
    private static final System.Logger LOG = System.getLogger("dev.evenweave.pool");

    private final Supplier<? extends T> factory;
    private final @Nullable Consumer<? super T> reset;
    private final @Nullable ToLongFunction<? super T> sizeOf;
    private final long maxSize;
    private final int maxRetained;
    private final Consumer<? super PoolMisuseException> onMisuse;
    private final ToLongFunction<? super T> fingerprint;

    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<T> idle = new ArrayDeque<>();
    private final Map<Key, Entry> ledger = new HashMap<>();
    private final ReferenceQueue<Object> collected = new ReferenceQueue<>();
    private long hits;
    private long misses;
    private long dropped;

    CheckedPool(PoolBuilder<T> options) {
        this.factory = options.factory;
        this.reset = options.reset;
        this.sizeOf = options.sizeOf;
        this.maxSize = options.maxSize;
        this.maxRetained = options.maxRetained;
        Consumer<? super PoolMisuseException> handler = options.onMisuse;
        this.onMisuse = handler != null ? handler : CheckedPool::warn;
        ToLongFunction<? super T> given = options.fingerprint;
        this.fingerprint = given != null ? given : CheckedPool::content;
    }

    @Override
    public T get() {
        T object = tryGet();
        if (object != null) {
            return object;
        }
        T made = factory.get();
        if (made == null) {
            throw new NullPointerException("the factory of the pool returned null: " + factory);
        }
        Throwable here = new Throwable("taken by " + Thread.currentThread());
        lock.lock();
        try {
            ledger.put(new Key(made, collected), new Entry(true, here, 0));
        } finally {
            lock.unlock();
        }
        return made;
    }

    @Override
    public @Nullable T tryGet() {
        reportLeaks();
        Throwable here = new Throwable("taken by " + Thread.currentThread());
        while (true) {
            T object;
            Entry entry;
            lock.lock();
            try {
                object = idle.pollLast();
                if (object == null) {
                    misses++;
                    return null;
                }
                entry = entryOf(object);
                ledger.replace(new Key(object, null), new Entry(true, here, 0));
            } finally {
                lock.unlock();
            }
            if (entry == null || entry.fingerprint == fingerprint.applyAsLong(object)) {
                lock.lock();
                hits++;
                lock.unlock();
                return object;
            }
            PoolMisuseException.Kind kind = PoolMisuseException.Kind.USED_AFTER_PUT;
            lock.lock();
            try {
                ledger.remove(new Key(object, null)); // somebody still has it: it is nobody's business here any more
            } finally {
                lock.unlock();
            }
            onMisuse.accept(new PoolMisuseException(kind, name(object) + " was changed after it was put", entry.where));
        }
    }

    private @Nullable Entry entryOf(T object) {
        return ledger.get(new Key(object, null));
    }

    @Override
    public void put(T object) {
        if (object == null) {
            throw new NullPointerException("put(null): give back the object that get() returned");
        }
        reportLeaks();
        Throwable here = new Throwable("put by " + Thread.currentThread());
        Entry claimed = new Entry(false, here, 0);
        lock.lock();
        try {
            Key key = new Key(object, null);
            Entry entry = ledger.get(key);
            if (entry == null) {
                throw new PoolMisuseException(
                        PoolMisuseException.Kind.FOREIGN, name(object) + " did not come from this pool", null);
            }
            if (!entry.out) {
                throw new PoolMisuseException(
                        PoolMisuseException.Kind.PUT_TWICE, name(object) + " is put a second time", entry.where);
            }
            ledger.replace(key, claimed);
        } finally {
            lock.unlock();
        }
        boolean keep = sizeOf == null || sizeOf.applyAsLong(object) <= maxSize;
        if (keep && reset != null) {
            reset.accept(object);
        }
        Entry entry = new Entry(false, here, fingerprint.applyAsLong(object));
        lock.lock();
        try {
            if (keep && idle.size() < maxRetained) {
                ledger.replace(new Key(object, null), entry);
                idle.addLast(object);
            } else {
                dropped++;
            }
        } finally {
            lock.unlock();
        }
    }

    private void reportLeaks() {
        List<PoolMisuseException> leaks = new ArrayList<>();
        lock.lock();
        try {
            for (Reference<?> ref = collected.poll(); ref != null; ref = collected.poll()) {
                Entry entry = ref instanceof Key key ? ledger.remove(key) : null;
                if (entry != null && entry.out) {
                    leaks.add(new PoolMisuseException(
                            PoolMisuseException.Kind.LEAKED, "an object was taken and never put", entry.where));
                }
            }
        } finally {
            lock.unlock();
        }
        leaks.forEach(onMisuse);
    }

    @Override
    public void clear() {
        lock.lock();
        try {
            idle.clear();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public PoolStats stats() {
        reportLeaks();
        lock.lock();
        try {
            return new PoolStats(hits, misses, 0, dropped, 0, idle.size());
        } finally {
            lock.unlock();
        }
    }

    private static void warn(PoolMisuseException misuse) {
        LOG.log(System.Logger.Level.WARNING, "A pool is misused", misuse);
    }

    private static String name(Object object) {
        return object.getClass().getTypeName() + "@" + Integer.toHexString(System.identityHashCode(object));
    }

    /** What is known how to look into; all else has the same fingerprint always. */
    private static long content(Object object) {
        return switch (object) {
            case byte[] array -> Arrays.hashCode(array);
            case char[] array -> Arrays.hashCode(array);
            case ByteBuffer buffer ->
                31L * buffer.position()
                        + buffer.limit()
                        + 31L * buffer.duplicate().clear().hashCode();
            case StringBuilder text ->
                text.compareTo(new StringBuilder()) == 0 ? 0 : text.toString().hashCode();
            default -> 0;
        };
    }

    /** An object by identity, without holding it. */
    private static final class Key extends WeakReference<Object> {
        private final int hash;

        Key(Object object, @Nullable ReferenceQueue<Object> queue) {
            super(object, queue);
            this.hash = System.identityHashCode(object);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            if (this == other) {
                return true;
            }
            Object mine = get();
            return mine != null && other instanceof Key key && key.refersTo(mine);
        }
    }

    /**
     * Where an object is and what brought it there.
     *
     * @param out whether a caller has it
     * @param where the call that took or put it
     * @param fingerprint what it looked like when it was put
     */
    private record Entry(boolean out, Throwable where, long fingerprint) {}
}
