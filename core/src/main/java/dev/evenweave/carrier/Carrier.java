// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.carrier;

import java.util.concurrent.ForkJoinPool;
import jdk.internal.misc.CarrierThread;

/*
 * Purpose. The platform thread under Evenweave's virtual threads, as far as the JDK needs to know it. What it
 * does with its time is the scheduler's business.
 *
 * Why the JDK's CarrierThread. Only for that class does the JDK say when a virtual thread enters a call that blocks its
 * carrier (name look-up, fsync, process start ...). Nothing of the ForkJoinPool behind it is used: run() never registers
 * with one.
 */
/** A platform thread that carries virtual threads of an Evenweave scheduler. */
public abstract class Carrier extends CarrierThread {
    /**
     * Creates the thread without starting it.
     *
     * @param facade the pool that the JDK sees; it is asked for a name and never for work
     * @param name the thread's name
     */
    @SuppressWarnings("this-escape")
    protected Carrier(ForkJoinPool facade, String name) {
        super(facade);
        setName(name);
        setDaemon(true);
    }

    /**
     * Never zero: with zero the JDK would hand over continuations as ForkJoinTasks, which allocates, instead of calling
     * {@code execute}.
     */
    @Override
    public final int getQueuedTaskCount() {
        return 1;
    }

    @Override
    public abstract void run();

    @Override
    public abstract boolean beginBlocking();

    /** Also called by the JDK after every yield and park of a virtual thread: must be a few instructions. */
    @Override
    public abstract void endBlocking();
}
