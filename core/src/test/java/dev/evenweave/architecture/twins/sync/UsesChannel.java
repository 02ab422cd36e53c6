// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.sync;

import dev.evenweave.architecture.twins.channel.UsesScheduler;

/** Breaks the arrows of sync. */
public final class UsesChannel {
    UsesScheduler wrong;
}
