// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.waitlist;

import dev.evenweave.wait.WaitList;
import org.jspecify.annotations.Nullable;

// Purpose. The other storage: a lone waiter lives in fields of the list, and moves into the arena when a second one
// comes.
// A primitive that never has two waiters at once then never allocates the arena's arrays; every operation asks first
// where
// the waiter is.
//
// States of the inline place.
//
//   EMPTY ── a waiter comes, nobody else is there ──▶ HERE ── another one comes ──▶ MOVED
//     ▲                                                │                             │
//     └──────────────── its owner frees it ────────────┴─────────────────────────────┘
//
// Its owner knows it as INLINE in both states; MOVED says where it really is. Nobody else becomes INLINE before that
// owner
// has freed it.

/** A wait list whose first waiter needs no arena. */
final class InlineFirst extends WaitList {
    private static final int INLINE = 1 << 30;
    private static final int NOWHERE = -1;

    private boolean here;
    private @Nullable Object inlineWaiter;
    private long inlineNeed;
    private long inlineWant;

    /** The list that the inline waiter is in, or NOWHERE. */
    private int inlineList = NOWHERE;

    /** Where the inline waiter has moved to, or 0. */
    private int movedTo;

    /** How many are in the arena, lists of their own not counted. */
    private int inArena;

    /** How many were inline at all: shows that the branch ran. */
    static long everInline;

    @Override
    public void reserve() {
        if (here || inArena > 0) {
            // The inline waiter needs a place too when it moves.
            super.reserve();
        }
    }

    @Override
    public int add(int list, long want, long need, @Nullable Object waiter) {
        if (isFree()) {
            return addInline(list, want, need, waiter);
        }
        moveOut();
        inArena++;
        return super.add(list, want, need, waiter);
    }

    @Override
    public int addFirst(int list, long want, long need, @Nullable Object waiter) {
        if (isFree()) {
            return addInline(list, want, need, waiter);
        }
        moveOut();
        inArena++;
        return super.addFirst(list, want, need, waiter);
    }

    private boolean isFree() {
        return !here && inArena == 0;
    }

    private int addInline(int list, long want, long need, @Nullable Object waiter) {
        everInline++;
        here = true;
        inlineWaiter = waiter;
        inlineNeed = need;
        inlineWant = want;
        inlineList = list;
        return INLINE;
    }

    private void moveOut() {
        if (here) {
            int id = super.add(inlineList == NOWHERE ? QUEUE : inlineList, inlineWant, inlineNeed, inlineWaiter);
            if (inlineList == NOWHERE) {
                super.unlink(id);
            }
            inArena++;
            movedTo = id;
            here = false;
            inlineWaiter = null;
            inlineList = NOWHERE;
        }
    }

    private int real(int id) {
        return id == INLINE ? movedTo : id;
    }

    @Override
    public int first(int list) {
        return here ? inlineList == list ? INLINE : 0 : super.first(list);
    }

    @Override
    public int next(int list, int id) {
        return here ? 0 : super.next(list, real(id));
    }

    @Override
    public boolean isEmpty(int list) {
        return here ? inlineList != list : super.isEmpty(list);
    }

    @Override
    public void unlink(int id) {
        if (here) {
            inlineList = NOWHERE;
        } else {
            super.unlink(real(id));
        }
    }

    @Override
    public void move(int id, int list) {
        if (here) {
            inlineList = list;
        } else {
            super.move(real(id), list);
        }
    }

    @Override
    public void free(int id) {
        if (here) {
            here = false;
            inlineWaiter = null;
            return;
        }
        int real = real(id);
        if (real == movedTo) {
            movedTo = 0;
        }
        inArena--;
        super.free(real);
    }

    @Override
    public long need(int id) {
        return here ? inlineNeed : super.need(real(id));
    }

    @Override
    public void need(int id, long need) {
        if (here) {
            inlineNeed = need;
        } else {
            super.need(real(id), need);
        }
    }

    @Override
    public long want(int id) {
        return here ? inlineWant : super.want(real(id));
    }

    @Override
    public @Nullable Object waiter(int id) {
        return here ? inlineWaiter : super.waiter(real(id));
    }

    @Override
    public void dropList(int list) {
        // Not a waiter, so not counted; the list must be empty, wherever the waiter is.
        inArena++;
        boolean wasHere = here;
        here = false;
        free(list);
        here = wasHere;
    }
}
