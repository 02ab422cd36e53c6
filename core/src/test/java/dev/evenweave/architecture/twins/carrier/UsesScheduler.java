// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.carrier;

import dev.evenweave.architecture.twins.scheduler.VirtualThreads;

/** Breaks the arrows of carrier. */
public final class UsesScheduler {
    VirtualThreads wrong;
}
