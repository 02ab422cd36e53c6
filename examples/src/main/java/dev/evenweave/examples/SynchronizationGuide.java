// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.examples;

import dev.evenweave.sync.Condvar;
import dev.evenweave.sync.Guarded;
import dev.evenweave.sync.Hold;
import dev.evenweave.sync.Mutex;
import dev.evenweave.sync.Permit;
import dev.evenweave.sync.RwLock;
import dev.evenweave.sync.Semaphore;
import dev.evenweave.sync.UpgradableHold;
import dev.evenweave.sync.Waiter;
import dev.evenweave.sync.WriteHold;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The samples of docs/synchronization.md. */
public final class SynchronizationGuide {
    private SynchronizationGuide() {}

    static String call() {
        return "answer";
    }

    static CompletionStage<String> callAsync() {
        return CompletableFuture.completedFuture("answer");
    }

    static long permits() throws InterruptedException {
        Semaphore semaphore = new Semaphore(10);
        semaphore.withPermit(() -> call());

        try (Permit three = semaphore.acquirePermit(3)) {
            call();
        }

        if (semaphore.tryAcquire(Duration.ofMillis(200))) {
            try {
                call();
            } finally {
                semaphore.release();
            }
        }
        return semaphore.availablePermits();
    }

    static String asynchronous() {
        Semaphore semaphore = new Semaphore(10);
        CompletableFuture<String> answer = semaphore.withPermitAsync(() -> callAsync());

        // Leaves the queue when the time is over.
        CompletableFuture<Permit> permit = semaphore.acquireAsync().orTimeout(1, TimeUnit.SECONDS);
        permit.thenAccept(Permit::close);
        return answer.join();
    }

    static String resizedAndClosed() {
        Semaphore semaphore = new Semaphore(10);
        semaphore.resize(4); // nobody's permit is revoked
        semaphore.close(new IllegalStateException("shutting down")); // ends every wait, with this as the cause
        return semaphore.toString();
    }

    static int locks() {
        Guarded<Map<String, Integer>> stock = new Guarded<>(new HashMap<>());
        stock.with(map -> map.merge("tea", 1, Integer::sum));
        return stock.with(Map::size);
    }

    static String readsAndWrites() throws InterruptedException {
        RwLock lock = new RwLock();
        Map<String, String> map = new HashMap<>();
        try (WriteHold writing = lock.writeLock().hold()) {
            map.put("key", "value");
            try (Hold reading = writing.downgrade()) {
                call(); // others may read, nobody has written in between
            }
        }
        try (UpgradableHold hold = lock.holdUpgradable()) {
            if (!map.containsKey("other")) {
                hold.upgrade(); // nobody else writes between the look and this
                map.put("other", "value");
            }
        }
        return lock.toString();
    }

    /** A bounded buffer. */
    static final class Buffer<T> {
        private final Mutex mutex = new Mutex();
        private final Condvar notFull = mutex.newCondition();
        private final Condvar notEmpty = mutex.newCondition();
        private final ArrayDeque<T> elements = new ArrayDeque<>();

        void put(T element) throws InterruptedException {
            try (Hold hold = mutex.holdInterruptibly()) {
                notFull.awaitWhile(() -> elements.size() == 8);
                elements.add(element);
                notEmpty.signal();
            }
        }

        T take() throws InterruptedException {
            try (Hold hold = mutex.holdInterruptibly()) {
                notEmpty.awaitWhile(elements::isEmpty);
                notFull.signal();
                return elements.remove();
            }
        }
    }

    /** Takes permits for a framework's tasks, one after the other, without blocking and without garbage. */
    static final class Taking extends Waiter {
        private final Semaphore semaphore;
        private int taken;

        Taking(Semaphore semaphore) {
            this.semaphore = semaphore;
        }

        void take() {
            while (semaphore.acquire(1, this)) {
                taken++;
            }
            // In the queue now: completed() will be called, once.
        }

        @Override
        protected void completed(@Nullable Throwable failure) {
            if (failure == null) {
                taken++;
            }
        }

        int taken() {
            return taken;
        }
    }
}
