// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch.polls;

import java.lang.instrument.Instrumentation;

public final class LoopPolls {
    private LoopPolls() {}

    public static void install(Instrumentation instrumentation, String patterns, String exclude) {}

    public static void check(String patterns, String exclude) {}
}
