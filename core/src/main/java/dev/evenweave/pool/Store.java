// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.pool;

import dev.evenweave.carrier.CurrentCarrier;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. What a pool does when the private slot is not enough: makes cells for owners, overflows into shelves, steals, and
 * lets things go.
 *
 * Parts.
 *
 *      locals    hash table: thread id -> Local       a private slot for each platform thread that puts
 *      stripes   array                                where carriers are not visible: slots that virtual threads share
 *      shelves   list of Shelf.Ref                    what did not fit into the slots, open to thieves
 *
 *   put   own slot, else own shelf, else dropped
 *   get   own slot, else own shelf, else another's shelf, else own victim, else another's victim, else the factory
 *
 * Invariants.
 *   I1  The objects kept are at most maxRetained, and at most perOwner for one owner: a cell has one token for its slot, and
 *       a shelf has tokens for the rest (Shelf I3, I4). budget is what is left of maxRetained.
 *   I2  take and put do not wait: the lock is only tried, and a failure is a miss or a drop.
 *   I3  From the moment an owner is looked up until its cell is no longer touched, no call is made that can park, yield or
 *       initialize a class. Hence: no lock() there, and the static initializer runs through every such call once.
 *   I4  What an owner leaves behind when its thread ends goes to the orphans' shelf and can be stolen.
 *   I5  An owner has at most one cell: link() looks again under the lock before it makes one.
 *
 * Who may touch what. locals: read by all without order, written under the lock. shelves: copied on write, under the lock.
 * budget: written under the lock, read by all as a hint. Cells: see there.
 *
 * Why not simpler. Go's pool has an array with a place for each processor, and loses it when their number changes. Carriers
 * of the JDK come and go, and platform threads do, so here each has a cell of its own, and what it leaves is inherited.
 */
/** The slow roads of a {@link CarrierPool}. */
final class Store<T> {
    private static final int CPUS = Runtime.getRuntime().availableProcessors();

    /** Places in the table of locals: with carriers of scattered ids few share a home. */
    private static final int LOCALS = Math.clamp(ceilingPowerOfTwo(64 * CPUS), 256, 2048);

    /** Stripes where carriers are hidden: some more than carriers, to make it rare that two meet. */
    static final int STRIPES = Math.min(ceilingPowerOfTwo(4 * CPUS), 256);

    /** A thief looks at so many shelves: with a thousand platform threads a miss must not look at all of them. */
    private static final int STEAL_LIMIT = 32;

    /** How far from its home in the table a cell may be: those are on the same cache line, or the next. */
    private static final int PROBES = 8;

    /** A shelf's first tokens, as many as its first ring has slots. */
    private static final int FIRST_TOKENS = 8;

    /** The private slot is a strong reference: objects known to be larger than this go to a (soft) shelf. */
    private static final long SLOT_SIZE_LIMIT = 64 << 10;

    static {
        warmUp();
    }

    final Local[] locals = new Local[LOCALS];
    final Stripe[] stripes;
    final boolean plain;

    private final Supplier<? extends T> factory;
    private final @Nullable Consumer<? super T> reset;
    private final @Nullable ToLongFunction<? super T> sizeOf;
    private final long maxSize;
    private final int perOwner;
    private final int maxRing;

    private volatile Shelf.Ref[] shelves = {};
    private final Orphans orphans = new Orphans();

    private final ReentrantLock lock = new ReentrantLock();
    private int budget;

    private long expired;
    private long buriedHits;
    private long buriedSteals;
    private long buriedMisses;
    private long buriedDropped;

    Store(PoolBuilder<T> options, int stripes) {
        this.factory = options.factory;
        this.reset = options.reset;
        this.sizeOf = options.sizeOf;
        this.maxSize = options.maxSize;
        this.plain = reset == null && sizeOf == null;
        this.perOwner = options.maxRetainedPerCarrier;
        this.maxRing = ceilingPowerOfTwo(Math.max(1, perOwner - 1));
        Arrays.fill(locals, Local.VACANT);
        this.stripes = new Stripe[Math.min(stripes, Integer.highestOneBit(options.maxRetained))];
        Arrays.setAll(this.stripes, i -> new Stripe());
        this.budget = options.maxRetained - this.stripes.length;
    }

    T create() {
        T object = factory.get();
        if (object == null) {
            throw new NullPointerException("the factory of the pool returned null: " + factory);
        }
        return object;
    }

