// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch.behaviour;

import static dev.evenweave.launch.behaviour.Behaviours.await;
import static dev.evenweave.launch.behaviour.Behaviours.onMany;
import static dev.evenweave.launch.behaviour.Behaviours.onVirtualThread;
import static dev.evenweave.launch.behaviour.Behaviours.require;

import dev.evenweave.scheduler.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Threads that wait for each other or for a time. */
final class Waiting {
    private Waiting() {}

    static void sleep() throws Exception {
        AtomicInteger early = new AtomicInteger();
        onMany(2_000, () -> {
            long start = System.nanoTime();
            Thread.sleep(20);
            if (System.nanoTime() - start < 20_000_000) {
                early.incrementAndGet();
            }
        });
        require(early.get() == 0, early + " threads slept for too short");
        int timers = Scheduler.ofJvm().stats().timers();
        require(timers == 0, timers + " timers are left");
    }

    static void timedWaits() throws Exception {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);
        Object monitor = new Object();
        onMany(100, () -> {
            LockSupport.parkNanos(1_000_000);
            require(queue.poll(2, TimeUnit.MILLISECONDS) == null, "the queue was not empty");
            synchronized (monitor) {
                monitor.wait(2);
            }
            Thread other = Thread.startVirtualThread(LockSupport::park);
            require(!other.join(Duration.ofMillis(2)), "a parked thread had ended");
            LockSupport.unpark(other);
            other.join();
        });
        // A timed wait that ends in time leaves no timer.
        onVirtualThread(() -> {
            Thread taker = Thread.startVirtualThread(() -> {
                try {
                    queue.poll(1, TimeUnit.HOURS);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            queue.put(1);
            taker.join();
            return null;
        });
        require(Scheduler.ofJvm().stats().timers() == 0, "a timer is left");
    }

    static void monitors() throws Exception {
        int[] count = new int[1];
        Object monitor = new Object();
        onMany(200, () -> {
            for (int i = 0; i < 50; i++) {
                synchronized (monitor) {
                    count[0]++;
                    if (i % 10 == 0) {
                        Thread.yield();
                    }
                }
            }
        });
        require(count[0] == 10_000, "counted " + count[0]);
        // wait and notify, between a virtual and a platform thread
        boolean[] turn = new boolean[1];
        Thread partner = Thread.ofPlatform().daemon().start(() -> alternate(monitor, turn, true));
        onVirtualThread(() -> {
            alternate(monitor, turn, false);
            return null;
        });
        partner.join();
    }

    private static void alternate(Object monitor, boolean[] turn, boolean mine) {
        for (int i = 0; i < 500; i++) {
            synchronized (monitor) {
                while (turn[0] != mine) {
                    try {
                        monitor.wait();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
                turn[0] = !mine;
                monitor.notifyAll();
            }
        }
    }

    /** As many threads that wait by yielding as there are processors must not keep others from running. */
    static void yield() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        List<Thread> spinners = new ArrayList<>();
        for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
            spinners.add(Thread.startVirtualThread(() -> {
                while (!stop.get()) {
                    Thread.yield();
                }
            }));
        }
        Thread.startVirtualThread(() -> stop.set(true));
        for (Thread spinner : spinners) {
            require(spinner.join(Duration.ofSeconds(Behaviours.LIMIT_SECONDS)), "a thread that yields starves another");
        }
    }

    static void interrupt() throws Exception {
        onMany(50, () -> {
            CountDownLatch started = new CountDownLatch(1);
            AtomicBoolean interrupted = new AtomicBoolean();
            Thread sleeper = Thread.startVirtualThread(() -> {
                started.countDown();
                try {
                    Thread.sleep(Duration.ofHours(1));
                } catch (InterruptedException e) {
                    interrupted.set(true);
                }
            });
            await(started);
            sleeper.interrupt();
            sleeper.join();
            require(interrupted.get(), "the sleeper was not interrupted");
            require(!Thread.currentThread().isInterrupted(), "the interrupt reached another thread");
        });
        Thread parked = Thread.startVirtualThread(LockSupport::park);
        parked.interrupt();
        parked.join();
        require(!Thread.currentThread().isInterrupted(), "the interrupt reached another thread");
    }

    static void join() throws Exception {
        onMany(100, () -> {
            List<Thread> children = new ArrayList<>();
            int[] sum = new int[10];
            for (int i = 0; i < sum.length; i++) {
                int at = i;
                children.add(Thread.ofVirtual().start(() -> sum[at] = at));
            }
            int total = 0;
            for (int i = 0; i < sum.length; i++) {
                children.get(i).join();
                require(children.get(i).getState() == Thread.State.TERMINATED, "joined a living thread");
                total += sum[i];
            }
            require(total == 45, "what a joined thread wrote was not seen");
        });
    }
}
