// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.wait;

/** What the others may use. */
public final class Waits {}
