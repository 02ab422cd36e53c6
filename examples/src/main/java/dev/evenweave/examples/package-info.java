// SPDX-License-Identifier: Apache-2.0

/**
 * What a user would write: the samples of README and guide, word for word, and programs around them. The tests run all of
 * it, and see to it that no sample of the documents is missing here.
 */
@NullMarked
package dev.evenweave.examples;

import org.jspecify.annotations.NullMarked;
