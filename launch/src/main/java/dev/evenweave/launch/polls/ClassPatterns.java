// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch.polls;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Which classes are meant: {@code com.acme.Job} (and its nested classes), {@code com.acme.*}, {@code com.acme.**}. */
public final class ClassPatterns {
    private static final Pattern FORM =
            Pattern.compile("\\*\\*|[\\p{Alpha}_$][\\w$]*(\\.[\\p{Alpha}_$][\\w$]*)*(\\.\\*\\*?)?");

    private final List<String> patterns = new ArrayList<>();

    /**
     * Reads patterns with colons between.
     *
     * @throws IllegalArgumentException if one has another form; the message names it
     */
    ClassPatterns(String text) {
        for (String pattern : text.split(":")) {
            if (pattern.isEmpty()) {
                continue;
            }
            if (!FORM.matcher(pattern).matches()) {
                throw new IllegalArgumentException("'" + pattern
                        + "' is no pattern of classes: com.acme.Job, com.acme.* or com.acme.**, with : between");
            }
            patterns.add(pattern);
        }
    }

    /**
     * Checks patterns.
     *
     * @throws IllegalArgumentException if one has another form; the message names it
     */
    public static void check(String patterns) {
        if (new ClassPatterns(patterns).isEmpty()) {
            throw new IllegalArgumentException("must name classes: com.acme.Job, com.acme.* or com.acme.**");
        }
    }

    boolean isEmpty() {
        return patterns.isEmpty();
    }

    /** Whether the class of this name (with dots) is meant. */
    boolean matches(String className) {
        for (String pattern : patterns) {
            if (matches(pattern, className)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(String pattern, String className) {
        if (pattern.equals("**")) {
            return true;
        }
        if (pattern.endsWith(".**")) {
            return className.startsWith(pattern.substring(0, pattern.length() - 2));
        }
        if (pattern.endsWith(".*")) {
            String prefix = pattern.substring(0, pattern.length() - 1);
            return className.startsWith(prefix) && className.indexOf('.', prefix.length()) < 0;
        }
        return className.equals(pattern) || className.startsWith(pattern + "$");
    }
}
