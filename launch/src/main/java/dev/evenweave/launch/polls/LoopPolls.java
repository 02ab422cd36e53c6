// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.launch.polls;

import dev.evenweave.scheduler.Scheduler;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/*
 * Purpose. Watches classes being loaded and gives those that the user named their checkpoints.
 *
 * What is never touched. The JDK's own classes, Evenweave's (the pool works in regions that a thread must not leave), and
 * classes of a loader that does not see this Scheduler: the inserted call could not be linked there.
 *
 * A class that cannot be changed is loaded as it is: said once, and counted.
 */
/** Checkpoints in the loops of a program's classes. */
public final class LoopPolls implements ClassFileTransformer {
    private final ClassPatterns include;
    private final ClassPatterns exclude;
    private final Instrumentation instrumentation;
    private final Consumer<String> log;

    /** Whether a loader sees this Scheduler. */
    private final Map<ClassLoader, Boolean> sees = Collections.synchronizedMap(new WeakHashMap<>());

    private final AtomicInteger classes = new AtomicInteger();
    private final AtomicInteger methods = new AtomicInteger();
    private final AtomicInteger loops = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    private LoopPolls(
            ClassPatterns include, ClassPatterns exclude, Instrumentation instrumentation, Consumer<String> log) {
        this.include = include;
        this.exclude = exclude;
        this.instrumentation = instrumentation;
        this.log = log;
    }

    /**
     * Watches from now on, and says at the end of the JVM how much was touched.
     *
     * @param instrumentation the JVM's services for agents
     * @param include which classes, see {@link ClassPatterns}
     * @param exclude which of them not
     * @param log where one line goes at a time
     */
    public static void install(Instrumentation instrumentation, String include, String exclude, Consumer<String> log) {
        LoopPolls polls = new LoopPolls(new ClassPatterns(include), new ClassPatterns(exclude), instrumentation, log);
        instrumentation.addTransformer(polls);
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform().name("evenweave-polls-report").unstarted(() -> log.accept(polls.report())));
    }

    @Override
    public byte @Nullable [] transform(
            @Nullable Module module,
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> redefined,
            @Nullable ProtectionDomain domain,
            byte @Nullable [] classFile) {
        if (module == null || loader == null || name == null || classFile == null || !isMeant(name.replace('/', '.'))) {
            return null;
        }
        try {
            if (loader == ClassLoader.getPlatformClassLoader() || !sees(loader)) {
                return null;
            }
            Optional<LoopPoller.Polled> polled = LoopPoller.poll(classFile);
            if (polled.isEmpty()) {
                return null;
            }
            if (module.isNamed() && !module.canRead(Scheduler.class.getModule())) {
                instrumentation.redefineModule(
                        module, Set.of(Scheduler.class.getModule()), Map.of(), Map.of(), Set.of(), Map.of());
            }
            classes.incrementAndGet();
            methods.addAndGet(polled.get().methods());
            loops.addAndGet(polled.get().loops());
            return polled.get().bytes();
        } catch (Throwable e) {
            if (failed.getAndIncrement() == 0) {
                log.accept("polls: " + name.replace('/', '.') + " is left as it is: " + e);
            }
            return null;
        }
    }

    private boolean isMeant(String className) {
        return !className.startsWith("dev.evenweave.scheduler.")
                && !className.startsWith("dev.evenweave.carrier.")
                && !className.startsWith("dev.evenweave.wait.")
                && !className.startsWith("dev.evenweave.sync.")
                && !className.startsWith("dev.evenweave.channel.")
                && !className.startsWith("dev.evenweave.pool.")
                && !className.startsWith("dev.evenweave.launch.polls.")
                && include.matches(className)
                && !exclude.matches(className);
    }

    private boolean sees(ClassLoader loader) {
        return sees.computeIfAbsent(loader, each -> {
            try {
                return Class.forName(Scheduler.class.getName(), false, each) == Scheduler.class;
            } catch (ClassNotFoundException | LinkageError e) {
                return false;
            }
        });
    }

    private String report() {
        return "polls: checkpoints before " + loops + " jumps back in " + methods + " methods of " + classes
                + " classes" + (failed.get() == 0 ? "" : "; " + failed + " classes could not be changed");
    }
}
