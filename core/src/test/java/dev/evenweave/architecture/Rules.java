// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.AccessibleObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the packages of the core may do. The rules take the root package, so that the same rules judge the core and the
 * classes under {@code twins}, each of which breaks one of them.
 */
final class Rules {

    /** A package, and the packages that it may use beside itself. */
    private static final Map<String, Set<String>> ARROWS = Map.of(
            "sync", Set.of("wait"),
            "channel", Set.of("wait"),
            "scheduler", Set.of("carrier"),
            "pool", Set.of("carrier"),
            "wait", Set.of(),
            "carrier", Set.of());

    private final String root;

    Rules(String root) {
        this.root = root;
    }

    /** The packages of the core that the arrows know. */
    static Set<String> knownPackages() {
        return ARROWS.keySet();
    }

    ArchRule arrow(String from) {
        Set<String> to = ARROWS.get(from);
        List<String> forbidden = new ArrayList<>();
        for (String other : ARROWS.keySet()) {
            if (!other.equals(from) && !to.contains(other)) {
                forbidden.add(in(other));
            }
        }
        return noClasses()
                .that(resideInAnyPackage(in(from)))
                .should()
                .dependOnClassesThat(resideInAnyPackage(forbidden.toArray(String[]::new)))
                .as(from + " uses of the core no more than " + to)
                .allowEmptyShould(true);
    }

    /** The core needs the JDK and nothing else, and annotations that are gone at run time. */
    ArchRule noRuntimeDependency() {
        return noClasses()
                .that(inCore())
                .should()
                .dependOnClassesThat(resideOutsideOfPackages(
                        "java..",
                        "jdk.jfr..",
                        "jdk.internal..",
                        "org.jspecify.annotations..",
                        "com.google.errorprone.annotations..",
                        in("sync"),
                        in("channel"),
                        in("scheduler"),
                        in("pool"),
                        in("wait"),
                        in("carrier")))
                .as("the core has no run-time dependency")
                .allowEmptyShould(true);
    }

    ArchRule noThreadLocal() {
        return noClasses()
                .that(inCore())
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ThreadLocal.class)
                .as("the core uses no ThreadLocal")
                .allowEmptyShould(true);
    }

    ArchRule noUnsafe() {
        return noClasses()
                .that(inCore())
                .should()
                .dependOnClassesThat(are(resideInAnyPackage("sun.misc.."))
                        .or(describe(
                                "jdk.internal.misc.Unsafe", c -> c.getFullName().equals("jdk.internal.misc.Unsafe"))))
                .as("the core uses no Unsafe")
                .allowEmptyShould(true);
    }

    /** A thread that blocks in a monitor is invisible to the wait lists, and may hold its carrier. */
    ArchRule noMonitor() {
        return classes()
                .that(inCore())
                .should(haveNoMonitor())
                .as("the core has no synchronized method or block and no Object.wait")
                .allowEmptyShould(true);
    }

    /** Deep reflection and internal types stay in one class of the scheduler and in the carrier package. */
    ArchRule jdkInternalsInOnePlace() {
        DescribedPredicate<JavaClass> allowed = describe("VirtualThreads", c -> {
            String outermost = c.getName().replaceFirst("\\$.*", "");
            return outermost.equals(root + ".scheduler.VirtualThreads") || outermost.startsWith(root + ".carrier.");
        });
        return noClasses()
                .that(inCore().and(DescribedPredicate.not(allowed)))
                .should()
                .callMethodWhere(describe("it opens what is closed", call -> opens(call.getTarget())))
                .orShould()
                .dependOnClassesThat(resideInAnyPackage("jdk.internal.."))
                .as("only scheduler.VirtualThreads and carrier reach into java.lang")
                .allowEmptyShould(true);
    }

    List<ArchRule> all() {
        List<ArchRule> rules = new ArrayList<>();
        ARROWS.keySet().stream().sorted().map(this::arrow).forEach(rules::add);
        rules.addAll(
                List.of(noRuntimeDependency(), noThreadLocal(), noUnsafe(), noMonitor(), jdkInternalsInOnePlace()));
        return rules;
    }

    private String in(String name) {
        return root + "." + name + "..";
    }

    private DescribedPredicate<JavaClass> inCore() {
        return resideInAnyPackage(ARROWS.keySet().stream().map(this::in).toArray(String[]::new));
    }

    private static boolean opens(AccessTarget target) {
        return switch (target.getName()) {
            case "setAccessible", "trySetAccessible" -> target.getOwner().isAssignableTo(AccessibleObject.class);
            case "privateLookupIn" -> target.getOwner().isEquivalentTo(MethodHandles.class);
            default -> false;
        };
    }

    private static ArchCondition<JavaClass> haveNoMonitor() {
        return new ArchCondition<>("have no monitor") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                for (MethodModel method : read(type).methods()) {
                    String where = type.getName() + "." + method.methodName().stringValue();
                    if (method.flags().has(AccessFlag.SYNCHRONIZED)) {
                        events.add(SimpleConditionEvent.violated(type, where + " is synchronized"));
                    }
                    if (method.code().filter(Rules::entersMonitor).isPresent()) {
                        events.add(SimpleConditionEvent.violated(type, where + " has a synchronized block"));
                    }
                }
                type.getMethodCallsFromSelf().stream()
                        .filter(call -> call.getTargetOwner().isEquivalentTo(Object.class))
                        .filter(call -> Set.of("wait", "notify", "notifyAll").contains(call.getName()))
                        .forEach(call -> events.add(SimpleConditionEvent.violated(type, call.getDescription())));
            }
        };
    }

    private static boolean entersMonitor(CodeModel code) {
        return code.elementStream().anyMatch(MonitorInstruction.class::isInstance);
    }

    private static ClassModel read(JavaClass type) {
        try (InputStream in = type.getSource().orElseThrow().getUri().toURL().openStream()) {
            return ClassFile.of().parse(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the class file of " + type.getName(), e);
        }
    }
}
