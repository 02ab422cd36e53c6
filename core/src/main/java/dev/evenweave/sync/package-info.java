// SPDX-License-Identifier: Apache-2.0
/**
 * Synchronization for virtual threads, platform threads and callbacks: FIFO, free of allocation once warm, and safe to
 * cancel.
 *
 * <h2>What holds for every class here</h2>
 *
 * <ul>
 *   <li><b>Order.</b> Whoever waits stands in one queue, virtual threads, platform threads and callbacks alike, and is
 *       served in the order of arrival. A {@code try} method never overtakes the queue. What is released goes straight to
 *       the head of the queue: nobody can take it on the way.
 *   <li><b>Interruption.</b> Interruptible methods throw {@link java.lang.InterruptedException} if the thread's interrupt
 *       flag is set on entry, even if they would not have to wait, or when it is set while they wait; the flag is cleared
 *       and nothing is held. If what was waited for was granted before the interrupt was seen, the method returns and
 *       leaves the flag set: a grant is kept or passed on, never lost and never given twice.
 *       {@code ...Uninterruptibly} methods wait on and leave the flag set.
 *   <li><b>Cancellation.</b> A wait ends early by an interrupt, by its time limit, by completing or cancelling its future
 *       in any way, by {@code cancel(Waiter)}, or when what it waits at is closed. It then leaves the queue at once; what
 *       it had been granted in part goes to the next in the queue.
 *   <li><b>Time limits.</b> A {@link java.time.Duration} of zero or less does not wait. Longer than 292 years is for ever.
 *   <li><b>Callbacks</b>, those of a {@link dev.evenweave.sync.Waiter} and of a future, run outside every lock, on the thread that
 *       releases. One that is let go inside another runs when that one has returned, so a chain of any length needs no
 *       stack. If one throws, all others still get what they were granted; then the method that released throws the
 *       first of the throwables, with the others suppressed in it.
 *   <li><b>Memory.</b> What a thread did before it released (unlocked, set, counted down, ...) happens-before what is
 *       done after the matching acquire (lock, await, ...) returned, or in its callback.
 *   <li><b>Not re-entrant.</b> Asking for what one holds oneself waits for ever, or fails with a clear exception where
 *       the owner is known.
 * </ul>
 */
package dev.evenweave.sync;
