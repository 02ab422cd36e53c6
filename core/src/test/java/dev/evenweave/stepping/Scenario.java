// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.stepping;

/** One call that waits, what another thread does meanwhile, and what must hold afterwards. */
public interface Scenario {
    /** The call under test, on the stepped thread; what it throws is the outcome. */
    void call() throws Throwable;

    /** What another thread does once, at some step. */
    void act();

    /** Whether a lock is held that the other thread would have to wait for. */
    boolean isBusy();

    /**
     * Fails if something was lost or doubled.
     *
     * @param thrown what the call threw, or null
     * @param interrupted whether the thread was interrupted at a step of the call
     */
    void check(Throwable thrown, boolean interrupted);
}
