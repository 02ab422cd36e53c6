// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.scheduler;

import java.time.Duration;
import java.util.Objects;

/**
 * Every tunable and toggle of a scheduler. {@link #defaults()} is right for almost everybody; {@link #toBuilder()} changes
 * some of it.
 *
 * @param honour whether a preemption request outlives the thread that it was aimed at; can be changed while running
 * @param preemption what a preemption request sets; can be changed while running
 * @param handOver whether the processor of a carrier that runs one thread for too long, or that is blocked, goes to a spare
 *     carrier
 * @param timeSlice how long a thread, or a chain of threads that wake each other, runs before the monitor asks it to make
 *     room. 10 ms, as in Go: long against a switch (0.2 µs) and a cache refill, short against what a person or a client's
 *     time-out notices
 * @param handOverAfter how long one thread runs without a switch before its processor is given away. A slice and a half:
 *     half a slice is what a thread that polls has to follow a request before it costs an extra platform thread
 * @param stallAfter how long one thread runs without a switch, while others wait, before the operating system is asked whether
 *     the carrier is blocked; it is asked again at each doubling of that time. 1 ms: a question costs about 10 µs, so at most
 *     one per cent of a processor, and most calls that block are over by then
 * @param globalQueueInterval every how many slices the global queue is looked at before the carrier's own. 61, as in Go: a
 *     prime, so that it does not fall into step with the program's own patterns, and large enough to cost nothing
 * @param monitorFast how long the monitor sleeps while it finds work. 20 µs, as in Go: the shortest sleep that an operating
 *     system gives (with timer slack about 70 µs)
 * @param monitorSlow how long it sleeps at most when it finds none. 10 ms, as in Go: one slice
 * @param runNextAge how long a task lies in run-next, while the thread that put it there runs on, before another carrier
 *     takes it. 5 µs: a pair that hands over takes 0.2 µs, so nothing is torn apart that works together
 * @param spin how long a carrier that found nothing looks on before it parks. 20 µs: about what a wake-up of a parked
 *     platform thread costs, so spinning at most doubles the price of guessing wrong
 * @param maxCarriers how many platform threads the scheduler may have in all, spares included; never fewer than
 *     its parallelism. By default 256 more than the machine has processors, the room that the JDK's own scheduler takes;
 *     a parallelism above that leaves no room for spares, and so needs a higher one
 * @param keepAlive after how long an idle spare carrier ends. 30 s, as the JDK's own scheduler
 */
