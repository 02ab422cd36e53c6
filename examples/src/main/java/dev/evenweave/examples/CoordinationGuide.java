// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.examples;

import dev.evenweave.sync.Barrier;
import dev.evenweave.sync.FairShare;
import dev.evenweave.sync.Latch;
import dev.evenweave.sync.Lazy;
import dev.evenweave.sync.OnceCell;
import dev.evenweave.sync.OnceMap;
import dev.evenweave.sync.Phaser;
import dev.evenweave.sync.Shutdown;
import dev.evenweave.sync.SingleFlight;
import dev.evenweave.sync.WaitGroup;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** The samples of docs/synchronization.md about waiting for others, doing things once and sharing between keys. */
public final class CoordinationGuide {
    private CoordinationGuide() {}

    static int waitingForOthers() throws InterruptedException {
        AtomicInteger done = new AtomicInteger();
        WaitGroup group = new WaitGroup();
        for (int i = 0; i < 10; i++) {
            group.start(done::incrementAndGet); // a virtual thread, counted until it ends
        }
        group.await();
        return done.get();
    }

    static String closed() {
        Latch ready = new Latch(3);
        ready.countDown();
        ready.close(new IllegalStateException("a worker failed")); // whoever waits gets this as the cause
        return ready.toString();
    }

    static int barrierWithAction(Barrier barrier, AtomicInteger combined) throws InterruptedException {
        if (barrier.await()) {
            combined.incrementAndGet(); // exactly one of the parties
        }
        barrier.await(); // the others wait until that is done
        return combined.get();
    }

    static long phases() throws InterruptedException {
        Phaser phaser = new Phaser();
        try (Phaser.Party party = phaser.register()) {
            party.arrive(); // without waiting
            party.await(); // for the end of the phase in which it arrived, even if that is over
            party.await(); // arrives in the next one, and waits
        }
        return phaser.phase();
    }

    static boolean shutdown() throws InterruptedException {
        Shutdown shutdown = new Shutdown();
        Thread part = Thread.ofVirtual().unstarted(() -> {});
        try (Shutdown.Guard guard = shutdown.register()) {
            part.start();
            part.join();
        }
        shutdown.request();
        return shutdown.await(Duration.ofSeconds(30));
    }

    static String once() throws InterruptedException {
        OnceCell<String> cell = new OnceCell<>();
        String tried = cell.getOrInit(() -> load("cell")); // tried again by the next in the queue if it throws

        Lazy<String> lazy = Lazy.of(() -> load("lazy")); // once, whatever comes of it; no wait that ends early stops it
        String kept = lazy.get();

        OnceMap<String, String> map = new OnceMap<>();
        String perKey = map.compute("key", () -> load("key")); // one computation per key

        SingleFlight<String, String> flight = new SingleFlight<>();
        String shared = flight.work("key", () -> load("flight")); // shared by those who ask meanwhile, then forgotten
        return tried + " " + kept + " " + perKey + " " + shared;
    }

    static String load(String name) {
        return name;
    }

    static String betweenKeys() throws InterruptedException {
        FairShare<String> workers = new FairShare<>(32);
        return workers.withPermit("tenant", () -> load("served"));
    }
}
