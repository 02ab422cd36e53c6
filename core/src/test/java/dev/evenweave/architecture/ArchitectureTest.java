// SPDX-License-Identifier: Apache-2.0
package dev.evenweave.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Keeps the directions between the packages of the core, and shows that each rule can fail. */
class ArchitectureTest {

    private static final String ROOT = "dev.evenweave";
    private static final String TWINS = ROOT + ".architecture.twins";

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    private static final JavaClasses BROKEN = new ClassFileImporter().importPackages(TWINS);

    @TestFactory
    Stream<DynamicTest> theCoreKeeps() {
        return new Rules(ROOT)
                .all().stream().map(rule -> DynamicTest.dynamicTest(rule.getDescription(), () -> rule.check(CORE)));
    }

    @TestFactory
    Stream<DynamicTest> aTwinBreaks() {
        Rules rules = new Rules(TWINS);
        return Stream.of(
                twin(rules.arrow("sync"), "sync.UsesChannel"),
                twin(rules.arrow("channel"), "channel.UsesScheduler"),
                twin(rules.arrow("wait"), "wait.UsesSync"),
                twin(rules.arrow("scheduler"), "scheduler.UsesWait"),
                twin(rules.arrow("carrier"), "carrier.UsesScheduler"),
                twin(rules.arrow("pool"), "pool.UsesSync"),
                twin(rules.noRuntimeDependency(), "sync.UsesAssertj"),
                twin(rules.noThreadLocal(), "sync.HasThreadLocal"),
                twin(rules.noUnsafe(), "sync.HasUnsafe"),
                twin(rules.noMonitor(), "sync.HasSynchronizedMethod"),
                twin(rules.noMonitor(), "sync.HasSynchronizedBlock"),
                twin(rules.noMonitor(), "sync.HasObjectWait"),
                twin(rules.jdkInternalsInOnePlace(), "scheduler.SetsAccessible"),
                twin(rules.jdkInternalsInOnePlace(), "sync.LooksUpPrivately"));
    }

    @Test
    void whatMayReachIntoTheJdkIsLetThrough() {
        JavaClasses allowed = new ClassFileImporter().importPackages(TWINS + ".scheduler", TWINS + ".carrier");
        assertThat(new Rules(TWINS)
                        .jdkInternalsInOnePlace()
                        .evaluate(allowed)
                        .getFailureReport()
                        .getDetails())
                .allSatisfy(detail -> assertThat(detail).contains("SetsAccessible"))
                .isNotEmpty();
    }

    @Test
    void everyPackageOfTheCoreHasItsArrows() {
        List<String> unknown = CORE.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith(ROOT + "."))
                .map(name -> name.substring(ROOT.length() + 1).replaceFirst("\\..*", ""))
                .distinct()
                .filter(name -> !Rules.knownPackages().contains(name))
                .toList();
        assertThat(unknown).isEmpty();
    }

    @Test
    void theSharedPackagesAreNotExported() {
        ModuleDescriptor module = ModuleFinder.of(Path.of("target", "classes"))
                .find(ROOT)
                .orElseThrow()
                .descriptor();
        assertThat(module.exports())
                .filteredOn(export -> !export.isQualified())
                .extracting(ModuleDescriptor.Exports::source)
                .isSubsetOf(ROOT + ".scheduler", ROOT + ".sync", ROOT + ".channel", ROOT + ".pool");
    }

    /** A class that must break the rule, and is what the report of the rule names. */
    private static DynamicTest twin(ArchRule rule, String name) {
        return DynamicTest.dynamicTest(name + " against: " + rule.getDescription(), () -> {
            assertThat(rule.evaluate(BROKEN).getFailureReport().getDetails())
                    .anySatisfy(detail -> assertThat(detail).contains(name));
        });
    }
}
