// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import static dev.evenweave.sync.Testing.joinAll;
import static dev.evenweave.sync.Testing.start;
import static dev.evenweave.sync.Testing.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.evenweave.sync.Testing.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class GuardedTest {
    record Pair(String left, Optional<String> right) {}

    private final Guarded<Pair> guarded = new Guarded<>(new Pair("left", Optional.of("right")));
    private final RwGuarded<Pair> rwGuarded = new RwGuarded<>(new Pair("left", Optional.of("right")));

    @Test
    void theValueIsReachedAndReplacedThroughTheGuard() {
        try (WriteGuard<Pair> guard = guarded.lock()) {
            assertThat(guard.get().left()).isEqualTo("left");
            guard.set(new Pair("new", Optional.empty()));
            assertThat(guard.get().left()).isEqualTo("new");
        }
        assertThat(guarded.with(Pair::left)).isEqualTo("new");
        guarded.update(pair -> new Pair(pair.left() + "er", pair.right()));
        assertThat(guarded.with(Pair::left)).isEqualTo("newer");
    }

    @Test
    void theValueMayBeNull() {
        Guarded<@Nullable String> guarded = new Guarded<>(null);
        assertThat(guarded.<Boolean>with(value -> value == null)).isTrue();
        try (WriteGuard<@Nullable String> guard = guarded.lock()) {
            assertThat(guard.get()).isNull();
            assertThat(guarded.toString()).isEqualTo("Guarded[<locked>]");
        }
        assertThat(guarded.toString()).isEqualTo("Guarded[null]");
    }

    @Test
    void mapKeepsTheLock() {
        WriteGuard<Pair> guard = guarded.lock();
        try (Guard<String> left = guard.map(Pair::left)) {
            assertThat(left.get()).isEqualTo("left");
            assertThat(guarded.mutex().isLocked()).isTrue();
            assertThatThrownBy(guard::get).isInstanceOf(IllegalStateException.class);
            guard.close();
            assertThat(guarded.mutex().isLocked()).isTrue();
        }
        assertThat(guarded.mutex().isLocked()).isFalse();
    }

    @Test
    void filterMapThatFindsNothingReturnsTheGuardStillHoldingTheLock() {
        try (WriteGuard<Pair> guard = guarded.lock()) {
            assertThat(guard.filterMap(pair -> Optional.<String>empty())).isEmpty();
            assertThat(guard.get().left()).isEqualTo("left");
            assertThat(guarded.mutex().isLocked()).isTrue();
        }
        assertThat(guarded.mutex().isLocked()).isFalse();
    }

    @Test
    void filterMapThatFindsSomethingKeepsTheLock() {
        WriteGuard<Pair> guard = guarded.lock();
        try (Guard<String> right = guard.filterMap(Pair::right).orElseThrow()) {
            assertThat(right.get()).isEqualTo("right");
            assertThat(guarded.mutex().isLocked()).isTrue();
        }
        assertThat(guarded.mutex().isLocked()).isFalse();
    }

    @Test
    void mapsCanBeChained() {
        Guard<Integer> length =
                guarded.lock().map(Pair::right).map(Optional::orElseThrow).map(String::length);
        assertThat(length.get()).isEqualTo(5);
        assertThat(guarded.mutex().isLocked()).isTrue();
        length.close();
        assertThat(guarded.mutex().isLocked()).isFalse();
    }

    @Test
    void aThrowingFunctionLeavesTheGuardAsItWasAndTheLockIsReleasedOnce() {
        assertThatThrownBy(() -> {
                    try (WriteGuard<Pair> guard = guarded.lock();
                            Guard<String> part = guard.map(pair -> {
                                throw new IllegalArgumentException("no part");
                            })) {
                        throw new AssertionError(part);
                    }
                })
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(guarded.mutex().isLocked()).isFalse();
        assertThatThrownBy(() -> {
                    try (WriteGuard<Pair> guard = guarded.lock();
                            Guard<String> part = guard.filterMap(pair -> {
                                        if (pair.left().isEmpty()) {
                                            return Optional.of("never");
                                        }
                                        throw new IllegalArgumentException("no part");
                                    })
                                    .orElseThrow()) {
                        throw new AssertionError(part);
                    }
                })
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(guarded.mutex().isLocked()).isFalse();
    }

    @Test
    void aThrowWithAMappedGuardHeldReleasesTheLock() {
        assertThatThrownBy(() -> {
                    try (Guard<String> left = guarded.lock().map(Pair::left)) {
                        throw new IllegalArgumentException(left.get());
                    }
                })
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(guarded.mutex().isLocked()).isFalse();
    }

    @Test
    void afterAThrowTheNextOneSeesTheValueAsItIs() {
        assertThatThrownBy(() -> guarded.update(pair -> {
                    throw new IllegalStateException("half way");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(guarded.with(Pair::left)).isEqualTo("left");
    }

    @Test
    void toStringShowsTheValueOrThatItIsLockedAndNeverBlocks() {
        assertThat(guarded.toString()).isEqualTo("Guarded[Pair[left=left, right=Optional[right]]]");
        try (WriteGuard<Pair> guard = guarded.lock()) {
            assertThat(guarded.toString()).isEqualTo("Guarded[<locked>]");
            assertThat(guard.toString()).startsWith("Guard[Pair");
        }
        assertThat(rwGuarded.toString()).startsWith("RwGuarded[Pair");
        try (RwGuarded.Writing<Pair> guard = rwGuarded.write()) {
            assertThat(rwGuarded.toString()).isEqualTo("RwGuarded[<locked>]");
            assertThat(guard.get().left()).isEqualTo("left");
        }
    }

    @Test
    void aGuardTakenAsynchronouslyLeavesTheQueueWhenItsFutureIsCancelled() {
        WriteGuard<Pair> guard = guarded.lock();
        CompletableFuture<WriteGuard<Pair>> second = guarded.lockAsync();
        assertThat(second.cancel(false)).isTrue();
        assertThat(guarded.mutex().queueLength()).isZero();
        CompletableFuture<WriteGuard<Pair>> third = guarded.lockAsync();
        guard.close();
        try (WriteGuard<Pair> granted = third.join()) {
            assertThat(granted.get().left()).isEqualTo("left");
        }
        assertThat(guarded.mutex().isLocked()).isFalse();
    }

    @Test
    void manyReadersAndWritersChangeInSequence() throws Exception {
        RwGuarded<Integer> counter = new RwGuarded<>(0);
        List<Task> tasks = new ArrayList<>();
        for (int t = 0; t < 50; t++) {
            boolean writes = t % 5 == 0;
            tasks.add(start(() -> {
                int last = 0;
                for (int i = 0; i < 100; i++) {
                    if (writes) {
                        counter.update(n -> n + 1);
                    } else {
                        int now = counter.read(n -> n);
                        assertThat(now).isGreaterThanOrEqualTo(last);
                        last = now;
                    }
                }
            }));
        }
        joinAll(tasks);
        int end = counter.read(n -> n);
        assertThat(end).isEqualTo(1000);
    }

    @Test
    void everyKindOfReadWriteGuardKeepsTheLockThroughMapsAndReleasesItWhenTheBodyThrows() throws Exception {
        assertReleases(() -> rwGuarded.read().map(Pair::left));
        assertReleases(() -> rwGuarded.write().map(Pair::left));
        assertReleases(() -> rwGuarded.read().filterMap(Pair::right).orElseThrow());
        assertReleases(() -> rwGuarded.write().filterMap(Pair::right).orElseThrow());
        assertReleases(() -> rwGuarded.readInterruptibly().map(Pair::left).map(String::trim));
        assertReleases(() -> rwGuarded.writeInterruptibly().downgrade().map(Pair::left));
        assertReleases(() -> rwGuarded.tryRead().orElseThrow().map(Pair::left));
        assertReleases(() -> rwGuarded.tryWrite().orElseThrow().map(Pair::left));
        assertReleases(() -> rwGuarded.readAsync().join().map(Pair::left));
        assertReleases(() -> rwGuarded.writeAsync().join().map(Pair::left));
    }

    private void assertReleases(java.util.concurrent.Callable<Guard<String>> taking) {
        assertThatThrownBy(() -> {
                    try (Guard<String> guard = taking.call()) {
                        assertThat(rwGuarded.tryWrite()).isEmpty();
                        throw new IllegalArgumentException(guard.get());
                    }
                })
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(rwGuarded.rwLock().toString()).isEqualTo("RwLock[free, queued=0]");
    }

    @Test
    void aDowngradedGuardReadsWhileOthersRead() throws Exception {
        RwGuarded.Writing<Pair> writing = rwGuarded.write();
        writing.set(new Pair("changed", Optional.empty()));
        Task reader = start(() -> assertThat(rwGuarded.read(Pair::left)).isEqualTo("changed"));
        until(() -> rwGuarded.rwLock().queueLength() == 1);
        try (Guard<Pair> reading = writing.downgrade()) {
            reader.join();
            assertThat(reading.get().left()).isEqualTo("changed");
            assertThatThrownBy(writing::get).isInstanceOf(IllegalStateException.class);
            assertThat(rwGuarded.tryWrite()).isEmpty();
        }
        assertThat(rwGuarded.rwLock().toString()).isEqualTo("RwLock[free, queued=0]");
    }
}
