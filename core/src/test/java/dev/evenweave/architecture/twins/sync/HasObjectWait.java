// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.sync;

/** Waits in a monitor. */
public final class HasObjectWait {
    @SuppressWarnings("WaitNotInLoop")
    void wrong(Object lock) throws InterruptedException {
        lock.wait();
    }
}
