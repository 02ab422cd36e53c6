// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import org.jspecify.annotations.Nullable;

/** A task that holds something, written without any order of its own. */
final class Letter implements Runnable {
    private int content;

    Letter(int content) {
        this.content = content;
    }

    /** What a task holds, or {@code none} if there is no task. */
    static int read(@Nullable Runnable task, int none) {
        return task == null ? none : ((Letter) task).content;
    }

    @Override
    public void run() {}
}
