// SPDX-License-Identifier: Apache-2.0

/** The primitives beside those of {@code java.util.concurrent} and Kotlin. */
@NullMarked
package dev.evenweave.benchmarks.sync;

import org.jspecify.annotations.NullMarked;
