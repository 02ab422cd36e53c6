// SPDX-License-Identifier: Apache-2.0

/** The waitlist experiment: whether the first waiter of a queue should be kept outside the arena. */
@NullMarked
package dev.evenweave.lab.waitlist;

import org.jspecify.annotations.NullMarked;
