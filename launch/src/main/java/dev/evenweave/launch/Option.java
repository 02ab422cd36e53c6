// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import dev.evenweave.launch.polls.ClassPatterns;
import dev.evenweave.scheduler.Honour;
import dev.evenweave.scheduler.Policy;
import dev.evenweave.scheduler.Preemption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/*
 * Purpose. Every option there is: its name, what it takes, what it does. One table, so that the four places where options are
 * written, the help and the checks cannot differ. A test compares it with the components of Policy.
 */
/** The options of a launch. */
enum Option {
    HELP("help", "", "lists the options and ends"),
    CONFIG("config", "FILE", "reads more options from a file of name=value lines"),
    ON_FAILURE("on-failure", "stop|continue", "what to do if the take-over is impossible; stop", Kind.ONE_OF),
    NAME("name", "TEXT", "with what the names of the platform threads begin; evenweave"),
    PARALLELISM("parallelism", "N", "how many threads run at a time; the machine's processors", Kind.NUMBER),
    MAX_CARRIERS(
            "max-carriers",
            "N",
            "how many platform threads at most, spares included; parallelism + 256",
            (policy, text) -> policy.maxCarriers(number(text))),
    HAND_OVER(
            "hand-over",
            "on|off",
            "whether the processor of a thread that runs on or blocks its carrier goes to another carrier; on",
            (policy, text) -> policy.handOver(isOn(text))),
    HONOUR(
            "honour",
            "on|off|local-only",
            "whether a request to make room outlives the thread that was asked; on",
            (policy, text) -> policy.honour(oneOf(Honour.class, text))),
    PREEMPTION(
            "preemption",
            "on|thread-only",
            "what a request to make room sets; on",
            (policy, text) -> policy.preemption(oneOf(Preemption.class, text))),
    TIME_SLICE(
            "time-slice",
            "TIME",
            "how long a thread runs before it is asked to make room; 10ms",
            (policy, text) -> policy.timeSlice(duration(text))),
    HAND_OVER_AFTER(
            "hand-over-after",
            "TIME",
            "how long one thread runs before its processor is handed over; 15ms",
            (policy, text) -> policy.handOverAfter(duration(text))),
    STALL_AFTER(
            "stall-after",
            "TIME",
            "how long one thread runs before the system is asked whether its carrier is blocked; 1ms",
            (policy, text) -> policy.stallAfter(duration(text))),
    GLOBAL_QUEUE_INTERVAL(
            "global-queue-interval",
            "N",
            "every how many slices the global queue comes first; 61",
            (policy, text) -> policy.globalQueueInterval(number(text))),
    MONITOR_FAST(
            "monitor-fast",
            "TIME",
            "how long the monitor sleeps at least; 20us",
            (policy, text) -> policy.monitorFast(duration(text))),
    MONITOR_SLOW(
            "monitor-slow",
            "TIME",
            "how long the monitor sleeps at most while a thread runs; 10ms",
            (policy, text) -> policy.monitorSlow(duration(text))),
    RUN_NEXT_AGE(
            "run-next-age",
            "TIME",
            "after what time another carrier takes a thread that was woken to run next; 5us",
            (policy, text) -> policy.runNextAge(duration(text))),
    SPIN(
            "spin",
            "TIME",
            "how long a carrier without work looks on before it parks; 20us",
            (policy, text) -> policy.spin(duration(text))),
    KEEP_ALIVE(
            "keep-alive",
            "TIME",
            "after what time an idle spare carrier ends; 30s",
            (policy, text) -> policy.keepAlive(duration(text))),
    POLLS(
            "polls",
            "PATTERN[:PATTERN...]",
            "inserts checkpoints into the loops of these classes (agent only); none",
            Kind.CLASSES),
    POLLS_EXCLUDE("polls-exclude", "PATTERN[:PATTERN...]", "leaves these classes alone; none", Kind.CLASSES);

    private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(ns|us|ms|s|min)");

    final String key;
    final String takes;
    final String meaning;
    private final Kind kind;
    private final BiConsumer<Policy.Builder, String> tunable;

