// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

/**
 * One number that a run came up with.
 *
 * @param metric its name, the same in every run
 * @param unit its unit, the same in every run
 * @param value a finite number
 */
public record Sample(String metric, String unit, Better better, double value) {}
