// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.sync;

import com.google.errorprone.annotations.CheckReturnValue;

/** The write side of an {@link RwLock}, held. */
public final class WriteHold extends Hold {
    private final RwLock rwLock;

    WriteHold(RwLock rwLock) {
        super(rwLock.writeLock());
        this.rwLock = rwLock;
    }

    /**
     * Turns this into a hold of the read side, with no moment in between in which another could write. Readers that wait
     * ahead of the next writer get in. This hold has ended then. If this throws what a callback of one of them threw,
     * nothing is held any more.
     *
     * @throws IllegalStateException if this hold has ended
     */
    @CheckReturnValue
    public Hold downgrade() {
        handOver();
        Hold reading = new Hold(rwLock.readLock());
        try {
            rwLock.downgradeHeld();
        } catch (Throwable t) {
            reading.close();
            throw t;
        }
        return reading;
    }
}
