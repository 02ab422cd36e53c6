// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.channel;

import dev.evenweave.architecture.twins.scheduler.VirtualThreads;

/** Breaks the arrows of channel. */
public final class UsesScheduler {
    VirtualThreads wrong;
}
