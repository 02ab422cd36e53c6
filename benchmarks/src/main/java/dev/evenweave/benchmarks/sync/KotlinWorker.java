// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.benchmarks.sync;

import java.util.concurrent.CountDownLatch;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlin.coroutines.intrinsics.IntrinsicsKt;
import kotlin.coroutines.jvm.internal.ContinuationImpl;
import kotlinx.coroutines.Dispatchers;
import kotlinx.coroutines.sync.Mutex;
import org.jspecify.annotations.Nullable;

/** A coroutine that locks and unlocks so many times; written as the compiler would, since there is no Kotlin here. */
final class KotlinWorker extends ContinuationImpl {
    private static final long serialVersionUID = 1L;

    private final transient Mutex mutex;
    private final transient Runnable section;
    private int left;
    private boolean locked;

    KotlinWorker(Mutex mutex, Runnable section, int rounds, CountDownLatch done) {
        super(new Done(done));
        this.mutex = mutex;
        this.section = section;
        this.left = rounds;
    }

    void start() {
        IntrinsicsKt.intercepted(this).resumeWith(Unit.INSTANCE);
    }

    @Override
    protected @Nullable Object invokeSuspend(Object result) {
        while (true) {
            if (locked) {
                section.run();
                mutex.unlock(null);
                locked = false;
                left--;
            }
            if (left == 0) {
                return Unit.INSTANCE;
            }
            locked = true;
            Object now = mutex.lock(null, this);
            if (now == IntrinsicsKt.getCOROUTINE_SUSPENDED()) {
                return now;
            }
        }
    }

    private record Done(CountDownLatch latch) implements Continuation<Object> {
        @Override
        public CoroutineContext getContext() {
            return Dispatchers.getDefault();
        }

        @Override
        public void resumeWith(Object result) {
            latch.countDown();
        }
    }
}