    /** Makes an object fit for its next user; false if it is not for the private slot, and taken care of. */
    boolean accept(T object) {
        ToLongFunction<? super T> measure = sizeOf;
        long size = measure == null ? 0 : measure.applyAsLong(object);
        if (size > maxSize) {
            Local local = find(CurrentCarrier.thread().threadId());
            (local != null ? local : orphans).dropped++;
            return false;
        }
        if (reset != null) {
            reset.accept(object);
        }
        if (size > SLOT_SIZE_LIMIT) {
            putLarge(object);
            return false;
        }
        return true;
    }

    // ---- owners

    /** Takes what the caller's own slot did not have. */
    @Nullable
    Object take() {
        long id = CurrentCarrier.thread().threadId();
        Local local = find(id);
        if (local == null) {
            return takeElsewhere(orphans, null, id);
        }
        if (local.full) { // not at home in the table
            local.full = false;
            Object object = local.slot;
            if (object != null) {
                local.hits++;
                return object;
            }
        }
        Shelf.Ref ref = local.shelf;
        Shelf shelf = ref == null ? null : ref.get();
        if (ref != null && shelf != null) {
            Object object = shelf.chain.popHead();
            if (object != null) {
                ref.room++;
                local.shelfHits++;
                return object;
            }
        }
        return takeElsewhere(local, shelf, id);
    }

    /** Puts what the caller's own slot had no room for. */
    void put(Object object) {
        Thread thread = CurrentCarrier.thread();
        Local local = find(thread.threadId());
        if (local == null) {
            local = link(thread);
        }
        if (local == null) {
            orphans.dropped++;
        } else if (!local.full) {
            local.slot = object;
            local.full = true;
        } else if (!shelve(local, object)) {
            local.dropped++;
        }
    }

    private void putLarge(Object object) {
        Thread thread = CurrentCarrier.thread();
        if (stripes.length > 0 && thread.isVirtual()) {
            Stripe stripe = stripes[(int) thread.threadId() & (stripes.length - 1)];
            if (!shelveIfFree(stripe, object)) {
                stripe.dropped++;
            }
            return;
        }
        Local local = find(thread.threadId());
        if (local == null) {
            local = link(thread);
        }
        if (local == null || !shelve(local, object)) {
            (local == null ? orphans : local).dropped++;
        }
    }

    private @Nullable Local find(long id) {
        for (int i = 0; i < PROBES; i++) {
            Local local = locals[((int) id + i) & (LOCALS - 1)];
            if (local.owner == id) {
                return local;
            }
        }
        return null;
    }

    /** Makes the cell of this thread, or finds that there is no room for one. */
    private @Nullable Local link(Thread thread) {
        if (!lock.tryLock()) {
            return null;
        }
        try {
            Local known = find(thread.threadId());
            if (known != null) {
                return known;
            }
            Local local = new Local(thread);
            if (budget == 0 || !place(local)) {
                buryOrphans();
                if (budget == 0 || !place(local)) {
                    return null;
                }
            }
            budget--;
            return local;
        } finally {
            lock.unlock();
        }
    }

    private boolean place(Local local) {
        for (int i = 0; i < PROBES; i++) {
            int index = ((int) local.owner + i) & (LOCALS - 1);
            if (locals[index] == Local.VACANT) {
                locals[index] = local;
                return true;
            }
        }
        return false;
    }

    private void buryOrphans() {
        for (int i = 0; i < LOCALS; i++) {
            Local local = locals[i];
            if (local != Local.VACANT && local.isOrphan()) {
                locals[i] = Local.VACANT;
                bury(local);
            }
        }
    }

    /** Inherits what an ended thread left. The thread is dead, so the caller is now the owner of its cell. */
    private void bury(Local local) {
        Shelf.Ref ref = local.shelf;
        Shelf shelf = ref == null ? null : ref.get();
        budget++;
        if (ref != null) {
            retire(ref);
        }
        Object left = local.full ? local.slot : null;
        if (left != null) {
            adopt(left);
        }
        if (shelf != null) {
            for (Object object = shelf.chain.popTail(); object != null; object = shelf.chain.popTail()) {
                adopt(object);
            }
        }
        buriedHits += local.hits + local.shelfHits + local.steals;
        buriedSteals += local.steals;
        buriedMisses += local.misses;
        buriedDropped += local.dropped;
    }

    private void adopt(Object object) {
        if (budget == 0) {
            expired++;
            return;
        }
        Shelf.Ref ref = orphans.shelf;
        Shelf shelf = ref == null || ref.retired ? null : ref.get();
        if (ref == null || shelf == null) {
            if (ref != null) {
                retire(ref);
            }
            shelf = new Shelf(maxRing);
            ref = addShelf(orphans, shelf, 0);
        }
        budget--;
        ref.tokens++;
        shelf.chain.pushHead(object);
    }

