// SPDX-License-Identifier: Apache-2.0

/** Finds and replays the orders of virtual threads in which a test fails. */
@NullMarked
package dev.evenweave.testkit;

import org.jspecify.annotations.NullMarked;
