package dev.headroom.executor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.headroom.executor.op.StandardOperators;
import dev.headroom.fixtures.OperatorCase;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Single operators, forward and backward: every allocation and every free as the real PyTorch made them, in its
 * order. A case with an operator that the executor lacks is left out; one that is not exact yet is named in {@code
 * open-operators.txt}.
 */
class RecordedOperatorsTest {
    private static final Set<String> OPEN = open();

    private static Set<String> open() {
        try (InputStream in = RecordedOperatorsTest.class.getResourceAsStream("/open-operators.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.split(":")[0])
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @TestFactory
    Stream<DynamicTest> everyEventOfEveryCase() {
        List<OperatorCase> cases = OperatorCase.all();
        Set<String> labels = cases.stream().map(OperatorCase::label).collect(Collectors.toSet());
        assertEquals(
                List.of(),
                OPEN.stream().filter(o -> !labels.contains(o)).toList(),
                "open-operators.txt names unknown cases");
        return cases.stream()
                .filter(RecordedOperatorsTest::isKnown)
                .map(c -> DynamicTest.dynamicTest(c.label() + ": " + c.code(), () -> check(c)));
    }

    private static boolean isKnown(OperatorCase c) {
        return c.operators().stream()
                .map(name -> name.substring(0, name.lastIndexOf('.')))
                .allMatch(name -> StandardOperators.all().find(name) != null);
    }

    private static void check(OperatorCase c) {
        String difference;
        try {
            difference = ReplayedCase.play(c).divergence(c);
        } catch (RuntimeException e) {
            difference = e.toString();
        }
        if (OPEN.contains(c.label())) {
            assertNotEquals("", difference, "exact by now: take it off open-operators.txt");
        } else {
            assertEquals("", difference.isEmpty() ? "" : c.label() + ": " + difference);
        }
    }
}
