// SPDX-License-Identifier: Apache-2.0

/** Experiments with any command, given on the command line. */
@NullMarked
package dev.evenweave.lab.run;

import org.jspecify.annotations.NullMarked;
