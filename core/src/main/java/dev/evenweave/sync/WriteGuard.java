// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import org.jspecify.annotations.Nullable;

/**
 * Access to a guarded value that may be replaced, for as long as the lock is held.
 *
 * @param <T> the type of the value
 */
public class WriteGuard<T extends @Nullable Object> extends Guard<T> {
    private final Cell<T> cell;

    /** Where the value is kept; read and written only with the lock held. */
    static class Cell<T extends @Nullable Object> {
        T value;

        Cell(T value) {
            this.value = value;
        }
    }

    WriteGuard(Hold hold, Cell<T> cell) {
        super(hold, cell.value);
        this.cell = cell;
    }

    /** The value as it is now. Do not use it after the guard was closed. */
    @Override
    public T get() {
        hold.checkHeld();
        return cell.value;
    }

    /** Replaces the value. */
    public void set(T value) {
        hold.checkHeld();
        cell.value = value;
    }
}
