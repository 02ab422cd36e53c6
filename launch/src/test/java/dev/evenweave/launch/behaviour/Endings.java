// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch.behaviour;

import java.util.concurrent.CountDownLatch;

/** A program that ends in the way that its first argument names. */
public final class Endings {
    private Endings() {}

    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
            // A hook may use virtual threads, too.
            CountDownLatch ran = new CountDownLatch(1);
            Thread.startVirtualThread(ran::countDown);
            try {
                ran.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            System.out.println("hook ran");
        }));
        switch (args[0]) {
            case "return" ->
                Thread.startVirtualThread(() -> System.out.println("main returns"))
                        .join();
            case "exit" -> Thread.startVirtualThread(() -> System.exit(7)).join();
            case "halt" ->
                Thread.startVirtualThread(() -> Runtime.getRuntime().halt(8)).join();
            case "throw" -> throw new IllegalStateException("thrown by main");
            case "hog" -> {
                // Threads that never end do not keep the JVM alive.
                for (int i = 0; i < 4; i++) {
                    Thread.startVirtualThread(() -> {
                        while (true) {
                            Thread.onSpinWait();
                        }
                    });
                }
                Thread.startVirtualThread(() -> System.out.println("main returns"))
                        .join();
            }
            case "wait" -> {
                System.out.println("waiting");
                Thread.sleep(60_000); // for a signal
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }
}
