package dev.headroom.allocator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** What may depend on what in this module. */
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.headroom.allocator");

    @Test
    void packagesFormNoCycles() {
        slices().matching("dev.headroom.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    /** The allocator itself is below what records and replays it. */
    @Test
    void theAllocatorKnowsNothingOfItsUsers() {
        noClasses()
                .that()
                .resideInAPackage("dev.headroom.allocator")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.headroom.allocator.replay..",
                        "dev.headroom.allocator.snapshot..",
                        "dev.headroom.allocator.trace..")
                .check(CLASSES);
    }

    @Test
    void noOtherModuleOfHeadroomIsUsed() {
        noClasses()
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are of another module of Headroom",
                        (JavaClass c) -> c.getPackageName().startsWith("dev.headroom")
                                && !c.getPackageName().startsWith("dev.headroom.allocator")))
                .check(CLASSES);
    }
}
