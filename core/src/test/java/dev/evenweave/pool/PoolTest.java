// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PoolTest {

    @Test
    void whatIsPutIsTakenAgain() {
        Pool<Object> pool = Pool.builder(Object::new).build();
        Object first = pool.get();
        pool.put(first);
        assertThat(pool.get()).isSameAs(first);
        assertThat(pool.get()).isNotSameAs(first);
    }

    @Test
    void useGivesBackAlsoWhenItFails() throws IOException {
        Pool<byte[]> pool = Pool.ofBytes(16);
        byte[] used = pool.use(buffer -> buffer);
        assertThat(pool.stats().retained()).isEqualTo(1);
        assertThatThrownBy(() -> pool.use(buffer -> {
                    throw new IOException("disk full");
                }))
                .isInstanceOf(IOException.class);
        assertThat(pool.stats().retained()).isEqualTo(1);
        assertThat(pool.get()).isSameAs(used);
    }

    @Test
    void aLeaseGivesBackOnceAndIsThenOfNoUse() {
        Pool<byte[]> pool = Pool.ofBytes(16);
        Lease<byte[]> lease = pool.lease();
        byte[] leased = lease.get();
        assertThat(lease.get()).isSameAs(leased);
        lease.close();
        lease.close();
        assertThat(pool.stats().retained()).isEqualTo(1);
        assertThatThrownBy(lease::get).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
    }

    @Test
    void theResetHookRunsBeforeTheNextUserSeesTheObject() {
        Pool<List<String>> pool =
                Pool.<List<String>>builder(ArrayList::new).reset(List::clear).build();
        List<String> list = pool.get();
        list.add("left over");
        pool.put(list);
        assertThat(pool.get()).isSameAs(list).isEmpty();
    }

    @Test
    void whatTheResetHookRefusesIsNotKept() {
        Pool<Object> pool = Pool.builder(Object::new)
                .reset(object -> {
                    throw new IllegalStateException("broken");
                })
                .build();
        assertThatThrownBy(() -> pool.put(new Object())).hasMessage("broken");
        assertThat(pool.stats().retained()).isZero();
    }

    @Test
    void whatIsTooLargeIsDropped() {
        Pool<StringBuilder> pool = Pool.ofStringBuilders(16, 1024);
        StringBuilder small = pool.get().append("x");
        pool.put(small);
        assertThat(pool.get()).isSameAs(small).isEmpty();
        small.append("y".repeat(10_000));
        pool.put(small);
        assertThat(pool.stats().retained()).isZero();
        assertThat(pool.stats().dropped()).isEqualTo(1);
        assertThat(pool.get()).isNotSameAs(small);
    }

    @Test
    void buffersComeOutCleared() {
        for (Pool<ByteBuffer> pool : List.of(Pool.ofByteBuffers(64), Pool.ofDirectByteBuffers(64))) {
            ByteBuffer buffer = pool.get();
            buffer.order(ByteOrder.LITTLE_ENDIAN).putInt(1).limit(8);
            pool.put(buffer);
            assertThat(pool.get()).isSameAs(buffer);
            assertThat(buffer.position()).isZero();
            assertThat(buffer.limit()).isEqualTo(64);
            assertThat(buffer.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
        }
    }

    @Test
    void aBufferOfAnotherSizeIsNotTaken() {
        assertThatThrownBy(() -> Pool.ofBytes(16).put(new byte[8]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("byte[8]")
                .hasMessageContaining("16");
        assertThatThrownBy(() -> Pool.ofChars(16).put(new char[8]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("char[8]");
    }

    @Test
    void charArraysArePooled() {
        Pool<char[]> pool = Pool.ofChars(32);
        char[] first = pool.get();
        assertThat(first).hasSize(32);
        pool.put(first);
        assertThat(pool.get()).isSameAs(first);
    }

    @Test
    void nullIsRefused() {
        Pool<Object> pool = Pool.builder(Object::new).build();
        assertThatThrownBy(() -> pool.put(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Pool.builder(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Pool.builder(() -> null).build().get())
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("factory");
    }

    @Test
    void badOptionsAreNamed() {
        PoolBuilder<Object> builder = Pool.builder(Object::new);
        assertThatThrownBy(() -> builder.maxRetained(0)).hasMessageContaining("maxRetained(0)");
        assertThatThrownBy(() -> builder.maxRetainedPerCarrier(-1)).hasMessageContaining("maxRetainedPerCarrier(-1)");
        assertThatThrownBy(() -> builder.sizeOf(object -> 1, -1)).hasMessageContaining("-1");
        assertThatThrownBy(() -> builder.rotateEvery(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessageContaining("PT2S");
        assertThatThrownBy(() -> Pool.ofStringBuilders(16, 8)).hasMessageContaining("maxCapacity 8");
    }

    @Test
    void statisticsCountWhatHappened() {
        AtomicInteger made = new AtomicInteger();
        Pool<Integer> pool =
                Pool.builder(made::incrementAndGet).maxRetainedPerCarrier(2).build();
        List<Integer> taken = List.of(pool.get(), pool.get(), pool.get());
        taken.forEach(pool::put);
        assertThat(pool.stats()).isEqualTo(new PoolStats(0, 3, 0, 1, 0, 2));
        pool.get();
        pool.get();
        assertThat(pool.tryGet()).isNull();
        PoolStats stats = pool.stats();
        assertThat(stats).isEqualTo(new PoolStats(2, 4, 0, 1, 0, 0));
        assertThat(stats.hitRate()).isEqualTo(2 / 6.0);
        assertThat(new PoolStats(0, 0, 0, 0, 0, 0).hitRate()).isEqualTo(1);
    }

    @Test
    void clearForgetsWhatIsIdle() {
        Pool<Object> pool = Pool.builder(Object::new).build();
        for (int i = 0; i < 50; i++) {
            pool.put(new Object());
        }
        assertThat(pool.stats().retained()).isEqualTo(50);
        pool.clear();
        assertThat(pool.stats().retained()).isZero();
        assertThat(pool.tryGet()).isNull();
        pool.put(new Object());
        pool.put(new Object());
        assertThat(pool.stats().retained()).isEqualTo(2);
    }

    @Test
    void aPoolIsEqualToItselfOnly() {
        Pool<byte[]> one = Pool.ofBytes(8);
        Pool<byte[]> other = Pool.ofBytes(8);
        assertThat(one).isNotEqualTo(other);
        assertThat(List.of(other, one)).containsOnlyOnce(one);
        assertThat(one.toString()).startsWith("Pool@");
    }
}
