// SPDX-License-Identifier: Apache-2.0

/**
 * Pools of reusable objects for programs with many short-lived virtual threads.
 *
 * <p>A {@link java.lang.ThreadLocal} cache holds one object for every thread; with a virtual thread for every task that is
 * one object for every task, and nothing is ever reused. The pools here keep their objects by <em>carrier</em>, the
 * platform thread under the virtual threads, of which there are as many as processors.
 *
 * <p>{@link dev.evenweave.pool.Pool} is the place to start; {@link dev.evenweave.pool.SizedPool} is for buffers of many
 * lengths.
 */
package dev.evenweave.pool;
