// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

/**
 * The cell of nobody: whoever holds the lock of the pool is the producer of its shelf. It has no slot. Callers for whom no
 * cell can be had count here, without care.
 */
final class Orphans extends Cell {
    @Override
    boolean holds() {
        return false;
    }

    @Override
    void forget() {
        // there is no slot
    }
}
