// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.sync;

/** Blocks in a monitor. */
public final class HasSynchronizedMethod {
    synchronized void wrong() {}
}
