// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class StoreTest {

    @Test
    void i1OneOwnerKeepsAtMostItsBound() {
        for (int bound : new int[] {1, 2, 3, 8, 9, 10, 100}) {
            CarrierPool<Object> pool = pool(Pool.builder(Object::new).maxRetainedPerCarrier(bound));
            for (int i = 0; i < 300; i++) {
                pool.put(new Object());
            }
            assertThat(pool.stats().retained()).as("bound %d", bound).isEqualTo(bound);
            assertThat(pool.stats().dropped()).isEqualTo(300 - bound);
            pool.store().rotate();
            for (int i = 0; i < 300; i++) {
                pool.put(new Object());
            }
            assertThat(pool.stats().retained())
                    .as("bound %d, two generations", bound)
                    .isEqualTo(bound);
        }
    }

    @Test
    void i1AllOwnersTogetherKeepAtMostTheBoundOfThePool() throws InterruptedException {
        CarrierPool<Object> pool =
                pool(Pool.builder(Object::new).maxRetainedPerCarrier(40).maxRetained(100));
        int bound = 100;
        List<Owner> owners = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Owner owner = new Owner();
            owners.add(owner);
            owner.run(() -> {
                for (int k = 0; k < 50; k++) {
                    pool.put(new Object());
                }
            });
            assertThat(pool.stats().retained()).isLessThanOrEqualTo(bound);
        }
        assertThat(pool.stats().retained()).isEqualTo(bound);
        for (Owner owner : owners) {
            owner.end();
        }
        pool.store().rotate();
        assertThat(pool.stats().retained()).isLessThanOrEqualTo(bound);
        pool.store().rotate();
        pool.store().rotate();
        assertThat(pool.stats().retained()).isZero();
        Owner last = new Owner();
        last.run(() -> {
            for (int k = 0; k < 50; k++) {
                pool.put(new Object());
            }
        });
        assertThat(pool.stats().retained()).as("all tokens came back").isEqualTo(40);
        last.end();
    }

    @Test
    void anotherOwnersOverflowIsStolenOldestFirst() throws InterruptedException {
        CarrierPool<Object> pool = pool(Pool.builder(Object::new));
        Owner other = new Owner();
        other.run(() -> {
            for (int i = 0; i < 4; i++) {
                pool.put(i);
            }
        });
        assertThat(pool.tryGet()).isEqualTo(1);
        assertThat(pool.tryGet()).isEqualTo(2);
        assertThat(pool.tryGet()).isEqualTo(3);
        assertThat(pool.tryGet())
                .as("the private slot of another is not touched")
                .isNull();
        assertThat(pool.stats().steals()).isEqualTo(3);
        other.run(() -> assertThat(pool.tryGet()).isEqualTo(0));
        other.end();
    }

    @Test
    void theVictimIsStolenToo() throws InterruptedException {
        CarrierPool<Object> pool = pool(Pool.builder(Object::new));
        Owner other = new Owner();
        other.run(() -> {
            pool.put(0);
            pool.put(1);
        });
        pool.store().rotate();
        assertThat(pool.tryGet()).isEqualTo(1);
        other.end();
    }

    @Test
    void theOwnVictimComesBeforeAnothers() throws InterruptedException {
        CarrierPool<Object> pool = pool(Pool.builder(Object::new));
        Owner other = new Owner();
        other.run(() -> {
            pool.put("other's slot");
            pool.put("other's");
        });
        pool.put("slot");
        pool.put("own");
        pool.store().rotate();
        assertThat(pool.tryGet()).isEqualTo("slot");
        assertThat(pool.tryGet()).isEqualTo("own");
        assertThat(pool.tryGet()).isEqualTo("other's");
        other.end();
    }

    @Test
    void anIdleObjectSurvivesOneRotationAndGoesAtTheSecond() {
        CarrierPool<Object> pool = pool(Pool.builder(Object::new));
        for (int i = 0; i < 10; i++) {
            pool.put(i);
        }
        pool.store().rotate();
        assertThat(pool.stats().retained()).isEqualTo(10);
        pool.store().rotate();
        assertThat(pool.stats().retained()).isZero();
        assertThat(pool.stats().expired()).isEqualTo(10);
    }

    @Test
    void anObjectInUseIsNotAged() {
        CarrierPool<Object> pool = pool(Pool.builder(Object::new));
        Object object = new Object();
        for (int i = 0; i < 10; i++) {
            pool.put(object);
            pool.store().rotate();
            assertThat(pool.tryGet()).isSameAs(object);
        }
        pool.put(object);
        pool.store().rotate();
        pool.store().rotate();
        assertThat(pool.tryGet()).isNull();
    }

    @Test
    void i4WhatAnEndedThreadLeavesIsInherited() throws InterruptedException {
        CarrierPool<Object> pool = pool(Pool.builder(Object::new));
        Owner owner = new Owner();
        owner.run(() -> {
            for (int i = 0; i < 20; i++) {
                pool.put(i);
            }
            pool.tryGet();
            pool.put(0);
        });
        owner.end();
        pool.store().rotate();
        List<Object> inherited = new ArrayList<>();
        for (Object object = pool.tryGet(); object != null; object = pool.tryGet()) {
            inherited.add(object);
        }
        assertThat(inherited).hasSize(20).doesNotHaveDuplicates();
        assertThat(pool.stats().hits()).as("its counters are kept").isEqualTo(21);
    }

    @Test
    void endedThreadsMakeRoomForNewOnes() throws InterruptedException {
        CarrierPool<Object> pool = pool(Pool.builder(Object::new).maxRetained(4).maxRetainedPerCarrier(1));
        for (int i = 0; i < 50; i++) {
            Owner owner = new Owner();
            AtomicReference<Object> got = new AtomicReference<>();
            owner.run(() -> {
                pool.put("mine");
                got.set(pool.tryGet());
            });
            owner.end();
            assertThat(got.get()).as("owner %d", i).isEqualTo("mine");
        }
    }

    @Test
    void threadsWhoseIdsCollideHaveCellsOfTheirOwn() throws InterruptedException {
        CarrierPool<Object> pool =
                pool(Pool.builder(Object::new).maxRetainedPerCarrier(1).maxRetained(10_000));
        List<Owner> owners = new ArrayList<>();
        long first = -1;
        int places = pool.locals().length;
        while (owners.size() < 3) {
            Owner owner = new Owner();
            long place = owner.thread.threadId() & (places - 1);
            if (first < 0) {
                first = place;
            }
            if (place == first) {
                owners.add(owner);
            } else {
                owner.end();
            }
        }
        for (Owner owner : owners) {
            owner.run(() -> pool.put(owner));
        }
        for (Owner owner : owners) {
            owner.run(() -> assertThat(pool.tryGet()).isSameAs(owner));
            owner.run(() -> pool.put(owner));
            owner.run(() -> assertThat(pool.tryGet()).isSameAs(owner));
        }
        for (Owner owner : owners) {
            owner.end();
        }
    }

    @Test
    void largeObjectsAreHeldSoftlyOnly() {
        CarrierPool<byte[]> pool = pool(Pool.builder(() -> new byte[1 << 20]).sizeOf(array -> array.length, 1 << 20));
        byte[] large = pool.get();
        pool.put(large);
        assertThat(pool.stats().retained()).isEqualTo(1);
        for (Local local : pool.locals()) {
            assertThat(local.holds()).isFalse();
        }
        assertThat(pool.get()).isSameAs(large);
    }

    @Test
    void aShelfThatTheCollectorTookIsReplaced() {
        CarrierPool<Object> pool =
                pool(Pool.builder(Object::new).maxRetainedPerCarrier(9).maxRetained(9));
        for (int i = 0; i < 9; i++) {
            pool.put(i);
        }
        Shelf.Ref ref = null;
        for (Local local : pool.locals()) {
            ref = local.shelf != null ? local.shelf : ref;
        }
        ref.clear(); // as the collector does
        assertThat(pool.stats().retained()).isEqualTo(1);
        pool.store().cleared(ref);
        for (int i = 0; i < 9; i++) {
            pool.put(i);
        }
        assertThat(pool.stats().retained()).as("the tokens came back").isEqualTo(9);
    }

    @Test
    void stripesServeWhoeverComes() {
        Store<Object> store = new Store<>(Pool.builder(Object::new).maxRetainedPerCarrier(4), 4);
        Stripe stripe = store.stripes[1];
        assertThat(store.takeStriped(stripe)).isNull();
        assertThat(stripe.offer("a")).isTrue();
        assertThat(stripe.offer("b")).isFalse();
        for (int i = 0; i < 3; i++) {
            store.putStriped(stripe, i);
        }
        assertThat(store.stats().retained()).isEqualTo(4);
        assertThat(store.takeStriped(stripe)).isEqualTo("a");
        assertThat(store.takeStriped(stripe)).isEqualTo(2);
        assertThat(store.takeStriped(store.stripes[0])).as("stolen").isEqualTo(0);
        assertThat(store.takeStriped(stripe)).isEqualTo(1);
        assertThat(store.takeStriped(stripe)).isNull();
        assertThat(store.stats().steals()).isEqualTo(1);
    }

    @Test
    void stripesAreAgedToo() {
        Store<Object> store = new Store<>(Pool.builder(Object::new), 2);
        store.stripes[0].offer("a");
        store.putStriped(store.stripes[0], "b");
        store.rotate();
        assertThat(store.stats().retained()).isEqualTo(2);
        store.rotate();
        assertThat(store.stats().retained()).isZero();
    }

    @Test
    void aStripeWhoseProducerIsAtWorkIsNotWaitedFor() {
        Store<Object> store = new Store<>(Pool.builder(Object::new), 1);
        Stripe stripe = store.stripes[0];
        stripe.offer("a");
        assertThat(stripe.tryAcquire()).isTrue();
        store.putStriped(stripe, "b");
        assertThat(store.stats().dropped()).isEqualTo(1);
        assertThat(store.takeStriped(stripe)).isEqualTo("a");
        assertThat(store.takeStriped(stripe)).isNull();
        stripe.release();
        stripe.offer("c");
        store.putStriped(stripe, "d");
        assertThat(store.takeStriped(stripe)).isEqualTo("c");
        assertThat(store.takeStriped(stripe)).isEqualTo("d");
    }

    private static <T> CarrierPool<T> pool(PoolBuilder<T> builder) {
        return CarrierPool.create(builder);
    }
}
