// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.evenweave.sync.Testing.Body;
import dev.evenweave.sync.Testing.Counting;
import dev.evenweave.sync.Testing.Task;
import java.lang.management.ManagementFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Once warm, taking, waiting, handing over and cancelling allocate nothing: exact, not approximate. */
@Timeout(120)
class NoAllocationTest {
    private static final int WARM_UP = 20_000;
    private static final int COUNTED = 1_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TestFactory
    Stream<DynamicTest> allocatesNothing() {
        Semaphore semaphore = new Semaphore(1);
        Semaphore empty = new Semaphore(0);
        Mutex mutex = new Mutex();
        RwLock rwLock = new RwLock();
        RwLock.UpgradableLock upgradable = rwLock.upgradableLock();
        Condvar condvar = mutex.newCondition();
        Counting one = new Counting();
        Counting two = new Counting();
        return Stream.of(
                row("semaphore acquire and release", () -> {
                    semaphore.acquire();
                    semaphore.release();
                }),
                row("semaphore tryAcquire that fails", () -> assertFalse(empty.tryAcquire())),
                row("mutex lock and unlock", () -> {
                    mutex.lock();
                    mutex.unlock();
                }),
                row("read and write lock and unlock", () -> {
                    rwLock.readLock().lock();
                    rwLock.readLock().unlock();
                    rwLock.writeLock().lock();
                    rwLock.writeLock().unlock();
                }),
                row("semaphore hand-off", () -> {
                    assertFalse(empty.acquire(1, one));
                    empty.release();
                }),
                row("semaphore hand-off to two at once", () -> {
                    assertFalse(empty.acquire(1, one));
                    assertFalse(empty.acquire(1, two));
                    empty.release(2);
                }),
                row("semaphore cancel with a part", () -> {
                    assertFalse(empty.acquire(2, one));
                    empty.release();
                    assertTrue(empty.cancel(one));
                    empty.drainPermits();
                }),
                row("debt and its repayment", () -> {
                    empty.reducePermits(1);
                    empty.release();
                }),
                row("mutex hand-off", () -> {
                    assertTrue(mutex.lock(one));
                    assertFalse(mutex.lock(two));
                    mutex.unlock(one);
                    mutex.unlock(two);
                }),
                row("writer behind a reader", () -> {
                    rwLock.readLock().lock();
                    assertFalse(rwLock.writeLock().lock(one));
                    rwLock.readLock().unlock();
                    rwLock.writeLock().unlock(one);
                }),
                row("upgradable: lock, upgrade behind a reader, unlock", () -> {
                    assertTrue(upgradable.lock(one));
                    assertFalse(upgradable.lock(two));
                    rwLock.readLock().lock();
                    assertFalse(upgradable.upgrade(one));
                    rwLock.readLock().unlock();
                    upgradable.unlock(one);
                    upgradable.unlock(two);
                }),
                row("condition signal", () -> {
                    assertTrue(mutex.lock(one));
                    condvar.await(one);
                    condvar.signal();
                    mutex.unlock(one);
                }));
    }

