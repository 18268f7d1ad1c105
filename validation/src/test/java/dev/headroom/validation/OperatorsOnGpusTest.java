package dev.headroom.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.fixtures.OperatorCase;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Operators whose kernels follow from the GPU, on other GPUs than most recordings are of. */
class OperatorsOnGpusTest {
    @TestFactory
    Stream<DynamicTest> everyEventOfEveryCase() {
        return OperatorCase.onGpus().entrySet().stream().flatMap(gpu -> gpu.getValue().stream()
                .map(c -> DynamicTest.dynamicTest(
                        gpu.getKey() + " " + c.label() + ": " + c.code(),
                        () -> assertEquals("", PlayedCase.play(c).divergence(c)))));
    }
}
