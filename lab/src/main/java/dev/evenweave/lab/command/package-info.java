// SPDX-License-Identifier: Apache-2.0

/** What the commands of the lab have in common. */
@NullMarked
package dev.evenweave.lab.command;

import org.jspecify.annotations.NullMarked;
