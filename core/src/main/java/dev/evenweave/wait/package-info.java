// SPDX-License-Identifier: Apache-2.0
/**
 * How everything in Evenweave waits; shared by {@code sync} and {@code channel}, and not exported.
 *
 * <p>Read the classes in this order; each opens with its design.
 *
 * <ol>
 *   <li>{@link dev.evenweave.wait.WaitList}: FIFO lists of waiters over one arena (arrays and int ids, no node objects).
 *   <li>{@link dev.evenweave.wait.CallbackWaiter} with {@link dev.evenweave.wait.Callback} and {@link
 *       dev.evenweave.wait.Trampoline}: the waiter that is not a thread, and how callbacks run without recursion.
 *   <li>{@link dev.evenweave.wait.Parker}: the one place where a thread stops; tests and model checkers replace it.
 *   <li>{@link dev.evenweave.wait.ShortLock}: the lock under which waiters are queued and served.
 *   <li>{@link dev.evenweave.wait.WaitQueue}: this lock, a wait list, and the life of a waiter, written once.
 *   <li>{@link dev.evenweave.wait.Permits}: the semaphore, on which locks and bounded channels are built.
 *   <li>{@link dev.evenweave.wait.Gate}: wake-all waiting, on which latches, events and the like are built.
 *   <li>{@link dev.evenweave.wait.Rounds}: a gate that opens by itself when enough have arrived.
 *   <li>{@link dev.evenweave.wait.Shares}: permits that go to whoever has the fewest.
 *   <li>{@link dev.evenweave.wait.Conditions}: waiters that need a signal first and the permits of a {@code Permits} then.
 *   <li>{@link dev.evenweave.wait.WaitFuture}: the {@code CompletableFuture} face of a callback waiter.
 * </ol>
 *
 * <p>Three kinds of waiter stand in one queue, in the order in which they came: a virtual thread, a platform thread
 * (for both, the arena holds the {@link java.lang.Thread}), and a callback (the arena holds the {@code CallbackWaiter}).
 */
package dev.evenweave.wait;