    // ---- thieves

    private @Nullable Object takeElsewhere(Cell cell, @Nullable Shelf own, long id) {
        Object object = steal(own, id, false);
        if (object != null) {
            cell.steals++;
            return object;
        }
        Chain victim = own == null ? null : own.victim;
        if (victim != null) {
            object = victim.popTail();
            if (object != null) {
                cell.shelfHits++;
                return object;
            }
        }
        object = steal(own, id, true);
        if (object != null) {
            cell.steals++;
            return object;
        }
        cell.misses++;
        return null;
    }

    private @Nullable Object steal(@Nullable Shelf own, long id, boolean victims) {
        Shelf.Ref[] all = shelves;
        int n = all.length;
        if (n == 0) {
            return null;
        }
        int index = (int) Long.remainderUnsigned(id, n);
        for (int i = Math.min(n, STEAL_LIMIT); i > 0; i--) {
            index = index + 1 == n ? 0 : index + 1;
            Shelf shelf = all[index].get();
            if (shelf == null || shelf == own) {
                continue;
            }
            Chain chain = victims ? shelf.victim : shelf.chain;
            Object object = chain == null ? null : chain.popTail();
            if (object != null) {
                return object;
            }
        }
        return null;
    }

    // ---- stripes

    /** Takes from a stripe, or whatever else has something. */
    @Nullable
    Object takeStriped(Stripe own) {
        Object object = own.take();
        if (object != null) {
            own.hits++;
            return object;
        }
        return takeAround(own);
    }

    private @Nullable Object takeAround(Stripe own) {
        long id = Thread.currentThread().threadId();
        Object object = null;
        Shelf shelf = null;
        if (own.tryAcquire()) {
            Shelf.Ref ref = own.shelf;
            shelf = ref == null ? null : ref.get();
            object = shelf == null ? null : shelf.chain.popHead();
            if (ref != null && object != null) {
                ref.room++;
            }
            own.release();
        }
        if (object != null) {
            own.shelfHits++;
            return object;
        }
        int mask = stripes.length - 1;
        for (int i = Math.min(mask, STEAL_LIMIT); i > 0; i--) {
            object = stripes[((int) id + i) & mask].take();
            if (object != null) {
                own.steals++;
                return object;
            }
        }
        return takeElsewhere(own, shelf, id);
    }

    /** Puts what the slot of the stripe had no room for. */
    void putStriped(Stripe own, Object object) {
        int next = ((int) Thread.currentThread().threadId() + 1) & (stripes.length - 1);
        if (!shelveIfFree(own, object) && !stripes[next].offer(object)) {
            own.dropped++;
        }
    }

    private boolean shelveIfFree(Stripe stripe, Object object) {
        if (!stripe.tryAcquire()) {
            return false;
        }
        try {
            return shelve(stripe, object);
        } finally {
            stripe.release();
        }
    }

    // ---- shelves

    /** Adds to the owner's shelf if there is room. Owner only. */
    private boolean shelve(Cell cell, Object object) {
        Shelf.Ref ref = cell.shelf;
        Shelf shelf = ref == null ? null : ref.get();
        if (ref == null || shelf == null) {
            shelf = newShelf(cell);
            ref = cell.shelf;
            if (ref == null || shelf == null) {
                return false;
            }
        }
        if (ref.room <= 0 && !makeRoom(ref, shelf)) {
            return false;
        }
        ref.room--;
        ref.pushes++;
        shelf.chain.pushHead(object);
        return true;
    }

    private boolean makeRoom(Shelf.Ref ref, Shelf shelf) {
        int room = ref.tokens - shelf.size();
        if (room <= 0) {
            if (ref.tokens >= perOwner - 1 || budget == 0 || !lock.tryLock()) {
                return false;
            }
            try {
                if (ref.retired) {
                    return false;
                }
                int granted = Math.min(Math.min(ref.tokens, perOwner - 1 - ref.tokens), budget);
                budget -= granted;
                ref.tokens += granted;
                room += granted;
            } finally {
                lock.unlock();
            }
        }
        ref.room = room;
        return room > 0;
    }

    private @Nullable Shelf newShelf(Cell cell) {
        if (perOwner == 1 || budget == 0 || !lock.tryLock()) {
            return null;
        }
        try {
            Shelf.Ref old = cell.shelf;
            if (old != null) {
                retire(old);
            }
            int tokens = Math.min(Math.min(FIRST_TOKENS, perOwner - 1), budget);
            if (tokens == 0) {
                return null;
            }
            Shelf shelf = new Shelf(maxRing);
            addShelf(cell, shelf, tokens);
            return shelf;
        } finally {
            lock.unlock();
        }
    }

