// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.sync;

/** Has a thread local. */
public final class HasThreadLocal {
    final ThreadLocal<String> wrong = new InheritableThreadLocal<>();
}
