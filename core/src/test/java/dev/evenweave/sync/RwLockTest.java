// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.joinAll;
import static dev.evenweave.sync.Testing.log;
import static dev.evenweave.sync.Testing.start;
import static dev.evenweave.sync.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.evenweave.sync.Testing.Noting;
import dev.evenweave.sync.Testing.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RwLockTest {
    private final RwLock rwLock = new RwLock();
    private final RwLock.ReadLock readLock = rwLock.readLock();
    private final RwLock.WriteLock writeLock = rwLock.writeLock();
    private final List<String> log = log();

    @Test
    void tryReadAndTryWriteNeverBlock() {
        assertThat(readLock.tryLock()).isTrue();
        assertThat(readLock.tryLock()).isTrue();
        assertThat(writeLock.tryLock()).isFalse();
        readLock.unlock();
        readLock.unlock();
        assertThat(writeLock.tryLock()).isTrue();
        assertThat(readLock.tryLock()).isFalse();
        assertThat(writeLock.tryLock()).isFalse();
        writeLock.unlock();
    }

    @Test
    void theThirdReaderOfTwoWaits() {
        RwLock two = new RwLock(2);
        assertThat(two.maxReaders()).isEqualTo(2);
        Hold a = two.readLock().hold();
        Hold b = two.readLock().hold();
        assertThat(two.readLock().tryLock()).isFalse();
        assertThat(two.readLock().lock(new Noting("third", log))).isFalse();
        a.close();
        assertThat(log).containsExactly("third");
        b.close();
        assertThat(two.toString()).isEqualTo("RwLock[readers=1, queued=0]");
    }

    @Test
    void aNumberOfReadersThatCannotWorkIsRefused() {
        assertThatThrownBy(() -> new RwLock(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(": 0");
        assertThatThrownBy(() -> new RwLock(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RwLock(Long.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aWriterExcludesReaders() throws Exception {
        AtomicInteger readers = new AtomicInteger();
        AtomicInteger writers = new AtomicInteger();
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 40; t++) {
            boolean writes = t % 4 == 0;
            tasks.add(start(t % 8 < 4 ? Thread.ofVirtual() : Thread.ofPlatform(), () -> {
                for (int i = 0; i < 100; i++) {
                    if (writes) {
                        writeLock.withLock(() -> {
                            assertThat(writers.incrementAndGet()).isEqualTo(1);
                            assertThat(readers).hasValue(0);
                            Thread.yield();
                            writers.decrementAndGet();
                        });
                    } else {
                        readLock.withLock(() -> {
                            readers.incrementAndGet();
                            assertThat(writers).hasValue(0);
                            Thread.yield();
                            readers.decrementAndGet();
                        });
                    }
                }
            }));
        }
        joinAll(tasks);
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void aQueuedWriterBlocksLaterReadersAndItsCancellationAdmitsThemAtOnce() {
        Hold reading = readLock.hold();
        CompletableFuture<WriteHold> writer = writeLock.lockAsync();
        assertThat(readLock.tryLock()).isFalse();
        assertThat(readLock.lock(new Noting("reader 1", log))).isFalse();
        assertThat(readLock.lock(new Noting("reader 2", log))).isFalse();
        assertThat(log).isEmpty();
        assertThat(writer.cancel(false)).isTrue();
        assertThat(log).containsExactly("reader 1", "reader 2");
        reading.close();
        assertThat(rwLock.toString()).isEqualTo("RwLock[readers=2, queued=0]");
    }

    @Test
    void aQueuedWriterKeepsWhatReadersGiveBackUntilItHasAll() {
        Hold a = readLock.hold();
        Hold b = readLock.hold();
        assertThat(writeLock.lock(new Noting("writer", log))).isFalse();
        assertThat(readLock.lock(new Noting("reader", log))).isFalse();
        a.close();
        assertThat(log).isEmpty();
        b.close();
        assertThat(log).containsExactly("writer");
        writeLock.unlock(new Noting("writer", log));
        assertThat(log).containsExactly("writer", "reader");
    }

    @Test
    void downgradeLetsReadersInUpToTheNextWriter() {
        WriteHold writing = writeLock.hold();
        assertThat(readLock.lock(new Noting("reader 1", log))).isFalse();
        assertThat(readLock.lock(new Noting("reader 2", log))).isFalse();
        assertThat(writeLock.lock(new Noting("writer", log))).isFalse();
        assertThat(readLock.lock(new Noting("reader 3", log))).isFalse();
        Hold reading = writing.downgrade();
        assertThat(log).containsExactly("reader 1", "reader 2");
        reading.close();
        readLock.unlock();
        assertThat(log).containsExactly("reader 1", "reader 2");
        readLock.unlock();
        assertThat(log).containsExactly("reader 1", "reader 2", "writer");
    }

    @Test
    void noWriterGetsInBetweenDowngradeAndRead() throws Exception {
        int[] value = {0};
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            tasks.add(start(t % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform(), () -> {
                for (int i = 0; i < 500; i++) {
                    WriteHold writing = writeLock.hold();
                    int mine = ++value[0];
                    try (Hold reading = writing.downgrade()) {
                        assertThat(value[0]).isEqualTo(mine);
                        assertThat(reading.isHeld()).isTrue();
                    }
                }
            }));
        }
        joinAll(tasks);
        assertThat(value[0]).isEqualTo(4000);
    }

    @Test
    void downgradeWithLimitedReaders() {
        RwLock two = new RwLock(2);
        WriteHold writing = two.writeLock().hold();
        Hold reading = writing.downgrade();
        assertThat(two.readLock().tryLock()).isTrue();
        assertThat(two.readLock().tryLock()).isFalse();
        assertThatThrownBy(writing::downgrade).isInstanceOf(IllegalStateException.class);
        writing.close();
        assertThat(two.readLock().tryLock()).isFalse();
        reading.close();
        assertThat(two.readLock().tryLock()).isTrue();

        RwLock one = new RwLock(1);
        Hold only = one.writeLock().hold().downgrade();
        assertThat(one.readLock().tryLock()).isFalse();
        only.close();
        assertThat(one.writeLock().tryLock()).isTrue();
    }

    @Test
    void aThrowAfterDowngradeReleasesTheRead() {
        assertThatThrownBy(() -> {
                    try (WriteHold writing = writeLock.hold();
                            Hold reading = writing.downgrade()) {
                        throw new IllegalArgumentException(reading.toString());
                    }
                })
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void downgradeAvoidsTheDeadlockOfAskingToReadWhileWriting() {
        writeLock.lock();
        assertThatThrownBy(readLock::lock)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not re-entrant");
        assertThatThrownBy(writeLock::lock).isInstanceOf(IllegalStateException.class);
        writeLock.downgrade();
        assertThat(writeLock.isHeldByCurrentThread()).isFalse();
        readLock.lock();
        readLock.unlock();
        readLock.unlock();
        assertThatThrownBy(writeLock::downgrade).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void unlockingWhatIsNotHeldIsRefused() throws Exception {
        assertThatThrownBy(readLock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(writeLock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        writeLock.lock();
        assertThatThrownBy(readLock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        start(() -> assertThat(catchThrowable(writeLock::unlock)).isInstanceOf(IllegalMonitorStateException.class))
                .join();
        writeLock.unlock();
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void everyOperationMayBeCalledFromACallback() {
        Noting[] self = new Noting[1];
        self[0] = new Noting("writer", log, () -> {
            assertThat(readLock.tryLock()).isFalse();
            assertThat(writeLock.tryLock()).isFalse();
            assertThat(rwLock.toString()).isEqualTo("RwLock[locked, queued=0]");
            assertThat(writeLock.lockAsync().cancel(false)).isTrue();
            assertThat(rwLock.holdUpgradableAsync().cancel(false)).isTrue();
            writeLock.unlock(self[0]);
            readLock.lock();
            readLock.unlock();
            try (WriteHold writing = writeLock.hold();
                    Hold reading = writing.downgrade()) {
                assertThat(reading.isHeld()).isTrue();
            }
        });
        Hold reading = readLock.hold();
        assertThat(writeLock.lock(self[0])).isFalse();
        reading.close();
        assertThat(log).containsExactly("writer");
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void interruptedWriterGivesItsPartToTheReadersBehindIt() throws Exception {
        Hold reading = readLock.hold();
        Task writer = start(writeLock::lockInterruptibly);
        until(() -> rwLock.queueLength() == 1);
        Task reader = start(() -> readLock.withLock(() -> {}));
        until(() -> rwLock.queueLength() == 2);
        writer.thread.interrupt();
        assertThat(writer.outcome()).isInstanceOf(InterruptedException.class);
        reader.join();
        reading.close();
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void readersHaveNoConditionAndWritersDo() throws Exception {
        assertThatThrownBy(readLock::newCondition)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("writeLock().newCondition()");
        Condvar condition = writeLock.newCondition();
        boolean[] ready = {false};
        Task waiter = start(() -> {
            writeLock.lock();
            condition.awaitWhile(() -> !ready[0]);
            assertThat(readLock.tryLock()).isFalse();
            writeLock.unlock();
        });
        until(() -> condition.waiterCount() == 1);
        writeLock.lock();
        ready[0] = true;
        condition.signal();
        writeLock.unlock();
        waiter.join();
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    // Upgrading.

    @Test
    void anUpgradableReaderReadsWithOthersButNotWithAnotherUpgradable() throws Exception {
        UpgradableHold upgradable = rwLock.holdUpgradable();
        assertThat(readLock.tryLock()).isTrue();
        readLock.unlock();
        assertThat(rwLock.tryHoldUpgradable()).isEmpty();
        assertThat(rwLock.tryHoldUpgradable(Duration.ofMillis(1))).isEmpty();
        CompletableFuture<UpgradableHold> next = rwLock.holdUpgradableAsync();
        assertThat(next).isNotDone();
        upgradable.close();
        next.join().close();
        rwLock.tryHoldUpgradable().orElseThrow().close();
        rwLock.tryHoldUpgradable(Duration.ofDays(1)).orElseThrow().close();
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void upgradingWaitsForReadersAndLetsNoWriterInBetween() throws Exception {
        UpgradableHold upgradable = rwLock.holdUpgradable();
        Hold reading = readLock.hold();
        assertThat(writeLock.lock(new Noting("writer", log))).isFalse();
        assertThat(upgradable.tryUpgrade()).isFalse();
        assertThat(upgradable.tryUpgrade(Duration.ofMillis(1))).isFalse();
        CompletableFuture<UpgradableHold> upgrading = upgradable.upgradeAsync();
        assertThat(upgrading).isNotDone();
        reading.close();
        assertThat(upgrading).isCompletedWithValue(upgradable);
        assertThat(upgradable.isExclusive()).isTrue();
        assertThat(log).isEmpty();
        assertThat(readLock.tryLock()).isFalse();
        upgradable.downgrade();
        assertThat(log).isEmpty();
        upgradable.close();
        assertThat(log).containsExactly("writer");
    }

    @Test
    void upgradingTakesOverWhatAQueuedWriterHasCollected() throws Exception {
        UpgradableHold upgradable = rwLock.holdUpgradable();
        assertThat(writeLock.lock(new Noting("writer", log))).isFalse();
        // The writer has all but the upgrader's own share.
        upgradable.upgrade();
        assertThat(upgradable.isExclusive()).isTrue();
        assertThat(log).isEmpty();
        upgradable.close();
        assertThat(log).containsExactly("writer");
        writeLock.unlock(new Noting("writer", log));
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void anUpgradeWithTwoReadersAtMostDoesNotMistakeAQueuedReaderForAWriter() throws Exception {
        RwLock two = new RwLock(2);
        UpgradableHold upgradable = two.holdUpgradable();
        Hold reading = two.readLock().hold();
        assertThat(two.readLock().lock(new Noting("reader", log))).isFalse();
        CompletableFuture<UpgradableHold> upgrading = upgradable.upgradeAsync();
        assertThat(upgrading).isNotDone();
        reading.close();
        assertThat(upgrading).isCompleted();
        assertThat(log).isEmpty();
        upgradable.close();
        assertThat(log).containsExactly("reader");
    }

    @Test
    void aGivenUpUpgradeGivesItsPartBackAndStillReads() throws Exception {
        UpgradableHold upgradable = rwLock.holdUpgradable();
        Hold reading = readLock.hold();
        CompletableFuture<UpgradableHold> upgrading = upgradable.upgradeAsync();
        assertThat(readLock.lock(new Noting("reader", log))).isFalse();
        assertThat(upgrading.cancel(false)).isTrue();
        assertThat(log).containsExactly("reader");
        assertThat(upgradable.isHeld()).isTrue();
        assertThat(upgradable.isExclusive()).isFalse();
        reading.close();
        readLock.unlock();
        upgradable.upgradeUninterruptibly();
        upgradable.close();
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void anInterruptedUpgradeStillReads() throws Exception {
        Hold reading = readLock.hold();
        UpgradableHold upgradable = rwLock.holdUpgradable();
        Task upgrader = start(upgradable::upgrade);
        until(() -> rwLock.queueLength() == 1);
        upgrader.thread.interrupt();
        assertThat(upgrader.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(upgradable.isHeld()).isTrue();
        assertThat(writeLock.tryLock()).isFalse();
        upgradable.close();
        reading.close();
        assertThatThrownBy(upgradable::upgrade).isInstanceOf(IllegalStateException.class);
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void aCancelledUpgradableHoldLeavesBothQueues() throws Exception {
        WriteHold writing = writeLock.hold();
        CompletableFuture<UpgradableHold> first = rwLock.holdUpgradableAsync();
        CompletableFuture<UpgradableHold> second = rwLock.holdUpgradableAsync();
        assertThat(rwLock.queueLength()).isEqualTo(1);
        assertThat(first.cancel(false)).isTrue();
        assertThat(second).isNotDone();
        writing.close();
        second.join().close();
        rwLock.tryHoldUpgradable().orElseThrow().close();
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void aWriterThatAsksToBeUpgradableGetsAnErrorAndNotAHang() {
        writeLock.lock();
        assertThatThrownBy(() -> rwLock.holdUpgradable().close()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> rwLock.tryHoldUpgradable(Duration.ofDays(1)).isPresent())
                .isInstanceOf(IllegalStateException.class);
        assertThat(rwLock.tryHoldUpgradable()).isEmpty();
        writeLock.unlock();
        rwLock.tryHoldUpgradable().orElseThrow().close();
    }

    @Test
    void anUpgradeCancelledWhenItsGrantIsOnTheWayLeavesTheReadSide() throws Exception {
        UpgradableHold upgradable = rwLock.holdUpgradable();
        Hold reading = readLock.hold();
        CompletableFuture<UpgradableHold> upgrading = upgradable.upgradeAsync();
        Semaphore semaphore = new Semaphore(0);
        // Inside a callback, another one's comes later.
        boolean now = semaphore.acquire(1, new Noting("inside", log, () -> {
            reading.close();
            assertThat(upgrading.cancel(false)).isTrue();
            assertThat(upgradable.isExclusive()).isFalse();
            upgradable.close();
        }));
        assertThat(now).isFalse();
        semaphore.release();
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void cancellingRacingTheGrantOfAnUpgradeConservesTheShares() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            UpgradableHold upgradable = rwLock.holdUpgradable();
            Hold reading = readLock.hold();
            CompletableFuture<UpgradableHold> upgrading = upgradable.upgradeAsync();
            Task reader = start(Thread.ofPlatform(), reading::close);
            boolean cancelled = upgrading.cancel(false);
            if (i % 3 == 0) {
                upgradable.upgrade();
                assertThat(upgradable.isExclusive()).isTrue();
            } else {
                assertThat(upgradable.isExclusive()).isEqualTo(!cancelled);
            }
            upgradable.close();
            reader.join();
            assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
        }
    }

    // Upgrading by callback.

    @Test
    void aWaiterReadsUpgradesDowngradesAndUnlocks() {
        RwLock.UpgradableLock upgradable = rwLock.upgradableLock();
        Noting a = new Noting("a", log);
        Noting b = new Noting("b", log);
        assertThat(upgradable.lock(a)).isTrue();
        assertThat(upgradable.lock(b)).isFalse();
        assertThat(rwLock.tryHoldUpgradable()).isEmpty();
        Hold reading = readLock.hold();
        assertThat(writeLock.lock(new Noting("writer", log))).isFalse();
        assertThat(upgradable.upgrade(a)).isFalse();
        assertThat(log).isEmpty();
        reading.close();
        assertThat(log).containsExactly("a");
        assertThat(upgradable.upgrade(a)).isTrue();
        assertThat(readLock.tryLock()).isFalse();
        upgradable.downgrade(a);
        upgradable.downgrade(a);
        assertThat(upgradable.upgrade(a)).isTrue();
        upgradable.unlock(a);
        assertThat(log).containsExactly("a", "writer");
        writeLock.unlock(new Noting("writer", log));
        assertThat(log).containsExactly("a", "writer", "b");
        upgradable.unlock(b);
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void aWaiterThatDoesNotHoldTheUpgradableSideIsRefused() throws Exception {
        RwLock.UpgradableLock upgradable = rwLock.upgradableLock();
        Noting a = new Noting("a", log);
        assertThatThrownBy(() -> upgradable.unlock(a)).isInstanceOf(IllegalMonitorStateException.class);
        try (UpgradableHold hold = rwLock.holdUpgradable()) {
            assertThat(hold.isHeld()).isTrue();
            assertThatThrownBy(() -> upgradable.downgrade(a)).isInstanceOf(IllegalMonitorStateException.class);
        }
        Noting b = new Noting("b", log);
        assertThat(upgradable.lock(b)).isTrue();
        assertThatThrownBy(() -> log.add("upgraded " + upgradable.upgrade(a)))
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("UpgradableLock of RwLock[");
        upgradable.unlock(b);
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void aWaiterIsCancelledWhereverItWaitsToBeUpgradable() {
        RwLock.UpgradableLock upgradable = rwLock.upgradableLock();
        Noting a = new Noting("a", log);
        Noting b = new Noting("b", log);
        WriteHold writing = writeLock.hold();
        // The first waits for the writer, the second for the first.
        assertThat(upgradable.lock(a)).isFalse();
        assertThat(upgradable.lock(b)).isFalse();
        assertThat(readLock.cancel(a)).isFalse();
        assertThat(upgradable.cancel(a)).isTrue();
        assertThat(upgradable.cancel(a)).isFalse();
        assertThat(rwLock.queueLength()).isEqualTo(1);
        assertThat(upgradable.lock(a)).isFalse();
        assertThat(upgradable.cancel(a)).isTrue();
        writing.close();
        assertThat(log).containsExactly("b");
        // A given-up upgrade leaves the read side.
        Hold reading = readLock.hold();
        assertThat(upgradable.upgrade(b)).isFalse();
        assertThat(readLock.tryLock()).isFalse();
        assertThat(upgradable.cancel(b)).isTrue();
        assertThat(readLock.tryLock()).isTrue();
        readLock.unlock();
        reading.close();
        upgradable.unlock(b);
        assertThat(log).containsExactly("b");
        rwLock.tryHoldUpgradable().orElseThrow().close();
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void aWaiterThatWaitsAlreadyDoesNotBecomeUpgradable() {
        RwLock.UpgradableLock upgradable = rwLock.upgradableLock();
        Noting a = new Noting("a", log);
        Semaphore semaphore = new Semaphore(0);
        assertThat(semaphore.acquire(1, a)).isFalse();
        WriteHold writing = writeLock.hold();
        assertThatThrownBy(() -> log.add("locked " + upgradable.lock(a)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("waiting already");
        writing.close();
        rwLock.tryHoldUpgradable().orElseThrow().close();
        assertThat(semaphore.cancel(a)).isTrue();
    }

    @Test
    void callbacksThatUpgradeFromManyThreadsExcludeEachOther() throws Exception {
        RwLock.UpgradableLock upgradable = rwLock.upgradableLock();
        int[] count = new int[1];
        int rounds = 2_000;
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            tasks.add(start(Thread.ofPlatform(), () -> {
                Semaphore granted = new Semaphore(0);
                Waiter waiter = new Noting("w", new ArrayList<>(), granted::release);
                for (int i = 0; i < rounds; i++) {
                    if (!upgradable.lock(waiter)) {
                        granted.acquire();
                    }
                    int seen = count[0];
                    if (!upgradable.upgrade(waiter)) {
                        granted.acquire();
                    }
                    assertThat(count[0]).isEqualTo(seen);
                    count[0] = seen + 1;
                    upgradable.unlock(waiter);
                    readLock.lock();
                    readLock.unlock();
                }
            }));
        }
        joinAll(tasks);
        assertThat(count[0]).isEqualTo(4 * rounds);
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void toStringShowsWhoHoldsIt() {
        assertThat(rwLock.toString()).isEqualTo("RwLock[free, queued=0]");
        readLock.lock();
        assertThat(rwLock.toString()).isEqualTo("RwLock[readers=1, queued=0]");
        assertThat(readLock.toString()).startsWith("ReadLock of RwLock");
        readLock.unlock();
        writeLock.lock();
        assertThat(rwLock.toString()).startsWith("RwLock[write-locked by thread #");
        writeLock.unlock();
        try (WriteHold hold = writeLock.lockAsync().join()) {
            assertThat(rwLock.toString()).isEqualTo("RwLock[locked, queued=0]");
            assertThat(hold.toString()).startsWith("Hold[WriteLock of");
        }
    }
}
