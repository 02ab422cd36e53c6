// SPDX-License-Identifier: Apache-2.0

/** An HTTP server whose light requests wait for those that compute, or do not: the hogs experiment and the demo. */
@NullMarked
package dev.evenweave.lab.hogs;

import org.jspecify.annotations.NullMarked;
