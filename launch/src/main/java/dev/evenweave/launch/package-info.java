// SPDX-License-Identifier: Apache-2.0

/**
 * Puts a whole program that knows nothing of it on Evenweave: before its main method runs, the JDK's default scheduler of
 * virtual threads is replaced by Evenweave's. Three doors lead here: a main class ({@code Launch}), a system class loader
 * ({@code SystemLoader}) and a Java agent ({@code Agent}).
 */
@NullMarked
package dev.evenweave.launch;

import org.jspecify.annotations.NullMarked;
