// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.scheduler;

import dev.evenweave.architecture.twins.wait.Waits;

/** Breaks the arrows of scheduler. */
public final class UsesWait {
    Waits wrong;
}