    private Shelf.Ref addShelf(Cell cell, Shelf shelf, int tokens) {
        Shelf.Ref ref = new Shelf.Ref(this, shelf, Keeper.CLEARED);
        budget -= tokens;
        ref.tokens = tokens;
        Shelf.Ref[] old = shelves;
        Shelf.Ref[] all = Arrays.copyOf(old, old.length + 1);
        all[old.length] = ref;
        shelves = all;
        cell.shelf = ref;
        return ref;
    }

    private void retire(Shelf.Ref ref) {
        if (ref.retired) {
            return;
        }
        ref.retired = true;
        ref.clear(); // whoever is using the shelf right now finishes, and then it is garbage
        budget += ref.tokens;
        ref.tokens = 0;
        Shelf.Ref[] old = shelves;
        Shelf.Ref[] rest = new Shelf.Ref[old.length - 1];
        int n = 0;
        for (Shelf.Ref other : old) {
            if (other != ref) {
                rest[n++] = other;
            }
        }
        shelves = rest;
    }

    // ---- the keeper

    /** Ages everything by one step: what was idle at the last rotation and still is goes. */
    void rotate() {
        lock.lock();
        try {
            buryOrphans();
            for (Local local : locals) {
                rotate(local);
            }
            for (Stripe stripe : stripes) {
                rotate(stripe);
            }
            for (Shelf.Ref ref : shelves) {
                rotate(ref);
            }
        } finally {
            lock.unlock();
        }
    }

    private void rotate(Cell cell) {
        boolean holds = cell.holds();
        long hits = cell.hits;
        if (cell.seenHits == hits && cell.seenHolding == holds) {
            cell.forget(); // also when it is empty: a Local refers to what it lent, which may never come back
            expired += holds ? 1 : 0;
            holds = false;
        }
        cell.seenHits = hits;
        cell.seenHolding = holds;
    }

    private void rotate(Shelf.Ref ref) {
        Shelf shelf = ref.get();
        if (shelf == null) {
            retire(ref);
            return;
        }
        expired += shelf.rotate();
        int size = shelf.size();
        if (ref == orphans.shelf) {
            budget += ref.tokens - size;
            ref.tokens = size;
        }
        int pushes = ref.pushes;
        if (size == 0 && ref.seenPushes == pushes) {
            retire(ref);
        }
        ref.seenPushes = pushes;
    }

    /** The collector took a shelf. */
    void cleared(Shelf.Ref ref) {
        lock.lock();
        try {
            retire(ref);
        } finally {
            lock.unlock();
        }
    }

    void clear() {
        lock.lock();
        try {
            for (Local local : locals) {
                local.forget();
            }
            for (Stripe stripe : stripes) {
                stripe.forget();
            }
            for (Shelf.Ref ref : shelves) {
                retire(ref);
            }
        } finally {
            lock.unlock();
        }
    }

    PoolStats stats() {
        lock.lock();
        try {
            long hits = buriedHits;
            long steals = buriedSteals;
            long misses = buriedMisses;
            long dropped = buriedDropped;
            int retained = 0;
            Cell[][] all = {locals, stripes, {orphans}};
            for (Cell[] cells : all) {
                for (Cell cell : cells) {
                    hits += cell.hits + cell.shelfHits + cell.steals;
                    steals += cell.steals;
                    misses += cell.misses;
                    dropped += cell.dropped;
                    retained += cell.holds() ? 1 : 0;
                }
            }
            for (Shelf.Ref ref : shelves) {
                Shelf shelf = ref.get();
                retained += shelf == null ? 0 : shelf.size();
            }
            return new PoolStats(hits, misses, steals, dropped, expired, retained);
        } finally {
            lock.unlock();
        }
    }

    private static int ceilingPowerOfTwo(int n) {
        return n <= 1 ? 1 : Integer.highestOneBit(n - 1) << 1;
    }

    /** Runs once through all that is called where a call must not initialize a class or link a call site: I3. */
    private static void warmUp() {
        Store<Object> store = new Store<>(new PoolBuilder<>(Object::new), 2);
        Stripe stripe = store.stripes[0];
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 40; i++) {
                store.put(store);
                store.putLarge(store);
                store.putStriped(stripe, store);
            }
            for (int i = 0; i < 20; i++) {
                store.take();
                store.takeStriped(stripe);
            }
            store.rotate();
        }
        for (int i = 0; i < 200; i++) {
            store.take();
            store.takeStriped(stripe);
        }
        store.clear();
        store.accept(store);
    }
}
