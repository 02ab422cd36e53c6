// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. Rotates the pools: one daemon thread for all of them, asleep on a reference queue. It learns of
 *
 *   a garbage collection    a weak reference to a fresh object, made anew each time, is enqueued by the next collection of
 *                           any kind
 *   scarce memory           a soft reference, made anew at every rotation and so never old: the collector clears it when next
 *                           to nothing is free, or before an OutOfMemoryError
 *   a cleared shelf         its Ref is enqueued
 *   time                    the wait ends
 *
 * Invariants.
 *   I1  Between two rotations of a pool at least its shortest time passes, and at most its longest.
 *   I2  The keeper holds no pool: a pool that nobody uses is garbage, and with the last one the thread ends.
 *
 * Why not simpler. Rotation by the owners themselves, on a counter they compare, leaves what idle owners hold. Notifications
 * of the garbage collector beans need another module and tell no more than the weak reference.
 */
/** The thread that ages what pools hold. */
final class Keeper {
    /** Where cleared shelves, and the keeper's own sentinels, are enqueued. */
    static final ReferenceQueue<Object> CLEARED = new ReferenceQueue<>();

    /** How long the keeper rests when there is no memory for its own few objects. */
    private static final long OUT_OF_MEMORY_NANOS = 10_000_000;

    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final List<Entry> POOLS = new ArrayList<>();
    private static @Nullable Thread thread;

    private Keeper() {}

    static void keep(Store<?> store, Duration shortest, Duration longest) {
        LOCK.lock();
        try {
            POOLS.add(new Entry(store, nanos(shortest), nanos(longest), System.nanoTime()));
            if (thread == null) {
                thread = Thread.ofPlatform()
                        .daemon()
                        .name("evenweave-pool-keeper")
                        .inheritInheritableThreadLocals(false)
                        .unstarted(Keeper::run);
                thread.setContextClassLoader(null);
                thread.start();
            } else {
                new WeakReference<>(store, CLEARED).enqueue(); // the wait may have to be shorter now
            }
        } finally {
            LOCK.unlock();
        }
    }

    private static void run() {
        Reference<Object> collected = new WeakReference<>(new Object(), CLEARED);
        Reference<Object> scarce = new SoftReference<>(new Object(), CLEARED);
        long wait = 0;
        while (wait >= 0) {
            try {
                Reference<?> event = await(wait);
                boolean collection = event == collected || collected.refersTo(null);
                boolean scarcity = event == scarce || scarce.refersTo(null);
                if (event instanceof Shelf.Ref shelf) {
                    shelf.store.cleared(shelf);
                }
                wait = turn(System.nanoTime(), collection, scarcity);
                if (collection) {
                    collected = new WeakReference<>(new Object(), CLEARED);
                }
                scarce = new SoftReference<>(new Object(), CLEARED);
            } catch (OutOfMemoryError e) {
                wait = OUT_OF_MEMORY_NANOS; // the pools are what can give some back: the keeper must live
            }
        }
    }

    private static @Nullable Reference<?> await(long nanos) {
        try {
            return CLEARED.remove(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos) + 1));
        } catch (InterruptedException e) {
            return null; // nobody has a reason to interrupt this thread; it goes on
        }
    }

    /** Rotates what is due; returns the time until the next rotation, or -1 if there are no pools any more. */
    private static long turn(long now, boolean collection, boolean scarcity) {
        List<Entry> entries;
        LOCK.lock();
        try {
            POOLS.removeIf(entry -> entry.store.refersTo(null));
            if (POOLS.isEmpty()) {
                thread = null;
                return -1;
            }
            entries = List.copyOf(POOLS);
        } finally {
            LOCK.unlock();
        }
        long wait = Long.MAX_VALUE;
        for (Entry entry : entries) {
            wait = Math.min(wait, entry.turn(now, collection, scarcity));
        }
        return wait;
    }

    private static long nanos(Duration duration) {
        return TimeUnit.NANOSECONDS.convert(duration); // saturates
    }

    /** A pool and its calendar. Only the keeper's thread touches the mutable fields. */
    static final class Entry {
        private final WeakReference<Store<?>> store;
        private final long shortest;
        private final long longest;
        private long last;
        private boolean collectionSeen;

        Entry(Store<?> store, long shortest, long longest, long now) {
            this.store = new WeakReference<>(store);
            this.shortest = shortest;
            this.longest = longest;
            this.last = now;
        }

        /** Rotates the pool if it is time; returns the time until it may be again. */
        long turn(long now, boolean collection, boolean scarcity) {
            Store<?> kept = store.get();
            if (kept == null) {
                return 0;
            }
            collectionSeen |= collection;
            long age = now - last;
            if (scarcity) {
                kept.clear();
            } else if (age >= longest || (collectionSeen && age >= shortest)) {
                kept.rotate();
            } else {
                return (collectionSeen ? shortest : longest) - age;
            }
            last = now;
            collectionSeen = false;
            return longest;
        }
    }
}
