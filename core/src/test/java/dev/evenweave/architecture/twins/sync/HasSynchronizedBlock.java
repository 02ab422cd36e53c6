// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.sync;

/** Blocks in a monitor. */
public final class HasSynchronizedBlock {
    int wrong() {
        synchronized (this) {
            return 1;
        }
    }
}
