// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.lab;

import dev.evenweave.lab.command.ExperimentCommand;
import dev.evenweave.lab.handover.HandOverCommand;
import dev.evenweave.lab.hogs.HogsCommand;
import dev.evenweave.lab.starvation.StarvationCommand;
import dev.evenweave.lab.threads.IdleCommand;
import dev.evenweave.lab.threads.ParkedCommand;
import dev.evenweave.lab.threads.SwitchCommand;
import dev.evenweave.lab.waitlist.WaitListCommand;
import java.util.List;

/** The one place that lists the experiments. */
final class Experiments {

    /** In the order in which {@code lab list} shows them. */
    static final List<Class<? extends ExperimentCommand>> ALL = List.of(
            StarvationCommand.class,
            HogsCommand.class,
            HandOverCommand.class,
            SwitchCommand.class,
            IdleCommand.class,
            ParkedCommand.class,
            WaitListCommand.class);

    private Experiments() {}
}
