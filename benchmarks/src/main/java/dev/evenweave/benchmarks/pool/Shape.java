// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks.pool;

import dev.evenweave.pool.Pool;
import io.netty.util.Recycler;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jctools.queues.MpmcArrayQueue;
import org.jspecify.annotations.Nullable;
import stormpot.Allocator;
import stormpot.Poolable;
import stormpot.Slot;
import stormpot.Timeout;

/** The pools that the benchmarks compare, behind the two calls that all of them have. */
abstract class Shape {
    /** What is pooled. */
    static final class Thing implements Poolable {
        int uses;
        Recycler.@Nullable EnhancedHandle<Thing> handle;

        private final @Nullable Slot slot;

        Thing(@Nullable Slot slot) {
            this.slot = slot;
        }

        @Override
        public void release() {
            if (slot != null) {
                slot.release(this);
            }
        }
    }

    abstract Thing get();

    abstract void put(Thing thing);

    static Shape of(String name) {
        return switch (name) {
            case "evenweave" -> new Evenweave();
            case "ThreadLocal" -> new Local();
            case "ConcurrentLinkedQueue" -> new Queued(new ConcurrentLinkedQueue<>());
            case "MpmcArrayQueue" -> new Queued(new MpmcArrayQueue<>(1024));
            case "Recycler" -> new Netty();
            case "Stormpot" -> new Stormpot();
            case "commons-pool2" -> new Commons();
            default -> throw new IllegalArgumentException("unknown pool " + name);
        };
    }

    private static Supplier<Thing> factory() {
        return () -> new Thing(null);
    }

    static final class Evenweave extends Shape {
        private final Pool<Thing> pool = Pool.builder(factory()).build();

        @Override
        Thing get() {
            return pool.get();
        }

        @Override
        void put(Thing thing) {
            pool.put(thing);
        }
    }

    /** Not a pool of objects that change threads: the yardstick for the price of a look-up. */
    static final class Local extends Shape {
        private final ThreadLocal<Thing> local = ThreadLocal.withInitial(factory());

        @Override
        Thing get() {
            return local.get();
        }

        @Override
        void put(Thing thing) {
            local.set(thing);
        }
    }

    static final class Queued extends Shape {
        private final Queue<Thing> queue;

        Queued(Queue<Thing> queue) {
            this.queue = queue;
        }

        @Override
        Thing get() {
            Thing thing = queue.poll();
            return thing != null ? thing : new Thing(null);
        }

        @Override
        void put(Thing thing) {
            queue.offer(thing);
        }
    }

    static final class Netty extends Shape {
        private final Recycler<Thing> recycler = new Recycler<>() {
            @Override
            protected Thing newObject(Handle<Thing> handle) {
                Thing thing = new Thing(null);
                thing.handle = (EnhancedHandle<Thing>) handle;
                return thing;
            }
        };

        @Override
        Thing get() {
            return recycler.get();
        }

        @Override
        void put(Thing thing) {
            Recycler.EnhancedHandle<Thing> handle = thing.handle;
            if (handle != null) {
                handle.recycle(thing);
            }
        }
    }

    static final class Stormpot extends Shape {
        private static final Timeout NEVER = new Timeout(1, TimeUnit.MINUTES);
        private final stormpot.Pool<Thing> pool = stormpot.Pool.from(new Allocator<Thing>() {
                    @Override
                    public Thing allocate(Slot slot) {
                        return new Thing(slot);
                    }

                    @Override
                    public void deallocate(Thing poolable) {
                        // nothing to free
                    }
                })
                .setSize(64)
                .build();

        @Override
        Thing get() {
            try {
                return Objects.requireNonNull(pool.claim(NEVER), "nothing within a minute");
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        void put(Thing thing) {
            thing.release();
        }
    }

    static final class Commons extends Shape {
        private final GenericObjectPool<Thing> pool;

        Commons() {
            GenericObjectPoolConfig<Thing> config = new GenericObjectPoolConfig<>();
            config.setMaxTotal(64);
            config.setMaxIdle(64);
            config.setMaxWait(Duration.ofMinutes(1));
            config.setJmxEnabled(false);
            pool = new GenericObjectPool<>(
                    new BasePooledObjectFactory<>() {
                        @Override
                        public Thing create() {
                            return new Thing(null);
                        }

                        @Override
                        public PooledObject<Thing> wrap(Thing thing) {
                            return new DefaultPooledObject<>(thing);
                        }
                    },
                    config);
        }

        @Override
        Thing get() {
            try {
                return pool.borrowObject();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        void put(Thing thing) {
            pool.returnObject(thing);
        }
    }
}
