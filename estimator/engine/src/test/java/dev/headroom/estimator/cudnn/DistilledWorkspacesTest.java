package dev.headroom.estimator.cudnn;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.cudnn.ConvolutionProblem;
import dev.headroom.model.cudnn.ConvolutionProblem.Direction;
import dev.headroom.model.cudnn.CudnnDevice;
import dev.headroom.model.cudnn.WorkspaceAnswer;
import dev.headroom.model.cudnn.WorkspaceLevel;
import dev.headroom.model.graph.DType;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DistilledWorkspacesTest {
    private static final CudnnDevice AMPERE = new CudnnDevice(8, 6, 28);
    private static final CudnnDevice HOPPER = new CudnnDevice(9, 0, 132);

    private final DistilledWorkspaces rules = new DistilledWorkspaces();
    private final BoundedWorkspaces bounds = new BoundedWorkspaces();

    /** The second convolution of VGG16. */
    private static ConvolutionProblem problem(Direction direction, DType type, long alignment) {
        return new ConvolutionProblem(
                direction,
                type,
                false,
                List.of(32L, 64L, 224L, 224L),
                List.of(64L, 64L, 3L, 3L),
                List.of(32L, 64L, 224L, 224L),
                List.of(1L, 1L),
                List.of(1L, 1L),
                List.of(1L, 1L),
                List.of(alignment, alignment, alignment));
    }

    /** cuDNN 9.24 copies both tensors and the weight to NHWC for the gradient of the input, after 16 bytes of its own. */
    @Test
    void copiesAreCounted() {
        ConvolutionProblem problem = problem(Direction.DATA, DType.FLOAT32, 32);
        long copies = 2 * 32L * 64 * 224 * 224 * 4 + 64L * 64 * 9 * 4 + 16;
        WorkspaceAnswer answer = rules.answer(problem, HOPPER).orElseThrow();
        assertEquals(copies, answer.first());
        assertEquals(WorkspaceLevel.DISTILLED, answer.level());
        assertEquals(List.of(copies, 0L), answer.all().get());
    }

    @ParameterizedTest
    @EnumSource(Direction.class)
    void answersAreRepeatable(Direction direction) {
        ConvolutionProblem problem = problem(direction, DType.FLOAT32, 32);
        assertEquals(
                rules.answer(problem, AMPERE).orElseThrow().first(),
                new DistilledWorkspaces().answer(problem, AMPERE).orElseThrow().first());
        ConvolutionShape shape = ConvolutionShape.of(problem).orElseThrow();
        assertArrayEquals(ConvolutionFeatures.of(shape), ConvolutionFeatures.of(shape));
        assertEquals(ConvolutionFeatures.COUNT, ConvolutionFeatures.of(shape).length);
        assertEquals(WorkspaceTerms.BASES, WorkspaceTerms.bases(shape).length);
        assertEquals(WorkspaceTerms.UNITS, WorkspaceTerms.units(shape).length);
    }

    /** Every class that a tree may name has a formula, and no formula is negative or absurd. */
    @ParameterizedTest
    @ValueSource(ints = {75, 80, 86, 89, 90})
    void everyFormulaIsFinite(int capability) {
        ConvolutionProblem problem = problem(Direction.FORWARD, DType.FLOAT32, 32);
        ConvolutionShape shape = ConvolutionShape.of(problem).orElseThrow();
        WorkspaceRules loaded = RuleBook.rules(capability, problem).orElseThrow();
        for (Direction direction : Direction.values()) {
            long[] formulas = loaded.formulas(direction, shape);
            assertTrue(formulas.length > 1);
            for (long bytes : formulas) {
                assertTrue(bytes >= 0 && bytes < 1L << 50, () -> direction + " " + bytes);
            }
        }
    }

    @Test
    void misalignedTensorsHaveBounds() {
        ConvolutionProblem problem = problem(Direction.FORWARD, DType.FLOAT32, 8);
        assertEquals(Optional.empty(), rules.answer(problem, AMPERE));
        WorkspaceAnswer answer = bounds.answer(problem, AMPERE).orElseThrow();
        assertEquals(WorkspaceLevel.BOUNDED, answer.level());
        assertTrue(
                answer.least() <= answer.first() && answer.first() <= answer.most() && answer.least() < answer.most());
    }

    @Test
    void aNewerGenerationHasBoundsFromTheNearestOlder() {
        CudnnDevice thor = new CudnnDevice(11, 0, 20);
        ConvolutionProblem problem = problem(Direction.DATA, DType.FLOAT32, 32);
        assertEquals(Optional.empty(), rules.answer(problem, thor));
        WorkspaceAnswer answer = bounds.answer(problem, thor).orElseThrow();
        assertTrue(answer.least() <= answer.first() && answer.first() <= answer.most());
    }

    @Test
    void whatCudnnRefusesIsUnknown() {
        ConvolutionProblem bfloat = problem(Direction.FORWARD, DType.BFLOAT16, 32);
        assertEquals(Optional.empty(), rules.answer(bfloat, new CudnnDevice(7, 5, 40)));
        assertEquals(Optional.empty(), bounds.answer(bfloat, new CudnnDevice(7, 5, 40)));
        ConvolutionProblem wide = problem(Direction.FORWARD, DType.FLOAT64, 32);
        assertEquals(Optional.empty(), rules.answer(wide, AMPERE));
        assertEquals(Optional.empty(), bounds.answer(wide, AMPERE));
    }

    @Test
    void volumesHaveBounds() {
        ConvolutionProblem volume = new ConvolutionProblem(
                Direction.FORWARD,
                DType.FLOAT32,
                false,
                List.of(2L, 16L, 8L, 32L, 32L),
                List.of(32L, 16L, 3L, 3L, 3L),
                List.of(2L, 32L, 8L, 32L, 32L),
                List.of(1L, 1L, 1L),
                List.of(1L, 1L, 1L),
                List.of(1L, 1L, 1L),
                List.of(32L, 32L, 32L));
        assertEquals(Optional.empty(), rules.answer(volume, AMPERE));
        WorkspaceAnswer answer = bounds.answer(volume, AMPERE).orElseThrow();
        assertEquals(WorkspaceLevel.BOUNDED, answer.level());
        assertTrue(answer.first() > 0 && answer.first() < answer.most());
    }
}
