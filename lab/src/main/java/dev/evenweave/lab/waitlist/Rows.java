// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.waitlist;

import dev.evenweave.sync.AutoResetEvent;
import dev.evenweave.sync.Barrier;
import dev.evenweave.sync.Completion;
import dev.evenweave.sync.Condvar;
import dev.evenweave.sync.Latch;
import dev.evenweave.sync.ManualResetEvent;
import dev.evenweave.sync.Mutex;
import dev.evenweave.sync.Once;
import dev.evenweave.sync.OnceCell;
import dev.evenweave.sync.Permit;
import dev.evenweave.sync.Phaser;
import dev.evenweave.sync.RwLock;
import dev.evenweave.sync.Semaphore;
import dev.evenweave.sync.WaitGroup;
import dev.evenweave.sync.Waiter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

// Purpose. What is measured: the work of the benchmarks of Apache Asyncband's newest primitive suite, driven on one
// thread
// through the callback face, where "pending" is a waiter that was put into a queue and "ready" one that was called.
// A row whose primitives and waiters are made anew each time is called fresh there; the others reuse them.

/** The rows, by group. */
final class Rows {
    private Rows() {}

    /** A piece of work that can be repeated. */
    @FunctionalInterface
    interface Work {
        /** Does it once and returns something that depends on it. */
        long run() throws Exception;
    }

    /**
     * A row.
     *
     * @param work what is timed
     * @param before what is done before each time, not timed; it returns the work. Null if there is nothing to do
     * @param operations how many operations the work is
     */
    record Row(
            String name,
            int operations,
            @Nullable Work work,
            @Nullable Supplier<Work> before) {
        static Row of(String name, Work work) {
            return new Row(name, 1, work, null);
        }
    }

    static final class Silent extends Waiter {
        long calls;

        @Override
        protected void completed(@Nullable Throwable failure) {
            calls++;
        }
    }

    private static final int[] SIZES = {1, 4, 16};

    /** The groups that belong to the decision: the 31 rows of the suite, and events. */
    static final List<String> DECIDING = List.of("semaphore", "mutex", "rwlock", "once", "condvar", "event");

    static Map<String, Supplier<List<Row>>> groups() {
        Map<String, Supplier<List<Row>>> groups = new LinkedHashMap<>();
        groups.put("semaphore", Rows::semaphore);
        groups.put("mutex", Rows::mutex);
        groups.put("rwlock", Rows::rwLock);
        groups.put("once", Rows::once);
        groups.put("condvar", Rows::condvar);
        groups.put("event", Rows::event);
        groups.put("others", Rows::others);
        groups.put("diagnostics", Rows::diagnostics);
        return groups;
    }

    /** Fails if something that should have waited did not, or the other way round: then the row measures nothing. */
    private static void check(boolean right) {
        if (!right) {
            throw new IllegalStateException("the row does not do what its name says");
        }
    }

