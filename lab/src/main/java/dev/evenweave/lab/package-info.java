// SPDX-License-Identifier: Apache-2.0

/** The command line, and the experiments that it runs. */
@NullMarked
package dev.evenweave.lab;

import org.jspecify.annotations.NullMarked;
