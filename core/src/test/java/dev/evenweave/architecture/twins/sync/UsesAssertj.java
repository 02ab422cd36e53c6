// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture.twins.sync;

import org.assertj.core.api.Assert;

/** Needs a library. */
public final class UsesAssertj {
    Assert<?, ?> wrong;
}
