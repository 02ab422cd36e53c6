// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.threads;

import java.lang.reflect.Constructor;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** The smallest thing that virtual threads can run on; see {@link Arm#FLOOR}. */
final class Floor implements Executor {
    private final Queue<Runnable> others = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Runnable next;

    private Floor() {}

    static ThreadFactory threads() {
        Floor floor = new Floor();
        Thread.ofPlatform().daemon().name("floor").start(floor::run);
        try {
            Constructor<?> builder = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                    .getDeclaredConstructor(Executor.class);
            builder.setAccessible(true);
            return ((Thread.Builder.OfVirtual) builder.newInstance(floor)).factory();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JDK has no such builder of virtual threads", e);
        }
    }

    @Override
    public void execute(Runnable task) {
        if (next == null && Thread.currentThread().isVirtual()) {
            next = task;
        } else {
            others.add(task);
        }
    }

    private void run() {
        while (true) {
            Runnable task = next;
            if (task != null) {
                next = null;
            } else {
                task = others.poll();
            }
            if (task != null) {
                task.run();
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
