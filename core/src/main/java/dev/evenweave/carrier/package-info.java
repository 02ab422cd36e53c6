// SPDX-License-Identifier: Apache-2.0

/** Which carrier runs the calling code: shared by the scheduler and the pool, not exported. */
package dev.evenweave.carrier;