    @TestFactory
    Stream<DynamicTest> lettingAllGoAndAskingForWhatIsThereAllocatesNothing() throws Exception {
        ManualResetEvent manual = new ManualResetEvent();
        AutoResetEvent auto = new AutoResetEvent();
        Barrier barrier = new Barrier(2);
        WaitGroup group = new WaitGroup();
        Phaser phaser = new Phaser();
        Phaser.Party party = phaser.register();
        Phaser.Party other = phaser.register();
        Latch latch = new Latch(Long.MAX_VALUE);
        Latch open = new Latch(0);
        Once once = new Once();
        once.run(() -> {});
        OnceCell<String> cell = OnceCell.of("value");
        Completion<String> completion = new Completion<>();
        completion.complete("value");
        Lazy<String> lazy = Lazy.ofValue("value");
        OnceMap<String, String> map = new OnceMap<>();
        map.compute("key", () -> "value");
        FairShare<String> share = new FairShare<>(3);
        share.acquire("a", 2);
        share.acquire("b");
        Counting one = new Counting();
        Counting two = new Counting();
        return Stream.of(
                row("manual event: two wait, set, reset", () -> {
                    assertFalse(manual.await(one));
                    assertFalse(manual.await(two));
                    manual.set();
                    manual.reset();
                }),
                row("manual event: cancel", () -> {
                    assertFalse(manual.await(one));
                    assertTrue(manual.cancel(one));
                }),
                row("auto event: wait, set", () -> {
                    assertFalse(auto.await(one));
                    auto.set();
                }),
                row("auto event: set, take", () -> {
                    auto.set();
                    assertTrue(auto.tryAwait());
                }),
                row("barrier: a generation", () -> {
                    assertFalse(barrier.await(one));
                    assertTrue(barrier.await(two));
                }),
                row("wait group: a round", () -> {
                    group.add();
                    assertFalse(group.await(one));
                    group.done();
                }),
                row("phaser: a phase", () -> {
                    assertFalse(party.await(one));
                    other.arrive();
                }),
                row("latch: count down, wait, cancel", () -> {
                    latch.countDown();
                    assertFalse(latch.await(one));
                    assertTrue(latch.cancel(one));
                }),
                row("latch: open", open::await),
                row("once: completed", () -> assertFalse(once.run(() -> {}))),
                row("cell, completion, lazy, map: the value is there", () -> {
                    assertTrue(cell.getOrInit(() -> "other") == completion.await());
                    assertTrue(lazy.get() == map.compute("key", () -> "other"));
                }),
                row("fair share: the turn of a key that holds a permit", () -> {
                    assertFalse(share.acquire("b", 1, one));
                    share.release("a");
                    share.release("b");
                    share.acquire("a");
                }));
    }

    /** A platform thread that blocks: nothing in its stack, nothing in the releaser's. */
    @Test
    void aBlockedHandOffAllocatesNothing() throws Exception {
        Semaphore ping = new Semaphore(0);
        Semaphore pong = new Semaphore(0);
        long[] allocated = new long[2];
        Task echo = Testing.start(Thread.ofPlatform(), () -> {
            for (int i = 0; i < WARM_UP; i++) {
                ping.acquire();
                pong.release();
            }
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < COUNTED; i++) {
                ping.acquire();
                pong.release();
            }
            allocated[0] = THREADS.getCurrentThreadAllocatedBytes() - before;
        });
        Task call = Testing.start(Thread.ofPlatform(), () -> {
            for (int i = 0; i < WARM_UP; i++) {
                ping.release();
                pong.acquire();
            }
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < COUNTED; i++) {
                ping.release();
                pong.acquire();
            }
            allocated[1] = THREADS.getCurrentThreadAllocatedBytes() - before;
        });
        echo.join();
        call.join();
        // What the measuring itself and a compilation in between cost is far below one byte per hand-off.
        assertThat(allocated[0] + allocated[1]).isLessThan(COUNTED);
    }

    private static DynamicTest row(String name, Body body) {
        return DynamicTest.dynamicTest(name, () -> {
            for (int i = 0; i < WARM_UP; i++) {
                run(body);
            }
            long least = Long.MAX_VALUE;
            // The JVM may allocate for itself on this thread while it compiles: not in each of ten tries.
            for (int attempt = 0; attempt < 10 && least > 0; attempt++) {
                long before = THREADS.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < COUNTED; i++) {
                    run(body);
                }
                least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).isZero();
        });
    }

    private static void run(Body body) throws Exception {
        try {
            body.run();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    private static void assertTrue(boolean condition) {
        if (!condition) {
            throw new AssertionError("expected true");
        }
    }

    private static void assertFalse(boolean condition) {
        assertTrue(!condition);
    }
}