public record Policy(
        Honour honour,
        Preemption preemption,
        boolean handOver,
        Duration timeSlice,
        Duration handOverAfter,
        Duration stallAfter,
        int globalQueueInterval,
        Duration monitorFast,
        Duration monitorSlow,
        Duration runNextAge,
        Duration spin,
        int maxCarriers,
        Duration keepAlive) {

    private static final Duration LONGEST = Duration.ofHours(1);

    private static final Policy DEFAULTS = new Policy(
            Honour.ON,
            Preemption.ON,
            true,
            Duration.ofMillis(10),
            Duration.ofMillis(15),
            Duration.ofMillis(1),
            61,
            Duration.ofNanos(20_000),
            Duration.ofMillis(10),
            Duration.ofNanos(5_000),
            Duration.ofNanos(20_000),
            Runtime.getRuntime().availableProcessors() + 256,
            Duration.ofSeconds(30));

    /**
     * Checks every value.
     *
     * @throws IllegalArgumentException if a duration is not positive or longer than an hour, or a number is below 1; the
     *     message names the component, the value and what is allowed
     */
    public Policy {
        Objects.requireNonNull(honour, "honour");
        Objects.requireNonNull(preemption, "preemption");
        positive("timeSlice", timeSlice);
        positive("handOverAfter", handOverAfter);
        positive("stallAfter", stallAfter);
        atLeastOne("globalQueueInterval", globalQueueInterval);
        positive("monitorFast", monitorFast);
        positive("monitorSlow", monitorSlow);
        if (monitorFast.compareTo(monitorSlow) > 0) {
            throw new IllegalArgumentException(
                    "monitorFast " + monitorFast + ": must not be longer than monitorSlow " + monitorSlow);
        }
        notNegative("runNextAge", runNextAge);
        notNegative("spin", spin);
        atLeastOne("maxCarriers", maxCarriers);
        positive("keepAlive", keepAlive);
    }

    /**
     * Returns the policy that a scheduler has when nothing else is said.
     *
     * @return the defaults
     */
    public static Policy defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a builder that starts from this policy.
     *
     * @return the builder
     */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Changes some components of a policy. Values are checked by {@link #build()}. */
    public static final class Builder {
        private Honour honour;
        private Preemption preemption;
        private boolean handOver;
        private Duration timeSlice;
        private Duration handOverAfter;
        private Duration stallAfter;
        private int globalQueueInterval;
        private Duration monitorFast;
        private Duration monitorSlow;
        private Duration runNextAge;
        private Duration spin;
        private int maxCarriers;
        private Duration keepAlive;

        private Builder(Policy from) {
            honour = from.honour;
            preemption = from.preemption;
            handOver = from.handOver;
            timeSlice = from.timeSlice;
            handOverAfter = from.handOverAfter;
            stallAfter = from.stallAfter;
            globalQueueInterval = from.globalQueueInterval;
            monitorFast = from.monitorFast;
            monitorSlow = from.monitorSlow;
            runNextAge = from.runNextAge;
            spin = from.spin;
            maxCarriers = from.maxCarriers;
            keepAlive = from.keepAlive;
        }

        /**
         * Sets {@link Policy#honour()}.
         *
         * @param value the new value
         * @return this builder
         */
        public Builder honour(Honour value) {
            honour = value;
            return this;
        }

        /**
         * Sets {@link Policy#preemption()}.
         *
         * @param value the new value
         * @return this builder
         */
        public Builder preemption(Preemption value) {
            preemption = value;
            return this;
        }

        /**
         * Sets {@link Policy#handOver()}.
         *
         * @param value whether processors are handed over
         * @return this builder
         */
        public Builder handOver(boolean value) {
            handOver = value;
            return this;
        }

        /**
         * Sets {@link Policy#timeSlice()}.
         *
         * @param value longer than zero
         * @return this builder
         */
        public Builder timeSlice(Duration value) {
            timeSlice = value;
            return this;
        }

        /**
         * Sets {@link Policy#handOverAfter()}.
         *
         * @param value longer than zero
         * @return this builder
         */
        public Builder handOverAfter(Duration value) {
            handOverAfter = value;
            return this;
        }

        /**
         * Sets {@link Policy#stallAfter()}.
         *
         * @param value longer than zero
         * @return this builder
         */
        public Builder stallAfter(Duration value) {
            stallAfter = value;
            return this;
        }

        /**
         * Sets {@link Policy#globalQueueInterval()}.
         *
         * @param value at least 1
         * @return this builder
         */
        public Builder globalQueueInterval(int value) {
            globalQueueInterval = value;
            return this;
        }

        /**
         * Sets {@link Policy#monitorFast()}.
         *
         * @param value longer than zero, not longer than monitorSlow
         * @return this builder
         */
        public Builder monitorFast(Duration value) {
            monitorFast = value;
            return this;
        }

        /**
         * Sets {@link Policy#monitorSlow()}.
         *
         * @param value longer than zero
         * @return this builder
         */
        public Builder monitorSlow(Duration value) {
            monitorSlow = value;
            return this;
        }

        /**
         * Sets {@link Policy#runNextAge()}.
         *
         * @param value zero or longer
         * @return this builder
         */
        public Builder runNextAge(Duration value) {
            runNextAge = value;
            return this;
        }

        /**
         * Sets {@link Policy#spin()}.
         *
         * @param value zero (no spinning) or longer
         * @return this builder
         */
        public Builder spin(Duration value) {
            spin = value;
            return this;
        }

        /**
         * Sets {@link Policy#maxCarriers()}.
         *
         * @param value at least 1; a scheduler always has as many as its parallelism
         * @return this builder
         */
        public Builder maxCarriers(int value) {
            maxCarriers = value;
            return this;
        }

        /**
         * Sets {@link Policy#keepAlive()}.
         *
         * @param value longer than zero
         * @return this builder
         */
        public Builder keepAlive(Duration value) {
            keepAlive = value;
            return this;
        }

        /**
         * Returns the policy.
         *
         * @return the policy
         * @throws IllegalArgumentException if a value is out of its range; the message names it
         */
        public Policy build() {
            return new Policy(
                    honour,
                    preemption,
                    handOver,
                    timeSlice,
                    handOverAfter,
                    stallAfter,
                    globalQueueInterval,
                    monitorFast,
                    monitorSlow,
                    runNextAge,
                    spin,
                    maxCarriers,
                    keepAlive);
        }
    }

    private static void positive(String name, Duration value) {
        if (Objects.requireNonNull(value, name).compareTo(Duration.ZERO) <= 0) {
            throw new IllegalArgumentException(name + " " + value + ": must be longer than zero");
        }
        notTooLong(name, value);
    }

    private static void notNegative(String name, Duration value) {
        if (Objects.requireNonNull(value, name).isNegative()) {
            throw new IllegalArgumentException(name + " " + value + ": must not be negative");
        }
        notTooLong(name, value);
    }

    private static void notTooLong(String name, Duration value) {
        if (value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " " + value + ": must not be longer than an hour");
        }
    }

    private static void atLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " " + value + ": must be at least 1");
        }
    }
}
