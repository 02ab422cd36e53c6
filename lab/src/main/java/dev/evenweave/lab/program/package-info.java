// SPDX-License-Identifier: Apache-2.0

/** Whole programs on Evenweave: the command that runs one. */
@NullMarked
package dev.evenweave.lab.program;

import org.jspecify.annotations.NullMarked;
