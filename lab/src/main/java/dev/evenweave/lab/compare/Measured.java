// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.compare;

import dev.evenweave.lab.UserError;
import dev.evenweave.lab.engine.Better;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The values of one file, by scenario and metric, in the order in which they came. */
public final class Measured {

    /** One metric of one scenario. */
    public record Entry(String scenario, String metric, String unit, Better better, List<Double> values) {}

    private final String source;
    private final Map<List<String>, Entry> entries = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();

    /** Starts empty; the source is what messages name. */
    public Measured(String source) {
        this.source = source;
    }

    /**
     * Adds a value.
     *
     * @throws UserError if it is no number, or has another unit than the ones before
     */
    public void add(String scenario, String metric, String unit, Better better, double value) {
        if (!Double.isFinite(value)) {
            throw new UserError(source + ": " + scenario + " has " + value + " for " + metric
                    + ", which is no number to compare: measure it again, or take it out");
        }
        Entry entry = entries.computeIfAbsent(
                List.of(scenario, metric), key -> new Entry(scenario, metric, unit, better, new ArrayList<>()));
        if (!entry.unit().equals(unit)) {
            throw new UserError(source + ": " + scenario + " has " + metric + " in " + entry.unit() + " and in " + unit
                    + ": measure it in one unit");
        }
        entry.values().add(value);
    }

    void note(String note) {
        if (!notes.contains(note)) {
            notes.add(note);
        }
    }

    public List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    List<String> notes() {
        return List.copyOf(notes);
    }
}
