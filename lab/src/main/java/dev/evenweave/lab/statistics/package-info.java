// SPDX-License-Identifier: Apache-2.0

/**
 * Medians with their intervals, comparisons and verdicts. The distributions come from Commons Statistics.
 */
@NullMarked
package dev.evenweave.lab.statistics;

import org.jspecify.annotations.NullMarked;
