package dev.headroom.validation.house;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may know whom, as ARCHITECTURE.md draws it. */
class ArchitectureTest {
    private static final String ROOT = "dev.headroom.";

    /** A package with more classes than this wants families. */
    private static final int MANY = 30;

    /** Where classes of tests lie: folders of this module, jars of others. */
    private static final Pattern TESTS = Pattern.compile(".*(/test-classes/|-test/|-tests\\.jar).*");

    /** What annotation processors write: withers of records, harnesses of benchmarks. */
    private static final Pattern GENERATED = Pattern.compile(".*(Withers(\\$\\w+)?\\.class|/jmh_generated/.*)");

    private static final JavaClasses HOUSE = new ClassFileImporter()
            .withImportOption(location -> !location.matches(TESTS) && !location.matches(GENERATED))
            .importPackages("dev.headroom");

    private static String[] inside(String modules) {
        return Arrays.stream(modules.split(" ")).map(m -> ROOT + m + "..").toArray(String[]::new);
    }

    @ParameterizedTest(name = "{0} uses nothing of Headroom but {1}")
    @CsvSource({
        "allocator, allocator",
        "model, model allocator",
        "estimator, estimator model allocator",
        "executor, executor model allocator",
        "advisor, advisor estimator model allocator",
        "app, app advisor estimator executor model allocator",
        "fixtures, fixtures"
    })
    void nothingPointsUp(String module, String allowed) {
        noClasses()
                .that()
                .resideInAPackage(ROOT + module + "..")
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "lie in another module",
                        c -> c.getPackageName().startsWith(ROOT)
                                && Arrays.stream(allowed.split(" "))
                                        .noneMatch(m -> (c.getPackageName() + ".").startsWith(ROOT + m + "."))))
                .check(HOUSE);
    }

    @Test
    void packagesHoldNoCycles() {
        slices().matching("dev.headroom.(**)").should().beFreeOfCycles().check(HOUSE);
    }

    @Test
    void predictionAndMeasurementMeetInOnePlace() {
        noClasses()
                .that()
                .resideInAnyPackage(inside("app.command app.report app.page app.plot"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(inside("executor.measure executor.train"))
                .check(HOUSE);
    }

    @Test
    void nothingKeepsMutableStateInPublic() {
        classes()
                .that()
                .resideInAPackage("dev.headroom..")
                .should(new NoPublicMutableFields())
                .check(HOUSE);
    }

    @Test
    void packagesWithManyClassesHaveFamilies() {
        Collection<String> crowded = new TreeSet<>();
        HOUSE.stream()
                .filter(c -> c.isTopLevelClass() && !c.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(c -> c.getPackageName(), Collectors.counting()))
                .forEach((name, count) -> {
                    if (count > MANY) {
                        crowded.add(name + " " + count);
                    }
                });
        assertEquals(List.of(), List.copyOf(crowded));
    }
}
