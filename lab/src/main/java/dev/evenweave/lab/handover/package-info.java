// SPDX-License-Identifier: Apache-2.0

/**
 * What the hand-over of a processor is worth where a thread does not make room, and what it costs where all of them do: the
 * handover experiment.
 */
@NullMarked
package dev.evenweave.lab.handover;

import org.jspecify.annotations.NullMarked;