    private static List<Silent> waiters(int count) {
        List<Silent> waiters = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            waiters.add(new Silent());
        }
        return waiters;
    }

    /** 1, 2, 4, 1, 2, 4, ... */
    private static long share(int i) {
        return 1L << (i % 3);
    }

    private static List<Row> semaphore() {
        List<Row> rows = new ArrayList<>();
        rows.add(Row.of("handoff_permit", () -> {
            Semaphore semaphore = new Semaphore(0);
            Silent waiter = new Silent();
            check(!semaphore.acquire(1, waiter));
            semaphore.release();
            return waiter.calls + semaphore.availablePermits();
        }));
        Semaphore reused = new Semaphore(0);
        Silent waiter = new Silent();
        rows.add(Row.of("reused_handoff_permit", () -> {
            check(!reused.acquire(1, waiter));
            reused.release();
            return waiter.calls + reused.availablePermits();
        }));
        Semaphore one = new Semaphore(1);
        rows.add(Row.of("try_acquire_release", () -> {
            check(one.tryAcquire());
            one.release();
            return 1;
        }));
        Semaphore eight = new Semaphore(8);
        rows.add(Row.of("owned_try_acquire_release", () -> {
            try (Permit two = eight.tryAcquirePermit(2).orElseThrow()) {
                return two.permits();
            }
        }));
        for (int size : SIZES) {
            rows.add(Row.of("queued_owned_burst/" + size, () -> burst(size)));
        }
        Semaphore debtor = new Semaphore(0);
        rows.add(new Row(
                "fulfill_debt_repeatedly",
                64,
                () -> {
                    for (int i = 0; i < 64; i++) {
                        debtor.reducePermits(1);
                        debtor.release(1);
                    }
                    return debtor.availablePermits();
                },
                null));
        for (int size : new int[] {1, 2, 32, 256}) {
            rows.add(releaseToWaiters(size));
        }
        return rows;
    }

    private static long burst(int size) {
        Semaphore semaphore = new Semaphore(8);
        check(semaphore.tryAcquire(8));
        List<Silent> waiters = waiters(size);
        for (int i = 0; i < size; i++) {
            check(!semaphore.acquire(share(i), waiters.get(i)));
        }
        semaphore.release(8);
        long sum = 0;
        for (int i = 0; i < size; i++) {
            check(waiters.get(i).calls == 1);
            sum += share(i);
            semaphore.release(share(i));
        }
        return sum + semaphore.availablePermits();
    }

    /** Only the release is timed, of enough semaphores at once to be seen by the clock. */
    private static Row releaseToWaiters(int size) {
        int count = Math.max(1, 256 / size);
        Semaphore[] semaphores = new Semaphore[count];
        List<List<Silent>> waiting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            semaphores[i] = new Semaphore(0);
            waiting.add(waiters(size));
        }
        Work release = () -> {
            for (Semaphore semaphore : semaphores) {
                semaphore.release(size);
            }
            return count;
        };
        return new Row("release_to_waiters/" + size, count, null, () -> {
            for (int i = 0; i < count; i++) {
                for (Silent waiter : waiting.get(i)) {
                    check(!semaphores[i].acquire(1, waiter));
                }
            }
            return release;
        });
    }

    private static List<Row> mutex() {
        List<Row> rows = new ArrayList<>();
        Mutex reused = new Mutex();
        long[] counter = {0};
        rows.add(Row.of("uncontended_reuse", () -> {
            reused.lock();
            long now = ++counter[0];
            reused.unlock();
            return now;
        }));
        Silent holder = new Silent();
        for (int size : SIZES) {
            rows.add(Row.of("queued_handoff_cycle/" + size, () -> {
                List<Silent> waiters = waiters(size);
                check(reused.lock(holder));
                for (Silent waiter : waiters) {
                    check(!reused.lock(waiter));
                }
                reused.unlock(holder);
                for (Silent waiter : waiters) {
                    check(waiter.calls == 1);
                    counter[0]++;
                    reused.unlock(waiter);
                }
                return counter[0];
            }));
        }
        return rows;
    }

    private static List<Row> rwLock() {
        List<Row> rows = new ArrayList<>();
        RwLock reused = new RwLock();
        long[] value = {0};
        rows.add(Row.of("eight_reads_then_one_write", () -> {
            long sum = 0;
            for (int i = 0; i < 8; i++) {
                reused.readLock().lock();
                sum += value[0];
                reused.readLock().unlock();
            }
            reused.writeLock().lock();
            value[0]++;
            reused.writeLock().unlock();
            return sum;
        }));
        for (int size : SIZES) {
            rows.add(Row.of("readers_then_queued_writer/" + size, () -> {
                RwLock fresh = new RwLock();
                for (int i = 0; i < size; i++) {
                    fresh.readLock().lock();
                }
                Silent writer = new Silent();
                check(!fresh.writeLock().lock(writer));
                for (int i = 0; i < size; i++) {
                    fresh.readLock().unlock();
                }
                check(writer.calls == 1);
                fresh.writeLock().unlock(writer);
                return ++value[0];
            }));
        }
        return rows;
    }

    private static List<Row> once() {
        List<Row> rows = new ArrayList<>();
        rows.add(Row.of("complete_waiter", () -> completeOnce(1)));
        for (int size : SIZES) {
            rows.add(Row.of("complete_waiter_batch/" + size, () -> completeOnce(size)));
        }
        rows.add(Row.of("initialize_cell", () -> new OnceCell<Long>().getOrInit(() -> 42L)));
        for (int size : SIZES) {
            rows.add(Row.of("initialize_cell_waiter_batch/" + size, () -> initialize(size)));
        }
        return rows;
    }

    private static long completeOnce(int size) throws InterruptedException {
        Once once = new Once();
        List<Silent> waiters = waiters(size);
        for (Silent waiter : waiters) {
            check(!once.await(waiter));
        }
        once.run(() -> {});
        long calls = 0;
        for (Silent waiter : waiters) {
            calls += waiter.calls;
        }
        check(calls == size);
        return calls;
    }

    private static long initialize(int size) {
        OnceCell<Long> cell = new OnceCell<>();
        CompletableFuture<Long> gate = new CompletableFuture<>();
        CompletableFuture<Long> leader = cell.getOrInitAsync(() -> gate);
        List<CompletableFuture<Long>> others = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            others.add(cell.getOrInitAsync(() -> gate));
        }
        gate.complete(42L);
        long sum = leader.join();
        for (CompletableFuture<Long> other : others) {
            sum += other.join();
        }
        return sum;
    }

    private static List<Row> condvar() {
        List<Row> rows = new ArrayList<>();
        rows.add(Row.of("notify_waiter", () -> {
            Mutex mutex = new Mutex();
            Condvar condvar = mutex.newCondition();
            Silent waiter = new Silent();
            check(mutex.lock(waiter));
            condvar.await(waiter);
            condvar.signal();
            check(waiter.calls == 1);
            mutex.unlock(waiter);
            return waiter.calls;
        }));
        Mutex reused = new Mutex();
        Condvar reusedCondvar = reused.newCondition();
        Silent reusedWaiter = new Silent();
        rows.add(Row.of("reused_notify_waiter", () -> {
            check(reused.lock(reusedWaiter));
            reusedCondvar.await(reusedWaiter);
            reusedCondvar.signal();
            reused.unlock(reusedWaiter);
            return reusedWaiter.calls;
        }));
        for (int size : SIZES) {
            rows.add(Row.of("notify_waiter_batch/" + size, () -> {
                Mutex mutex = new Mutex();
                Condvar condvar = mutex.newCondition();
                List<Silent> waiters = waiters(size);
                for (Silent waiter : waiters) {
                    check(mutex.lock(waiter));
                    condvar.await(waiter);
                }
                condvar.signalAll();
                long calls = 0;
                for (Silent waiter : waiters) {
                    check(waiter.calls == 1);
                    calls += waiter.calls;
                    mutex.unlock(waiter);
                }
                return calls;
            }));
        }
        return rows;
    }

    private static List<Row> event() {
        List<Row> rows = new ArrayList<>();
        ManualResetEvent manual = new ManualResetEvent();
        rows.add(Row.of("manual_set_reset_cycle", () -> {
            manual.set();
            manual.reset();
            return 1;
        }));
        Silent waiter = new Silent();
        rows.add(Row.of("manual_reused_waiter_handoff", () -> {
            check(!manual.await(waiter));
            manual.set();
            manual.reset();
            return waiter.calls;
        }));
        for (int size : SIZES) {
            rows.add(Row.of("manual_waiter_fan_out/" + size, () -> {
                ManualResetEvent fresh = new ManualResetEvent();
                List<Silent> waiters = waiters(size);
                for (Silent each : waiters) {
                    check(!fresh.await(each));
                }
                fresh.set();
                return sum(waiters);
            }));
        }
        for (int size : new int[] {1, 16, 256}) {
            rows.add(setRegistered(size));
        }
        AutoResetEvent auto = new AutoResetEvent();
        rows.add(Row.of("auto_set_then_wait", () -> {
            auto.set();
            check(auto.await(waiter));
            return 1;
        }));
        rows.add(Row.of("auto_wake_waiter_reused", () -> {
            check(!auto.await(waiter));
            auto.set();
            return waiter.calls;
        }));
        return rows;
    }

    private static Row setRegistered(int size) {
        int count = Math.max(1, 256 / size);
        ManualResetEvent[] events = new ManualResetEvent[count];
        List<List<Silent>> waiting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events[i] = new ManualResetEvent();
            waiting.add(waiters(size));
        }
        Work set = () -> {
            for (ManualResetEvent event : events) {
                event.set();
            }
            return count;
        };
        return new Row("manual_set_registered/" + size, count, null, () -> {
            for (int i = 0; i < count; i++) {
                events[i].reset();
                for (Silent waiter : waiting.get(i)) {
                    check(!events[i].await(waiter));
                }
            }
            return set;
        });
    }

    private static long sum(List<Silent> waiters) {
        long calls = 0;
        for (Silent waiter : waiters) {
            calls += waiter.calls;
        }
        check(calls == waiters.size());
        return calls;
    }

    private static List<Row> others() {
        List<Row> rows = new ArrayList<>();
        for (int size : SIZES) {
            Barrier barrier = new Barrier(size + 1);
            List<Silent> reused = waiters(size + 1);
            rows.add(Row.of("barrier_reused_generation_fanout/" + size, () -> {
                for (int i = 0; i < size; i++) {
                    check(!barrier.await(reused.get(i)));
                }
                check(barrier.await(reused.get(size)));
                return barrier.generation();
            }));
        }
        for (int size : new int[] {1, 8, 32}) {
            rows.add(Row.of("latch_waiter_fan_out/" + size, () -> {
                Latch latch = new Latch(1);
                List<Silent> waiters = waiters(size);
                for (Silent waiter : waiters) {
                    check(!latch.await(waiter));
                }
                latch.countDown();
                return sum(waiters);
            }));
        }
        rows.add(Row.of("latch_worker_fan_in/8", () -> {
            Latch latch = new Latch(8);
            Silent waiter = new Silent();
            check(!latch.await(waiter));
            for (int i = 0; i < 8; i++) {
                latch.countDown();
            }
            return waiter.calls;
        }));
        for (int size : SIZES) {
            rows.add(Row.of("waitgroup_complete_waiter_batch/" + size, () -> {
                WaitGroup group = new WaitGroup();
                group.add();
                List<Silent> waiters = waiters(size);
                for (Silent waiter : waiters) {
                    check(!group.await(waiter));
                }
                group.done();
                return sum(waiters);
            }));
        }
        rows.add(Row.of("completion_notify_pending", () -> {
            Completion<Long> completion = new Completion<>();
            Silent waiter = new Silent();
            check(!completion.await(waiter));
            completion.complete(42L);
            return waiter.calls;
        }));
        Phaser phaser = new Phaser();
        Phaser.Party party = phaser.register();
        Silent waiter = new Silent();
        rows.add(Row.of("phaser_reused_phase_handoff", () -> {
            check(!phaser.await(phaser.phase(), waiter));
            return party.arrive() + waiter.calls;
        }));
        return rows;
    }

    private static List<Row> diagnostics() {
        List<Row> rows = new ArrayList<>();
        rows.add(Row.of("semaphore_cancel_pending_acquire", () -> {
            Semaphore semaphore = new Semaphore(0);
            Silent waiter = new Silent();
            check(!semaphore.acquire(1, waiter));
            check(semaphore.cancel(waiter));
            return semaphore.availablePermits();
        }));
        Semaphore reused = new Semaphore(0);
        Silent reusedWaiter = new Silent();
        rows.add(Row.of("semaphore_reused_cancel_pending_acquire", () -> {
            check(!reused.acquire(1, reusedWaiter));
            check(reused.cancel(reusedWaiter));
            return reused.availablePermits();
        }));
        rows.add(Row.of("semaphore_reused_cancel_partially_granted", () -> {
            check(!reused.acquire(2, reusedWaiter));
            reused.release();
            check(reused.cancel(reusedWaiter));
            return reused.drainPermits(1);
        }));
        Semaphore held = new Semaphore(0);
        rows.add(Row.of("semaphore_owned_try_acquire_rejected", () -> {
            check(held.tryAcquirePermit(1).isEmpty());
            return 1;
        }));
        for (int size : SIZES) {
            rows.add(Row.of("semaphore_cancel_pending_owned_batch/" + size, () -> {
                List<Silent> waiters = waiters(size);
                for (int i = 0; i < size; i++) {
                    check(!reused.acquire(share(i), waiters.get(i)));
                }
                for (Silent waiter : waiters) {
                    check(reused.cancel(waiter));
                }
                return size;
            }));
        }
        rows.add(Row.of("condvar_cancel_pending", () -> {
            Mutex mutex = new Mutex();
            Condvar condvar = mutex.newCondition();
            Silent waiter = new Silent();
            check(mutex.lock(waiter));
            condvar.await(waiter);
            check(condvar.cancel(waiter));
            check(mutex.tryLock());
            mutex.unlock();
            return 1;
        }));
        rows.add(Row.of("once_cancel_pending_wait", () -> {
            Once once = new Once();
            Silent waiter = new Silent();
            check(!once.await(waiter));
            check(once.cancel(waiter));
            return 1;
        }));
        rows.add(Row.of("event_cancel_pending", () -> {
            ManualResetEvent event = new ManualResetEvent();
            Silent waiter = new Silent();
            check(!event.await(waiter));
            check(event.cancel(waiter));
            return 1;
        }));
        ManualResetEvent event = new ManualResetEvent();
        rows.add(Row.of("event_cancel_pending_reused", () -> {
            check(!event.await(reusedWaiter));
            check(event.cancel(reusedWaiter));
            return 1;
        }));
        return rows;
    }
}
