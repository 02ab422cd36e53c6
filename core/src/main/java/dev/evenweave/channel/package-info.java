// SPDX-License-Identifier: Apache-2.0
/**
 * Channels between threads in the manner of Go, and select over them.
 *
 * <p>Works on any thread, virtual or platform, and needs no flag of the JVM.
 */
package dev.evenweave.channel;
