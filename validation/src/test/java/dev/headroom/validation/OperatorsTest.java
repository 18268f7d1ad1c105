package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.op.StandardRules;
import dev.headroom.fixtures.OperatorCase;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Single operators, forward and backward: every allocation and every free as the real PyTorch made them, in its order.
 */
class OperatorsTest {
    private static final List<OperatorCase> CASES = OperatorCase.all();
    private static final Set<String> OPEN = OperatorCase.open();

    @TestFactory
    Stream<DynamicTest> everyEventOfEveryCase() {
        return CASES.stream().map(c -> DynamicTest.dynamicTest(c.label() + ": " + c.code(), () -> check(c)));
    }

    private static void check(OperatorCase c) {
        String difference;
        try {
            PlayedCase played = PlayedCase.play(c);
            List<String> without = played.unmodelled().stream()
                    .filter(o -> StandardRules.registry().bound(o) == null)
                    .toList();
            difference = without.isEmpty() ? played.divergence(c) : "no rule for " + String.join(", ", without);
        } catch (RuntimeException e) {
            difference = e.toString();
        }
        if (OPEN.contains(c.label())) {
            assertNotEquals("", difference, "exact by now: take it off open.txt");
        } else {
            assertEquals("", difference);
        }
    }

    @Test
    void openCasesExist() {
        Set<String> labels = CASES.stream().map(OperatorCase::label).collect(java.util.stream.Collectors.toSet());
        assertTrue(
                labels.containsAll(OPEN),
                () -> "open.txt names unknown cases: "
                        + OPEN.stream().filter(o -> !labels.contains(o)).toList());
    }
}
