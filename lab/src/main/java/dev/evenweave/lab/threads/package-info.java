// SPDX-License-Identifier: Apache-2.0

/** Experiments with plain threads: what a switch, an idle scheduler and a million parked threads cost. */
@NullMarked
package dev.evenweave.lab.threads;

import org.jspecify.annotations.NullMarked;
