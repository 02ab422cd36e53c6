// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.waitlist;

import dev.evenweave.lab.engine.SampleLines;
import dev.evenweave.lab.waitlist.Rows.Silent;
import dev.evenweave.sync.Latch;
import dev.evenweave.sync.ManualResetEvent;
import dev.evenweave.sync.Mutex;
import dev.evenweave.sync.Once;
import dev.evenweave.sync.OnceCell;
import dev.evenweave.sync.RwLock;
import dev.evenweave.sync.Semaphore;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.openjdk.jol.info.GraphLayout;

/**
 * The bytes of each primitive: new, after one waiter came and went, and after two. What all primitives share is not
 * counted.
 */
final class Footprint {
    private Footprint() {}

    static void print() {
        print("Semaphore", () -> new Semaphore(0), (semaphore, waiters) -> {
            for (Silent waiter : waiters) {
                require(!semaphore.acquire(1, waiter));
            }
            for (Silent waiter : waiters) {
                require(semaphore.cancel(waiter));
            }
        });
        print("Mutex", Mutex::new, (mutex, waiters) -> {
            Silent holder = new Silent();
            require(mutex.lock(holder));
            for (Silent waiter : waiters) {
                require(!mutex.lock(waiter));
            }
            for (Silent waiter : waiters) {
                require(mutex.cancel(waiter));
            }
            mutex.unlock(holder);
        });
        print("RwLock", RwLock::new, (lock, waiters) -> {
            lock.readLock().lock();
            for (Silent waiter : waiters) {
                require(!lock.writeLock().lock(waiter));
            }
            for (Silent waiter : waiters) {
                require(lock.writeLock().cancel(waiter));
            }
            lock.readLock().unlock();
        });
        print("ManualResetEvent", ManualResetEvent::new, (event, waiters) -> {
            for (Silent waiter : waiters) {
                require(!event.await(waiter));
            }
            for (Silent waiter : waiters) {
                require(event.cancel(waiter));
            }
        });
        print("Latch", () -> new Latch(1), (latch, waiters) -> {
            for (Silent waiter : waiters) {
                require(!latch.await(waiter));
            }
            for (Silent waiter : waiters) {
                require(latch.cancel(waiter));
            }
        });
        print("Once", Once::new, (once, waiters) -> {
            for (Silent waiter : waiters) {
                require(!once.await(waiter));
            }
            for (Silent waiter : waiters) {
                require(once.cancel(waiter));
            }
        });
        print("OnceCell", OnceCell<Object>::new, (cell, waiters) -> {
            for (Silent waiter : waiters) {
                require(!cell.await(waiter));
            }
            for (Silent waiter : waiters) {
                require(cell.cancel(waiter));
            }
        });
    }

    private interface Use<P> {
        void by(P primitive, Silent[] waiters);
    }

    private static void require(boolean right) {
        if (!right) {
            throw new IllegalStateException("a waiter that should wait did not");
        }
    }

    private static <P> void print(String name, Supplier<P> maker, Use<P> use) {
        SampleLines.print(name + ".new", own(maker, primitive -> {}), "B");
        SampleLines.print(name + ".after1", own(maker, primitive -> use.by(primitive, waiters(1))), "B");
        SampleLines.print(name + ".after2", own(maker, primitive -> use.by(primitive, waiters(2))), "B");
    }

    private static Silent[] waiters(int count) {
        Silent[] waiters = new Silent[count];
        for (int i = 0; i < count; i++) {
            waiters[i] = new Silent();
        }
        return waiters;
    }

    /** What a second one adds to a first one: so nothing is counted that they share. */
    private static <P> long own(Supplier<P> maker, Consumer<P> use) {
        P one = maker.get();
        P other = maker.get();
        use.accept(one);
        use.accept(other);
        return GraphLayout.parseInstance(one, other).totalSize()
                - GraphLayout.parseInstance(one).totalSize();
    }
}
