// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import dev.evenweave.scheduler.RunQueueTwin.Flaw;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the tests ask of a run queue, in numbers instead of tasks: 0 is no task. */
interface TestedQueue {
    boolean offer(int task);

    int poll();

    int replaceRunNext(int task);

    int takeRunNext();

    boolean takeRunNext(int task);

    /** What spills out of a full ring, oldest first. */
    List<Integer> takeHalf();

    /** What a thief gets, oldest first. */
    List<Integer> steal();

    boolean isRingEmpty();

    boolean isEmpty();

    /** The product's queue. */
    static TestedQueue ofProduct(int capacity) {
        return new TestedQueue() {
            private final RunQueue queue = new RunQueue(capacity);

            @Override
            public boolean offer(int task) {
                return queue.offer(Task.of(task));
            }

            @Override
            public int poll() {
                return Task.number(queue.poll());
            }

            @Override
            public int replaceRunNext(int task) {
                return Task.number(queue.replaceRunNext(Task.of(task)));
            }

            @Override
            public int takeRunNext() {
                return Task.number(queue.takeRunNext());
            }

            @Override
            public boolean takeRunNext(int task) {
                return queue.takeRunNext(Task.of(task));
            }

            @Override
            public List<Integer> takeHalf() {
                Runnable[] into = new Runnable[capacity];
                return Task.numbers(into, queue.takeHalf(into));
            }

            @Override
            public List<Integer> steal() {
                RunQueue thief = new RunQueue(capacity);
                Runnable last = thief.stealFrom(queue);
                List<Integer> stolen = new ArrayList<>();
                for (Runnable task; (task = thief.poll()) != null; ) {
                    stolen.add(Task.number(task));
                }
                if (last != null) {
                    stolen.add(Task.number(last));
                }
                return stolen;
            }

            @Override
            public boolean isRingEmpty() {
                return queue.isRingEmpty();
            }

            @Override
            public boolean isEmpty() {
                return queue.isEmpty();
            }
        };
    }

    /** Its copy, with a flaw. */
    static TestedQueue ofTwin(int capacity, Flaw flaw) {
        return new TestedQueue() {
            private final RunQueueTwin queue = new RunQueueTwin(capacity, flaw);

            @Override
            public boolean offer(int task) {
                return queue.offer(Task.of(task));
            }

            @Override
            public int poll() {
                return Task.number(queue.poll());
            }

            @Override
            public int replaceRunNext(int task) {
                return Task.number(queue.replaceRunNext(Task.of(task)));
            }

            @Override
            public int takeRunNext() {
                return Task.number(queue.takeRunNext());
            }

            @Override
            public boolean takeRunNext(int task) {
                return queue.takeRunNext(Task.of(task));
            }

            @Override
            public List<Integer> takeHalf() {
                Runnable[] into = new Runnable[capacity];
                return Task.numbers(into, queue.takeHalf(into));
            }

            @Override
            public List<Integer> steal() {
                RunQueueTwin thief = new RunQueueTwin(capacity, Flaw.NONE);
                Runnable last = thief.stealFrom(queue);
                List<Integer> stolen = new ArrayList<>();
                for (Runnable task; (task = thief.poll()) != null; ) {
                    stolen.add(Task.number(task));
                }
                if (last != null) {
                    stolen.add(Task.number(last));
                }
                return stolen;
            }

            @Override
            public boolean isRingEmpty() {
                return queue.isRingEmpty();
            }

            @Override
            public boolean isEmpty() {
                return queue.isEmpty();
            }
        };
    }

    /** A numbered task: one object per number, since run-next is compared by identity. */
    final class Task implements Runnable {
        private static final Task[] ALL = new Task[16];

        private final int number;

        private Task(int number) {
            this.number = number;
        }

        static {
            for (int i = 0; i < ALL.length; i++) {
                ALL[i] = new Task(i);
            }
        }

        static Task of(int number) {
            return ALL[number];
        }

        static int number(@Nullable Runnable task) {
            return task == null ? 0 : ((Task) task).number;
        }

        static List<Integer> numbers(@Nullable Runnable[] tasks, int count) {
            List<Integer> numbers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                numbers.add(number(tasks[i]));
            }
            return numbers;
        }

        @Override
        public void run() {}
    }
}