    Option(String key, String takes, String meaning) {
        this(key, takes, meaning, Kind.TEXT);
    }

    Option(String key, String takes, String meaning, Kind kind) {
        this.key = key;
        this.takes = takes;
        this.meaning = meaning;
        this.kind = kind;
        tunable = (policy, text) -> {};
    }

    Option(String key, String takes, String meaning, BiConsumer<Policy.Builder, String> tunable) {
        this.key = key;
        this.takes = takes;
        this.meaning = meaning;
        kind = Kind.TUNABLE;
        this.tunable = tunable;
    }

    private enum Kind {
        TEXT,
        NUMBER,
        ONE_OF,
        CLASSES,
        TUNABLE
    }

    static Optional<Option> of(String key) {
        return Arrays.stream(values()).filter(option -> option.key.equals(key)).findFirst();
    }

    String property() {
        return "evenweave." + key;
    }

    String variable() {
        return "EVENWEAVE_" + key.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    boolean isTunable() {
        return kind == Kind.TUNABLE;
    }

    /**
     * Sets the tunable that this option stands for.
     *
     * @throws IllegalArgumentException if the text is none of its values; the message says what is
     */
    void apply(Policy.Builder policy, String text) {
        tunable.accept(policy, text);
        policy.build(); // names what is out of range
    }

    /**
     * Checks a value as far as this option alone can tell.
     *
     * @throws IllegalArgumentException if the text is none of its values; the message says what is
     */
    void check(String text) {
        switch (kind) {
            case NUMBER -> number(text);
            case ONE_OF -> oneOf(takes.split("\\|"), text);
            case CLASSES -> ClassPatterns.check(text);
            case TUNABLE -> tunable.accept(Policy.defaults().toBuilder(), text);
            case TEXT -> {
                if (this != HELP && text.isBlank()) {
                    throw new IllegalArgumentException("must not be empty");
                }
            }
        }
    }

    /** The lines of the help, each option's with {@code prefix} before its name. */
    static List<String> help(String prefix) {
        List<String> lines = new ArrayList<>();
        for (Option option : values()) {
            String name = prefix + option.key + (option.takes.isEmpty() ? "" : "=" + option.takes);
            lines.add(String.format(Locale.ROOT, "  %-36s %s", name, option.meaning));
        }
        lines.add(
                "TIME is a number with ns, us, ms, s or min. PATTERN is a class, com.acme.* (a package) or com.acme.** (with"
                        + " those below). What stands after the semicolon is the default.");
        lines.add(
                "Every option also as -Devenweave.NAME=..., as EVENWEAVE_NAME (- becomes _) in the environment, and in the"
                        + " file that config names; the first of these that has it counts.");
        return lines;
    }

    static String all() {
        return Arrays.stream(values()).map(option -> option.key).collect(Collectors.joining(", "));
    }

    static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("must be a whole number", e);
        }
    }

    private static boolean isOn(String text) {
        return oneOf(new String[] {"off", "on"}, text) == 1;
    }

    private static int oneOf(String[] allowed, String text) {
        int at = Arrays.asList(allowed).indexOf(text);
        if (at < 0) {
            throw new IllegalArgumentException("must be one of " + String.join(", ", allowed));
        }
        return at;
    }

    private static <E extends Enum<E>> E oneOf(Class<E> type, String text) {
        E[] constants = type.getEnumConstants();
        String[] names = Arrays.stream(constants)
                .map(each -> each.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .toArray(String[]::new);
        return constants[oneOf(names, text)];
    }

    static Duration duration(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("must be a number with ns, us, ms, s or min, as in 10ms");
        }
        long number = Long.parseLong(matcher.group(1));
        Map<String, Long> nanos =
                Map.of("ns", 1L, "us", 1_000L, "ms", 1_000_000L, "s", 1_000_000_000L, "min", 60_000_000_000L);
        long unit = nanos.getOrDefault(matcher.group(2), 1L);
        try {
            return Duration.ofNanos(Math.multiplyExact(number, unit));
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("is too long", e);
        }
    }
}
