// SPDX-License-Identifier: Apache-2.0

/**
 * Carries out experiments: what an experiment is, in which order its arms run, and what disturbs a run.
 *
 * <h2>To add an experiment</h2>
 *
 * <ol>
 *   <li>Implement {@link dev.evenweave.lab.engine.Experiment} in a package of its own. A run usually starts a program of that
 *       package in a JVM of its own ({@link dev.evenweave.lab.engine.Child#jvm}), which prints {@code name value unit} lines
 *       ({@link dev.evenweave.lab.engine.SampleLines}).
 *   <li>Write its command: a class that extends {@code ExperimentCommand}, with the options of the experiment. The common
 *       options, the discipline, the reports and the exit codes come with it.
 *   <li>Name the command in {@code Experiments}, the one place that lists them.
 * </ol>
 */
@NullMarked
package dev.evenweave.lab.engine;

import org.jspecify.annotations.NullMarked;
