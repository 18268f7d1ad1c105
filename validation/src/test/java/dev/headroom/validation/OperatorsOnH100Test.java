package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.estimator.op.StandardRules;
import dev.headroom.fixtures.OperatorCase;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Single operators as PyTorch 2.11 ran them on an H100, with the workspaces of the real libraries. Left out are the
 * families where most of a case is what cuDNN's plans work in, which its own answers verify ({@code validation.cudnn}).
 */
class OperatorsOnH100Test {
    private static final Set<String> OF_CUDNN = Set.of("convolutions", "recurrent");
    private static final List<OperatorCase> CASES = OperatorCase.onH100().stream()
            .filter(c -> !OF_CUDNN.contains(c.family()))
            .toList();
    private static final Set<String> OPEN = OperatorCase.open("h100/open.txt");

    @TestFactory
    Stream<DynamicTest> everyEventOfEveryCase() {
        return CASES.stream().map(c -> DynamicTest.dynamicTest(c.label() + ": " + c.code(), () -> check(c)));
    }

    private static void check(OperatorCase c) {
        PlayedCase played = PlayedCase.play(c);
        List<String> without = played.unmodelled().stream()
                .filter(o -> StandardRules.registry().bound(o) == null)
                .toList();
        String difference = without.isEmpty() ? played.divergence(c) : "no rule for " + String.join(", ", without);
        if (OPEN.contains(c.label())) {
            assertNotEquals("", difference, "exact by now: take it off h100/open.txt");
        } else {
            assertEquals("", difference);
        }
    }

    @Test
    void openCasesExist() {
        Set<String> labels = CASES.stream().map(OperatorCase::label).collect(Collectors.toSet());
        assertTrue(
                labels.containsAll(OPEN),
                () -> "open.txt names unknown cases: "
                        + OPEN.stream().filter(o -> !labels.contains(o)).toList());
    }
}
