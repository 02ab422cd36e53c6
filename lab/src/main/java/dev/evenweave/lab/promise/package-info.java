// SPDX-License-Identifier: Apache-2.0

/** The scheduler's promise on waiting, beside what was measured. */
@NullMarked
package dev.evenweave.lab.promise;

import org.jspecify.annotations.NullMarked;
