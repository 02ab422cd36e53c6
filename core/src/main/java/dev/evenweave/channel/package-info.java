// SPDX-License-Identifier: Apache-2.0

/** Channels between threads. */
package dev.evenweave.channel;
