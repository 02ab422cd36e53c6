// SPDX-License-Identifier: Apache-2.0

/** Reads results that others measured, and compares them. */
@NullMarked
package dev.evenweave.lab.compare;

import org.jspecify.annotations.NullMarked;
