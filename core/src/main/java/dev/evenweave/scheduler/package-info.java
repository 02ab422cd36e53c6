// SPDX-License-Identifier: Apache-2.0

/**
 * A Go-style scheduler for virtual threads: run-next hand-off, time slices that are inherited until a preemption was asked
 * for, work stealing, and a monitor that sees to it that nobody waits for ever.
 *
 * <p>Start with {@link dev.evenweave.scheduler.Scheduler}. Its tunables, with the reason for each value, are in
 * {@link dev.evenweave.scheduler.Policy}.
 */
package dev.evenweave.scheduler;
