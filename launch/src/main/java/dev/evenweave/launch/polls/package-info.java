// SPDX-License-Identifier: Apache-2.0

/** Inserts checkpoints into the loops of a program's classes. */
@NullMarked
package dev.evenweave.launch.polls;

import org.jspecify.annotations.NullMarked;
