// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SpinLockTest {
    private final SpinLock lock = new SpinLock();
    private int count;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThreadAtATimeHoldsIt(boolean virtual) throws InterruptedException {
        int threads = 6;
        int rounds = 20_000;
        Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
        List<Thread> started = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            started.add(builder.start(() -> {
                for (int round = 0; round < rounds; round++) {
                    lock.lock();
                    count++;
                    lock.unlock();
                }
            }));
        }
        for (Thread thread : started) {
            thread.join();
        }
        assertThat(count).isEqualTo(threads * rounds);
        assertThat(lock.isHeld()).isFalse();
    }

    /** A lock that parked would eat the permit of the virtual thread that is mounted. */
    @Test
    void waitingForItLeavesTheParkPermitAlone() throws InterruptedException {
        lock.lock();
        Thread waiter = Thread.ofVirtual().unstarted(() -> {
            LockSupport.unpark(Thread.currentThread());
            lock.lock();
            lock.unlock();
            LockSupport.park();
        });
        waiter.start();
        Thread.yield();
        lock.unlock();
        waiter.join();
    }
}
