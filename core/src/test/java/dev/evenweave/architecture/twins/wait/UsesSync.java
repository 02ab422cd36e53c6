// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.wait;

import dev.evenweave.architecture.twins.sync.UsesChannel;

/** Breaks the arrows of wait. */
public final class UsesSync {
    UsesChannel wrong;
}
