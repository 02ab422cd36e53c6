// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.pool;

import dev.evenweave.architecture.twins.sync.UsesChannel;

/** Breaks the arrows of pool. */
public final class UsesSync {
    UsesChannel wrong;
}
