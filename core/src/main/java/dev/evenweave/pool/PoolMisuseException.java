// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Says how an object of a {@linkplain PoolBuilder#checked checked} pool was misused; its causes are the calls before. */
public final class PoolMisuseException extends IllegalStateException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** The kind of misuse. */
    public enum Kind {
        /** An object was put that was in the pool already. */
        PUT_TWICE,
        /** An object was put that did not come from this pool. */
        FOREIGN,
        /** An object was changed after it was put. */
        USED_AFTER_PUT,
        /** An object was taken and never put. */
        LEAKED
    }

    /** The kind of misuse. */
    private final Kind kind;

    PoolMisuseException(Kind kind, String message, @Nullable Throwable before) {
        super(message, before);
        this.kind = kind;
    }

    /**
     * Returns the kind of misuse.
     *
     * @return the kind
     */
    public Kind kind() {
        return kind;
    }
}
