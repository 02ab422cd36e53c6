// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

// Purpose. A callback may release what the next callback waits for, whose callback releases, and so on: a million
// times. Called straight from the release that would be a million stack frames. Here the outermost call on a thread
// runs all callbacks, and a release inside a callback only adds to its list.
//
// The question "is this thread inside a callback already" needs no ThreadLocal: the few threads that are running
// callbacks right now stand in a small hash table, one Runner each, and a Runner is used again when its thread is done.
//
// Invariants.
//   I1  A thread has at most one Runner: nobody but the thread itself makes it its own.
//   I2  The callbacks given to one Runner run one after the other, in the order in which they were given.
//   I3  Each callback runs, whatever the others throw; the first throwable goes to the outermost caller, with the
//       others suppressed in it.
//   I4  A Runner without a thread holds no callback.
//
// Memory order. `owner` is taken by compare-and-set and given back with release. A thread that reads it to find itself
// needs no order: only it can have written its own name there. `head` and `tail` are the owner's alone.

/** Runs callbacks one after the other where they would otherwise nest. */
final class Trampoline {
    /** More buckets than processors ever run callbacks at once, so that a search is one step. */
    private static final int BUCKETS = 64;

    private static final VarHandle BUCKET = MethodHandles.arrayElementVarHandle(Runner[].class);
    private static final @Nullable Runner[] TABLE = new @Nullable Runner[BUCKETS];

    private Trampoline() {}

    /** One thread that runs callbacks. */
    private static final class Runner {
        private static final VarHandle OWNER;

        static {
            try {
                OWNER = MethodHandles.lookup().findVarHandle(Runner.class, "owner", Thread.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final @Nullable Runner next;
        private volatile @Nullable Thread owner;
        private @Nullable Callback head;
        private @Nullable Callback tail;

        Runner(@Nullable Thread owner, @Nullable Runner next) {
            this.owner = owner;
            this.next = next;
        }

        boolean isOf(Thread thread) {
            return OWNER.getOpaque(this) == thread;
        }

        boolean claim(Thread thread) {
            return OWNER.getOpaque(this) == null && OWNER.compareAndSet(this, (Thread) null, thread);
        }

        void add(Callback first, Callback last) {
            if (tail == null) {
                head = first;
            } else {
                tail.link = first;
            }
            tail = last;
        }

        @Nullable
        Throwable runAll() {
            Throwable failure = null;
            Callback callback;
            while ((callback = head) != null) {
                head = callback.link;
                if (head == null) {
                    tail = null;
                }
                callback.link = null;
                failure = callback.callInto(failure);
            }
            OWNER.setRelease(this, (Thread) null);
            return failure;
        }
    }

    /**
     * Calls the callbacks from {@code first} to {@code last}, linked in order: now, or if this thread is inside a callback
     * when that has returned.
     *
     * @return what they threw, if this call ran them
     */
    static @Nullable Throwable run(Callback first, Callback last) {
        Thread current = Thread.currentThread();
        int bucket = (int) current.threadId() & (BUCKETS - 1);
        Runner free = null;
        Runner newest = (Runner) BUCKET.getAcquire(TABLE, bucket);
        for (Runner runner = newest; runner != null; runner = runner.next) {
            if (runner.isOf(current)) {
                runner.add(first, last);
                return null;
            }
            if (free == null && Runner.OWNER.getOpaque(runner) == null) {
                free = runner;
            }
        }
        Runner own;
        try {
            own = free != null && free.claim(current) ? free : claimAny(current, bucket);
        } catch (OutOfMemoryError e) {
            // They were promised their call; those that come up meanwhile may nest.
            return callEach(first);
        }
        own.add(first, last);
        return own.runAll();
    }

    static @Nullable Throwable callEach(Callback first) {
        Throwable failure = null;
        Callback callback = first;
        while (callback != null) {
            Callback next = callback.link;
            callback.link = null;
            failure = callback.callInto(failure);
            callback = next;
        }
        return failure;
    }

    private static Runner claimAny(Thread current, int bucket) {
        while (true) {
            Runner newest = (Runner) BUCKET.getAcquire(TABLE, bucket);
            for (Runner runner = newest; runner != null; runner = runner.next) {
                if (runner.claim(current)) {
                    return runner;
                }
            }
            Runner own = new Runner(current, newest);
            if (BUCKET.compareAndSet(TABLE, bucket, newest, own)) {
                return own;
            }
        }
    }

    /** The first throwable, with the second suppressed in it. */
    static Throwable also(@Nullable Throwable first, Throwable second) {
        if (first == null) {
            return second;
        }
        if (first != second) {
            first.addSuppressed(second);
        }
        return first;
    }

    /** Throws it as it is, if there is one. */
    static void rethrow(@Nullable Throwable failure) {
        if (failure != null) {
            Trampoline.<RuntimeException>sneak(failure);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable failure) throws E {
        throw (E) failure;
    }
}
