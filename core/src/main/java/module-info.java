// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/**
 * Go-style scheduling for virtual threads, FIFO synchronization primitives, channels and an object pool.
 *
 * <p>The packages {@code dev.evenweave.wait} and {@code dev.evenweave.carrier} are shared by the others and are not
 * exported.
 */
@NullMarked
module dev.evenweave {
    requires static org.jspecify;
    requires static com.google.errorprone.annotations;

    exports dev.evenweave.scheduler;
    exports dev.evenweave.channel;
    exports dev.evenweave.pool;
    exports dev.evenweave.sync;
}
