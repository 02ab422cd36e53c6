// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrampolineTest {
    private final List<String> called = new ArrayList<>();

    private CallbackWaiter waiter(String name, Runnable then) {
        return new CallbackWaiter() {
            @Override
            protected void completed(WaitQueue queue, long result) {
                called.add(name);
                then.run();
            }
        };
    }

    private static Throwable run(CallbackWaiter... waiters) {
        Gate gate = new Gate(Parker.THREADS);
        for (CallbackWaiter waiter : waiters) {
            waiter.enter(gate);
        }
        for (int i = 0; i + 1 < waiters.length; i++) {
            waiters[i].link = waiters[i + 1];
        }
        return Trampoline.run(waiters[0], waiters[waiters.length - 1]);
    }

    @Test
    void aCallbackGivenInsideACallbackRunsAfterIt_I2() {
        CallbackWaiter inner = waiter("inner", () -> {});
        Throwable thrown = run(
                waiter("outer", () -> {
                    assertThat(run(inner)).isNull();
                    called.add("end of outer");
                }),
                waiter("second", () -> {}));
        assertThat(thrown).isNull();
        assertThat(called).containsExactly("outer", "end of outer", "second", "inner");
    }

    @Test
    void eachRunsWhateverTheOthersThrow_I3() {
        Throwable thrown = catchThrowable(() -> Trampoline.rethrow(run(
                waiter("a", () -> {
                    throw new IllegalStateException("first");
                }),
                waiter("b", () -> {
                    throw new AssertionError("second");
                }),
                waiter("c", () -> {}))));
        assertThat(called).containsExactly("a", "b", "c");
        assertThat(thrown).hasMessage("first").hasSuppressedException(new AssertionError("second"));
        assertThat(run(waiter("d", () -> {}))).isNull();
        assertThat(called).endsWith("d");
    }

    @Test
    void eachRunsIfThereIsNoMemoryToListTheThread_I3() {
        CallbackWaiter a = waiter("a", () -> {
            throw new IllegalStateException("first");
        });
        CallbackWaiter b = waiter("b", () -> {});
        Gate gate = new Gate(Parker.THREADS);
        a.enter(gate);
        b.enter(gate);
        a.link = b;
        assertThat(Trampoline.callEach(a)).hasMessage("first");
        assertThat(called).containsExactly("a", "b");
        assertThat(a.link).isNull();
    }

    @Test
    void aMillionNestedCallbacksNeedNoStack() {
        int[] left = {1_000_000};
        CallbackWaiter[] self = new CallbackWaiter[1];
        self[0] = new CallbackWaiter() {
            @Override
            protected void completed(WaitQueue queue, long result) {
                if (--left[0] > 0) {
                    assertThat(run(self[0])).isNull();
                }
            }
        };
        assertThat(run(self[0])).isNull();
        assertThat(left[0]).isZero();
    }
}
