// SPDX-License-Identifier: Apache-2.0

/** The experiment on threads that wake each other and starve a third one. */
@NullMarked
package dev.evenweave.lab.starvation;

import org.jspecify.annotations.NullMarked;
