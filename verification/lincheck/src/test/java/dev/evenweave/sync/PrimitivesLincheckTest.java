// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The primitives behave as if each operation happened at one moment. Callback waiters stand in the queues from the start, so
 * that grants, cancellation and {@code try} race; threads that wait do so around a plain counter, which they would corrupt
 * if two had the lock at once.
 *
 * <p>{@code -Dproof=long} searches two thousand times as far, with three threads for two.
 */
class PrimitivesLincheckTest {
    private static final boolean LONG = System.getProperty("proof", "short").equals("long");

    @Test
    void semaphore() {
        options().sequentialSpecification(SemaphoreModel.class).check(SemaphoreProduct.class);
    }

    @Test
    void aSemaphoreThatLooksBeforeItTakesIsFound() {
        fails(SemaphoreTwin.class, SemaphoreModel.class);
    }

    @Test
    void mutex() {
        options().sequentialSpecification(CounterModel.class).check(MutexProduct.class);
    }

    @Test
    void aMutexThatNobodyWaitsForIsFound() {
        fails(MutexTwin.class, CounterModel.class);
    }

    @Test
    void rwLock() {
        options().sequentialSpecification(CounterModel.class).check(RwLockProduct.class);
    }

    @Test
    void aReadLockUsedForWritingIsFound() {
        fails(RwLockTwin.class, CounterModel.class);
    }

    @Test
    void condvar() {
        options().sequentialSpecification(CondvarModel.class).check(CondvarProduct.class);
    }

    @Test
    void aCondvarWhoseCancelledWaiterKeepsTheSignalIsFound() {
        // One thread is enough to see it, but it takes four operations in the right order: many short attempts.
        fails(
                CondvarTwin.class,
                CondvarModel.class,
                options().iterations(2_000).invocationsPerIteration(20).actorsBefore(5));
    }

    private static void fails(Class<?> twin, Class<?> model) {
        fails(twin, model, options().iterations(100));
    }

    private static void fails(Class<?> twin, Class<?> model, ModelCheckingOptions options) {
        assertThatThrownBy(() -> options.minimizeFailedScenario(false)
                        .sequentialSpecification(model)
                        .check(twin))
                .isInstanceOf(LincheckAssertionError.class);
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .iterations(LONG ? 300 : 5)
                .invocationsPerIteration(LONG ? 10_000 : 300)
                .threads(LONG ? 3 : 2)
                .actorsBefore(1)
                .actorsPerThread(3)
                .actorsAfter(2);
    }

    static final class Silent extends Waiter {
        @Override
        protected void completed(@Nullable Throwable failure) {}
    }

    // Semaphore: two waiters, for two and for one, stand in the queue from the start.

    @Param(name = "n", gen = IntGen.class, conf = "1:2")
    public static class SemaphoreProduct {
        final Semaphore semaphore = new Semaphore(0);
        private final Waiter two = new Silent();
        private final Waiter one = new Silent();

        public SemaphoreProduct() {
            if (semaphore.acquire(2, two) || semaphore.acquire(1, one)) {
                throw new AssertionError("nothing is there to acquire");
            }
        }

        @Operation
        public boolean tryAcquire(@Param(name = "n") int n) {
            return semaphore.tryAcquire(n);
        }

        @Operation
        public void release(@Param(name = "n") int n) {
            semaphore.release(n);
        }

        @Operation
        public boolean cancelTwo() {
            return semaphore.cancel(two);
        }

        @Operation
        public boolean cancelOne() {
            return semaphore.cancel(one);
        }

        @Operation
        public long drain() {
            return semaphore.drainPermits();
        }

        @Operation
        public void reduce(@Param(name = "n") int n) {
            semaphore.reducePermits(n);
        }
    }

    /** Takes what it saw, which another may have taken meanwhile. */
    public static class SemaphoreTwin extends SemaphoreProduct {
        @Override
        @Operation
        public boolean tryAcquire(@Param(name = "n") int n) {
            if (semaphore.availablePermits() < n) {
                return false;
            }
            semaphore.reducePermits(n);
            return true;
        }
    }

    /** The semaphore in one thread's terms. */
    public static class SemaphoreModel {
        private long balance;
        private final ArrayDeque<long[]> queue = new ArrayDeque<>();
        private final long[] two = {2, 2};
        private final long[] one = {1, 1};

        public SemaphoreModel() {
            queue.add(two);
            queue.add(one);
        }

        public boolean tryAcquire(int n) {
            if (!queue.isEmpty() || balance < n) {
                return false;
            }
            balance -= n;
            return true;
        }

        public void release(int n) {
            balance += n;
            serve();
        }

        public boolean cancelTwo() {
            return cancel(two);
        }

        public boolean cancelOne() {
            return cancel(one);
        }

        public long drain() {
            long all = balance;
            balance = 0;
            return all;
        }

