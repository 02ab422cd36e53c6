// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import static dev.evenweave.pool.PoolMisuseException.Kind.FOREIGN;
import static dev.evenweave.pool.PoolMisuseException.Kind.LEAKED;
import static dev.evenweave.pool.PoolMisuseException.Kind.PUT_TWICE;
import static dev.evenweave.pool.PoolMisuseException.Kind.USED_AFTER_PUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CheckedPoolTest {
    private final List<PoolMisuseException> misuse = new CopyOnWriteArrayList<>();

    @Test
    void correctUseIsNotDisturbed() {
        Pool<byte[]> pool = Pool.builder(() -> new byte[8]).checked(misuse::add).build();
        byte[] first = pool.get();
        pool.put(first);
        assertThat(pool.get()).isSameAs(first);
        first[0] = 1;
        pool.put(first);
        assertThat(pool.get()).isSameAs(first);
        assertThat(pool.tryGet()).isNull();
        assertThat(misuse).isEmpty();
        assertThat(pool.stats().hits()).isEqualTo(2);
    }

    @Test
    void aSecondPutIsThrownWithTheStackOfTheFirst() {
        Pool<Object> pool = Pool.builder(Object::new).checked(misuse::add).build();
        Object object = pool.get();
        putFromHere(pool, object);
        PoolMisuseException thrown = catchThrowableOfType(PoolMisuseException.class, () -> pool.put(object));
        assertThat(thrown.kind()).isEqualTo(PUT_TWICE);
        assertThat(thrown.getCause().getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("putFromHere"));
        assertThat(pool.stats().retained()).isEqualTo(1);
    }

    @Test
    void aForeignObjectIsThrown() {
        Pool<Object> pool = Pool.builder(Object::new).checked(misuse::add).build();
        assertThatExceptionOfType(PoolMisuseException.class)
                .isThrownBy(() -> pool.put(new Object()))
                .satisfies(thrown -> assertThat(thrown.kind()).isEqualTo(FOREIGN));
    }

    @Test
    void useAfterPutIsSeenAtTheNextGet() {
        byte[] bytes = use(Pool.builder(() -> new byte[8]), array -> array[3] = 1);
        char[] chars = use(Pool.builder(() -> new char[8]), array -> array[3] = 'x');
        ByteBuffer buffer = use(Pool.builder(() -> ByteBuffer.allocate(8)), it -> it.put((byte) 1));
        StringBuilder text = use(Pool.builder(StringBuilder::new), it -> it.append("more"));
        AtomicLong number =
                use(Pool.builder(AtomicLong::new).fingerprint(AtomicLong::get), AtomicLong::incrementAndGet);
        assertThat(List.of(bytes, chars, buffer, text, number)).hasSize(5);
        assertThat(misuse).hasSize(5).allSatisfy(one -> {
            assertThat(one.kind()).isEqualTo(USED_AFTER_PUT);
            assertThat(one.getCause().getStackTrace())
                    .anyMatch(frame -> frame.getMethodName().equals("putFromHere"));
        });
    }

    private <T> T use(PoolBuilder<T> builder, java.util.function.Consumer<T> afterPut) {
        Pool<T> pool = builder.checked(misuse::add).build();
        T object = pool.get();
        putFromHere(pool, object);
        afterPut.accept(object);
        assertThat(pool.get()).as("it is not handed out").isNotSameAs(object);
        return object;
    }

    @Test
    void anObjectThatIsNeverPutIsReportedWithTheStackOfItsGet() throws InterruptedException {
        Pool<Object> pool = Pool.builder(Object::new).checked(misuse::add).build();
        takeAndForget(pool);
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (misuse.isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            System.gc();
            Thread.sleep(10); // lets the reference handler run; the condition is the one above
            pool.stats();
        }
        assertThat(misuse).singleElement().satisfies(leak -> {
            assertThat(leak.kind()).isEqualTo(LEAKED);
            assertThat(leak.getCause().getStackTrace())
                    .anyMatch(frame -> frame.getMethodName().equals("takeAndForget"));
        });
    }

    @Test
    void aDroppedObjectIsNotTheCallersAnyMore() {
        Pool<Object> pool =
                Pool.builder(Object::new).maxRetained(1).checked(misuse::add).build();
        List<Object> objects = new ArrayList<>(List.of(pool.get(), pool.get()));
        objects.forEach(pool::put);
        assertThat(pool.stats().dropped()).isEqualTo(1);
        assertThatExceptionOfType(PoolMisuseException.class)
                .isThrownBy(() -> pool.put(objects.get(1)))
                .satisfies(thrown -> assertThat(thrown.kind()).isEqualTo(PUT_TWICE));
    }

    @Test
    void whatTheResetHookRefusesIsNotKept() {
        Pool<Object> pool = Pool.builder(Object::new)
                .reset(object -> {
                    throw new IllegalStateException("broken");
                })
                .checked(misuse::add)
                .build();
        Object object = pool.get();
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> pool.put(object));
        assertThat(pool.tryGet()).isNull();
        pool.clear();
        assertThat(misuse).isEmpty();
    }

    @Test
    void withoutAHandlerMisuseIsLogged() {
        Pool<byte[]> pool = Pool.builder(() -> new byte[8]).checked().build();
        byte[] object = pool.get();
        pool.put(object);
        object[0] = 1;
        assertThat(pool.get()).isNotSameAs(object);
    }

    private static <T> void putFromHere(Pool<T> pool, T object) {
        pool.put(object);
    }

    private static void takeAndForget(Pool<Object> pool) {
        pool.get();
    }
}
