// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab.engine;

import java.util.List;

/**
 * A question with numbers for an answer: arms that differ in one thing, measured in the same scenarios.
 *
 * <p>The laboratory decides how often and in which order the arms run; an experiment knows how to make one run.
 */
public interface Experiment {

    /** The name in files and on the command line. */
    String name();

    /** What is asked, in one sentence. */
    String question();

    /** The names of the arms; the first is the base that the others are compared with. */
    List<String> arms();

    /** The names of the scenarios, at least one. */
    List<String> scenarios();

    /** The JVM flags of the runs, for the record; empty if the runs are no JVMs. */
    default List<String> flags() {
        return List.of();
    }

    /** How long one run takes, as far as it is known beforehand; 0 if it is not. */
    default double secondsPerRun() {
        return 0;
    }

    /**
     * Makes one run, in a process of its own unless the experiment says otherwise, and returns what it measured. The
     * warm-up inside of a run is the experiment's.
     *
     * @throws RunFailedException if the run failed or measured nothing; the message says what to do about it
     * @throws InterruptedException if the user stopped the experiment; nothing of the run is left behind
     */
    List<Sample> run(String scenario, String arm) throws RunFailedException, InterruptedException;
}