        public void reduce(int n) {
            long there = Math.min(balance, n);
            balance -= there;
            if (there < n) {
                queue.addFirst(new long[] {n - there, n});
            }
        }

        private boolean cancel(long[] waiter) {
            if (!queue.removeIf(other -> other == waiter)) {
                return false;
            }
            balance += waiter[1] - waiter[0];
            serve();
            return true;
        }

        private void serve() {
            while (!queue.isEmpty() && balance > 0) {
                long[] head = queue.getFirst();
                long part = Math.min(head[0], balance);
                head[0] -= part;
                balance -= part;
                if (head[0] == 0) {
                    queue.removeFirst();
                }
            }
        }
    }

    // Locks: threads wait for each other around a plain counter.

    /** The counter in one thread's terms. */
    public static class CounterModel {
        private int counter;

        public int increment() {
            return ++counter;
        }

        public int read() {
            return counter;
        }
    }

    /** With a mutex. */
    public static class MutexProduct {
        final Mutex mutex = new Mutex();
        int counter;

        @Operation
        public int increment() {
            mutex.lock();
            int now = ++counter;
            mutex.unlock();
            return now;
        }

        @Operation
        public int read() throws InterruptedException {
            mutex.lockInterruptibly();
            int now = counter;
            mutex.unlock();
            return now;
        }
    }

    /** Goes on without the lock if that is taken. */
    public static class MutexTwin extends MutexProduct {
        @Override
        @Operation
        public int increment() {
            boolean locked = mutex.tryLock();
            int now = ++counter;
            if (locked) {
                mutex.unlock();
            }
            return now;
        }
    }

    /** With a read-write lock. */
    public static class RwLockProduct {
        final RwLock rwLock = new RwLock(2);
        int counter;

        @Operation
        public int increment() {
            rwLock.writeLock().lock();
            int now = ++counter;
            rwLock.writeLock().downgrade();
            rwLock.readLock().unlock();
            return now;
        }

        @Operation
        public int read() {
            rwLock.readLock().lock();
            int now = counter;
            rwLock.readLock().unlock();
            return now;
        }
    }

    /** Writes under the read lock. */
    public static class RwLockTwin extends RwLockProduct {
        @Override
        @Operation
        public int increment() {
            rwLock.readLock().lock();
            int now = ++counter;
            rwLock.readLock().unlock();
            return now;
        }
    }

    // Condvar: two waiters wait from the start. Who gets the lock keeps it.

    public static class CondvarProduct {
        final Mutex mutex = new Mutex();
        final Condvar condvar = mutex.newCondition();
        final List<Waiter> waiters = List.of(new Silent(), new Silent());

        public CondvarProduct() {
            for (Waiter waiter : waiters) {
                if (!mutex.lock(waiter)) {
                    throw new AssertionError("nobody holds it");
                }
                condvar.await(waiter);
            }
        }

        @Operation
        public void signal() {
            condvar.signal();
        }

        @Operation
        public void signalAll() {
            condvar.signalAll();
        }

        @Operation
        public boolean cancelFirst() {
            return condvar.cancel(waiters.get(0));
        }

        @Operation
        public boolean cancelSecond() {
            return condvar.cancel(waiters.get(1));
        }

        @Operation
        public boolean tryLock() {
            return mutex.tryLock();
        }

        @Operation
        public int waiting() {
            return condvar.waiterCount();
        }
    }

    /** Takes a cancelled waiter out of the lock's queue without passing its signal on. */
    public static class CondvarTwin extends CondvarProduct {
        @Override
        @Operation
        public boolean cancelFirst() {
            return mutex.permits.cancel(waiters.get(0).node(), condvar.conditions) || condvar.cancel(waiters.get(0));
        }
    }

    /** The condition variable in one thread's terms. */
    public static class CondvarModel {
        private static final class Entry {
            boolean single;
        }

        private final Entry first = new Entry();
        private final Entry second = new Entry();
        private final List<Entry> waiting = new ArrayList<>(List.of(first, second));
        private final List<Entry> queue = new ArrayList<>();
        private boolean locked;

        public void signal() {
            if (!waiting.isEmpty()) {
                waiting.getFirst().single = true;
                requeue();
            }
        }

        public void signalAll() {
            while (!waiting.isEmpty()) {
                requeue();
            }
        }

        public boolean cancelFirst() {
            return cancel(first);
        }

        public boolean cancelSecond() {
            return cancel(second);
        }

        public boolean tryLock() {
            boolean now = !locked;
            locked = true;
            return now;
        }

        public int waiting() {
            return waiting.size();
        }

        private boolean cancel(Entry entry) {
            if (waiting.remove(entry)) {
                return true;
            }
            if (!queue.remove(entry)) {
                return false;
            }
            if (entry.single) {
                signal();
            }
            return true;
        }

        private void requeue() {
            Entry entry = waiting.removeFirst();
            if (locked) {
                queue.add(entry);
            } else {
                locked = true;
            }
        }
    }
}
