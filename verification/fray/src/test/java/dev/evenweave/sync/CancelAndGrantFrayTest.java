// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import kotlin.Unit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pastalab.fray.core.observers.TimelineCoverageType;
import org.pastalab.fray.core.randomness.ControlledRandomProvider;
import org.pastalab.fray.core.scheduler.POSScheduler;
import org.pastalab.fray.junit.plain.FrayInTestLauncher;

/**
 * A wait ends early while its grant comes, in the schedules that Fray tries: what was granted is kept or passed on, and nobody
 * is left waiting. Fray reports a deadlock as a failure; the twins show that it does. {@code -Dproof=long} tries more schedules.
 */
@Timeout(540)
class CancelAndGrantFrayTest {
    private static final boolean LONG = System.getProperty("proof", "short").equals("long");
    private static final int SCHEDULES = LONG ? 10_000 : 300;
    private static final int SECONDS = LONG ? 300 : 60;

    /** A body that may throw anything. */
    private interface Body {
        void run() throws Exception;
    }

    private static void sweep(Body body) {
        Runnable run = () -> {
            try {
                body.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        };
        FrayInTestLauncher.INSTANCE.launchFray(
                run,
                new POSScheduler(),
                new ControlledRandomProvider(),
                SCHEDULES,
                SECONDS,
                false,
                TimelineCoverageType.NONE,
                configuration -> Unit.INSTANCE);
    }

    private static Thread started(Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        thread.start();
        return thread;
    }

    private static void join(Thread... threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void anInterruptRacingAReleaseLosesNoPermit() {
        sweep(() -> {
            Semaphore semaphore = new Semaphore(0);
            AtomicInteger taken = new AtomicInteger();
            Thread interrupted = started(() -> {
                try {
                    semaphore.acquire();
                    taken.incrementAndGet();
                } catch (InterruptedException e) {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                }
            });
            Thread next = started(() -> semaphore.acquireUninterruptibly(1));
            Thread releaser = started(() -> semaphore.release(2));
            interrupted.interrupt();
            join(interrupted, next, releaser);
            assertThat(semaphore.availablePermits()).isEqualTo(1 - taken.get());
            assertThat(semaphore.queueLength()).isZero();
        });
    }

    @Test
    void aPartIsPassedOnByWhoIsInterrupted() {
        sweep(() -> {
            Semaphore semaphore = new Semaphore(1);
            AtomicInteger taken = new AtomicInteger();
            Thread interrupted = started(() -> {
                try {
                    semaphore.acquire(2);
                    taken.addAndGet(2);
                } catch (InterruptedException e) {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                }
            });
            Thread releaser = started(() -> semaphore.release(2));
            interrupted.interrupt();
            semaphore.acquireUninterruptibly(1);
            join(interrupted, releaser);
            assertThat(semaphore.availablePermits()).isEqualTo(2 - taken.get());
        });
    }

    @Test
    void cancellingAFutureRacingAReleaseLosesNoPermit() {
        sweep(() -> {
            Semaphore semaphore = new Semaphore(0);
            CompletableFuture<Permit> future = semaphore.acquireAsync();
            Thread releaser = started(semaphore::release);
            Thread next = started(() -> {
                if (semaphore.tryAcquire()) {
                    semaphore.release();
                }
            });
            if (!future.cancel(false)) {
                future.join().close();
            }
            join(releaser, next);
            assertThat(semaphore.availablePermits()).isEqualTo(1);
        });
    }

    @Test
    void closingRacingAReleaseEndsEveryWait() {
        sweep(() -> {
            Semaphore semaphore = new Semaphore(0);
            AtomicInteger ended = new AtomicInteger();
            Body acquire = () -> {
                try {
                    semaphore.acquire();
                    ended.incrementAndGet();
                } catch (ClosedException e) {
                    ended.addAndGet(10);
                }
            };
            Thread one = started(acquire);
            Thread two = started(acquire);
            Thread releaser = started(semaphore::release);
            semaphore.close();
            join(one, two, releaser);
            assertThat(ended.get()).isIn(11, 20);
            assertThat(semaphore.availablePermits()).isEqualTo(ended.get() == 11 ? 0 : 1);
        });
    }

    @Test
    void aLockerThatIsInterruptedOrLateHoldsNothing() {
        sweep(() -> {
            Mutex mutex = new Mutex();
            int[] inside = new int[1];
            Body section = () -> {
                inside[0]++;
                assertThat(inside[0]).isEqualTo(1);
                inside[0]--;
            };
            Thread interrupted = started(() -> {
                try {
                    mutex.lockInterruptibly();
                } catch (InterruptedException e) {
                    assertThat(mutex.isHeldByCurrentThread()).isFalse();
                    return;
                }
                section.run();
                mutex.unlock();
            });
            Thread late = started(() -> {
                if (mutex.tryLock(Duration.ofNanos(1))) {
                    section.run();
                    mutex.unlock();
                }
            });
            interrupted.interrupt();
            mutex.lock();
            section.run();
            mutex.unlock();
            join(interrupted, late);
            assertThat(mutex.isLocked()).isFalse();
            assertThat(mutex.queueLength()).isZero();
        });
    }

    @Test
    void aSignalForOneReachesOneThoughTheFirstIsInterrupted() {
        sweep(() -> {
            Mutex mutex = new Mutex();
            Condvar condvar = mutex.newCondition();
            boolean[] set = new boolean[1];
            Thread interrupted = started(() -> {
                mutex.lock();
                try {
                    condvar.await();
                    // The signal was for this one: it hands it on.
                    condvar.signal();
                } catch (InterruptedException e) {
                    assertThat(mutex.isHeldByCurrentThread()).isTrue();
                } finally {
                    mutex.unlock();
                }
            });
            Thread waiting = started(() -> {
                mutex.lock();
                while (!set[0]) {
                    condvar.awaitUninterruptibly();
                }
                mutex.unlock();
            });
            interrupted.interrupt();
            mutex.lock();
            set[0] = true;
            condvar.signal();
            mutex.unlock();
            join(interrupted, waiting);
            assertThat(mutex.isLocked()).isFalse();
            assertThat(condvar.waiterCount()).isZero();
        });
    }

    @Test
    void aFutureOfASignalThatIsCancelledPassesItOn() {
        sweep(() -> {
            Mutex mutex = new Mutex();
            Condvar condvar = mutex.newCondition();
            CompletableFuture<Hold> first = condvar.awaitAsync(mutex.hold());
            CompletableFuture<Hold> second = condvar.awaitAsync(mutex.hold());
            Thread signaller = started(condvar::signal);
            boolean cancelled = first.cancel(false);
            signaller.join();
            if (cancelled) {
                second.join().close();
            } else {
                first.join().close();
                assertThat(second).isNotDone();
                assertThat(second.cancel(false)).isTrue();
            }
            assertThat(mutex.isLocked()).isFalse();
            assertThat(condvar.waiterCount()).isZero();
        });
    }

    @Test
    void aWriterThatIsInterruptedLetsTheReadersBehindItIn() {
        sweep(() -> {
            RwLock rwLock = new RwLock(2);
            rwLock.readLock().lock();
            Thread writer = started(() -> {
                try {
                    rwLock.writeLock().lockInterruptibly();
                    rwLock.writeLock().unlock();
                } catch (InterruptedException e) {
                    assertThat(rwLock.writeLock().isHeldByCurrentThread()).isFalse();
                }
            });
            Thread reader = started(() -> {
                rwLock.readLock().lock();
                rwLock.readLock().unlock();
            });
            writer.interrupt();
            rwLock.readLock().unlock();
            join(writer, reader);
            assertThat(rwLock.writeLock().tryLock()).isTrue();
        });
    }

    /** An acquire that, interrupted, drops what it may have been granted. */
    @Test
    void aTwinThatForgetsTheGrantIsFound() {
        assertThatThrownBy(() -> sweep(() -> {
                    Semaphore semaphore = new Semaphore(0);
                    Thread forgetful = started(() -> {
                        CompletableFuture<Permit> future = semaphore.acquireAsync();
                        if (!future.isDone() && !future.cancel(false)) {
                            // Granted in between: a right one would close the permit.
                            return;
                        }
                        if (!future.isCancelled()) {
                            future.join().close();
                        }
                    });
                    Thread releaser = started(semaphore::release);
                    join(forgetful, releaser);
                    semaphore.acquireUninterruptibly(1);
                }))
                .hasStackTraceContaining("DeadlockException");
    }

    /** A waiter that looks before it registers, and not again. */
    @Test
    void aTwinThatMissesASignalIsFound() {
        assertThatThrownBy(() -> sweep(() -> {
                    Mutex mutex = new Mutex();
                    Condvar condvar = mutex.newCondition();
                    AtomicInteger set = new AtomicInteger();
                    Thread waiting = started(() -> {
                        if (set.get() == 0) {
                            mutex.lock();
                            condvar.awaitUninterruptibly();
                            mutex.unlock();
                        }
                    });
                    set.set(1);
                    condvar.signal();
                    waiting.join();
                }))
                .hasStackTraceContaining("DeadlockException");
    }
}
