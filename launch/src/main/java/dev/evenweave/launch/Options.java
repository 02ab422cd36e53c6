// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch;

import dev.evenweave.scheduler.Policy;
import dev.evenweave.scheduler.Scheduler;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. What the user asked for, from the four places where it may be written. The first place that has an option counts:
 * arguments (of the agent, or --option), -Devenweave.*, EVENWEAVE_*, the file that config names. Each place is checked
 * whole: a value that another one overrides must be right, too, or it would surprise when that one goes.
 */
/** The options of one launch, checked. */
final class Options {
    /** Variables that mean something to the scripts around, not to a launch. */
    private static final Set<String> NOT_OPTIONS = Set.of("EVENWEAVE_JAVA_HOME", "EVENWEAVE_JDK_PLACES");

    private final Map<Option, Value> values = new EnumMap<>(Option.class);
    private final Map<String, String> properties;

    private record Value(String text, String source) {}

    private Options(Map<String, String> properties) {
        this.properties = properties;
    }

    /**
     * Reads and checks all places.
     *
     * @param arguments name=value each, or a name alone
     * @param properties the system properties
     * @param environment the environment's variables
     */
    static Options read(List<String> arguments, Map<String, String> properties, Map<String, String> environment)
            throws BadOption {
        Options options = new Options(properties);
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            String key = equals < 0 ? argument : argument.substring(0, equals);
            options.put(key, equals < 0 ? "" : argument.substring(equals + 1), "option " + key);
        }
        for (Map.Entry<String, String> property : properties.entrySet()) {
            if (property.getKey().startsWith("evenweave.")) {
                String key = property.getKey().substring("evenweave.".length());
                options.put(key, property.getValue(), "-D" + property.getKey());
            }
        }
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            String name = variable.getKey();
            if (name.startsWith("EVENWEAVE_") && !NOT_OPTIONS.contains(name)) {
                String key = name.substring("EVENWEAVE_".length())
                        .toLowerCase(Locale.ROOT)
                        .replace('_', '-');
                options.put(key, variable.getValue(), "the environment variable " + name);
            }
        }
        String file = options.text(Option.CONFIG);
        if (file != null) {
            options.readFile(file);
        }
        options.scheduler(); // names what fits no other value
        return options;
    }

    /** What -javaagent:jar=... gives: pairs with commas between. */
    static List<String> split(@Nullable String agentArgument) {
        return agentArgument == null || agentArgument.isBlank() ? List.of() : List.of(agentArgument.split(","));
    }

    private void readFile(String file) throws BadOption {
        Properties read = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
            read.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new BadOption("cannot read '" + file + "', which "
                    + Objects.requireNonNull(values.get(Option.CONFIG)).source + " names: " + e);
        }
        for (String key : read.stringPropertyNames()) {
            if (key.equals(Option.CONFIG.key)) {
                throw new BadOption("'config' in " + file + ": a file cannot name another one");
            }
            put(key, read.getProperty(key), "'" + key + "' in " + file);
        }
    }

    private void put(String key, String text, String source) throws BadOption {
        Option option =
                Option.of(key).orElseThrow(() -> new BadOption("unknown " + source + "; there are: " + Option.all()));
        try {
            option.check(text);
        } catch (IllegalArgumentException e) {
            throw new BadOption("bad value '" + text + "' of " + source + ": " + e.getMessage());
        }
        values.putIfAbsent(option, new Value(text, source));
    }

    private @Nullable String text(Option option) {
        Value value = values.get(option);
        return value == null ? null : value.text;
    }

    boolean wantsHelp() {
        String help = text(Option.HELP);
        return help != null && !help.equals("false");
    }

    boolean stopsOnFailure() {
        return !"continue".equals(text(Option.ON_FAILURE));
    }

    Optional<String> polls() {
        return Optional.ofNullable(text(Option.POLLS));
    }

    Optional<String> pollsExclude() {
        return Optional.ofNullable(text(Option.POLLS_EXCLUDE));
    }

    /** What names where an option was found, for messages. */
    String source(Option option) {
        Value value = values.get(option);
        return value == null ? "the default of " + option.key : value.source;
    }

    /** A builder of the scheduler that was asked for. What the JDK's own scheduler would have heeded serves as the default. */
    Scheduler.Builder scheduler() throws BadOption {
        Scheduler.Builder builder = Scheduler.builder();
        Policy.Builder policy = Policy.defaults().toBuilder();
        String name = text(Option.NAME);
        builder.name(name == null ? "evenweave" : name);
        int parallelism = parallelism(builder);
        policy.maxCarriers(maxCarriers(parallelism));
        for (Map.Entry<Option, Value> each : values.entrySet()) {
            if (each.getKey().isTunable()) {
                apply(each.getKey(), each.getValue(), policy);
            }
        }
        return builder.policy(policy.build());
    }

    private static void apply(Option option, Value value, Policy.Builder policy) throws BadOption {
        try {
            option.apply(policy, value.text);
        } catch (IllegalArgumentException e) {
            throw new BadOption("bad value '" + value.text + "' of " + value.source + ": " + e.getMessage());
        }
    }

    private int parallelism(Scheduler.Builder builder) throws BadOption {
        Value value = values.get(Option.PARALLELISM);
        if (value == null) {
            value = jdkProperty("jdk.virtualThreadScheduler.parallelism");
        }
        if (value == null) {
            return Runtime.getRuntime().availableProcessors();
        }
        try {
            int number = Option.number(value.text);
            builder.parallelism(number);
            return number;
        } catch (IllegalArgumentException e) {
            throw new BadOption("bad value '" + value.text + "' of " + value.source + ": " + e.getMessage());
        }
    }

    private int maxCarriers(int parallelism) throws BadOption {
        Value value = jdkProperty("jdk.virtualThreadScheduler.maxPoolSize");
        if (value == null) {
            return parallelism + 256;
        }
        try {
            return Math.max(1, Option.number(value.text));
        } catch (IllegalArgumentException e) {
            throw new BadOption("bad value '" + value.text + "' of " + value.source + ": " + e.getMessage());
        }
    }

    private @Nullable Value jdkProperty(String name) {
        String text = properties.get(name);
        return text == null ? null : new Value(text, "-D" + name);
    }
}
