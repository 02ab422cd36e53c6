// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.sync;

/** Has Unsafe. */
public final class HasUnsafe {
    @SuppressWarnings("sunapi")
    sun.misc.Unsafe wrong;
}
