package dev.headroom.estimator.checkpoint;

import static dev.headroom.model.checkpoint.Chains.MIB;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.REENTRANT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.checkpoint.Chains;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.Phase;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** What checkpointing saves, on chains whose tensors are one MiB each. */
class CheckpointMemoryTest {
    /** exp keeps its result and has no parameters: what lives are x, results and one gradient. */
    private static PlayedChain exps(int blocks, int segments, Boolean reentrant) {
        Scenario run = Chains.run(segments, reentrant).with(OPTIMIZER, OptimizerKind.NONE);
        return PlayedChain.play(Chains.sequential(blocks, "exp"), run);
    }

    /** Worked by hand: x and the gradient of the step before, then one MiB for each result that something holds. */
    @Example
    void theForwardPassKeepsInputsOfSegmentsAndTheLastSegment() {
        assertEquals((2 + 8) * MIB, exps(8, 0, null).allocated().get(Phase.FORWARD));
        // Result 2 is the input of a segment, result 4 of the last one, which has no use for it and keeps 5 to 8.
        assertEquals((2 + 1 + 4) * MIB, exps(8, 3, true).allocated().get(Phase.FORWARD));
        assertEquals((2 + 1 + 4) * MIB, exps(8, 3, false).allocated().get(Phase.FORWARD));
    }

    /**
     * Worked by hand for two segments of three, when the first runs its second operator backwards. Re-entrant: x, its
     * gradient of the step before, the model's output, the gradient of result 3 (an argument of the inner pass), the
     * recomputed results 1 to 3 (the last is a variable) and the gradients of 2 and 1. Not re-entrant, one operator
     * earlier: the same without the gradient of 1; by the time that there is one, result 3 and its gradient are gone.
     */
    @Example
    void theBackwardPassRecomputesOneSegment() {
        long scalars = 2 * 512; // the loss and its gradient
        assertEquals(9 * MIB + scalars, exps(6, 2, true).peaks().get(Phase.BACKWARD));
        assertEquals(8 * MIB + scalars, exps(6, 2, false).peaks().get(Phase.BACKWARD));
    }

    @Property(tries = 40)
    void nSegmentsOfAnEqualChainCostNPlusALastSegment(
            @ForAll @IntRange(min = 4, max = 60) int blocks,
            @ForAll @IntRange(min = 2, max = 60) int segments,
            @ForAll boolean reentrant) {
        int n = Math.min(segments, blocks);
        int size = blocks / n;
        int last = blocks - size * (n - 1);
        // x and its gradient, the inputs of the segments, a segment's own results, gradients on their way.
        long bound = (2 + n + Math.max(last, 2 * size) + 4) * MIB;
        assertTrue(exps(blocks, n, reentrant).peaks().get(Phase.BACKWARD) <= bound);
    }

    @Property(tries = 30)
    void recomputationChangesNeitherParametersNorGradientsNorOptimizer(
            @ForAll @IntRange(min = 2, max = 20) int blocks,
            @ForAll @IntRange(min = 1, max = 20) int segments,
            @ForAll boolean reentrant) {
        Graph graph = Chains.sequential(blocks, "mul");
        PlayedChain plain = PlayedChain.play(graph, Chains.run(0, null));
        PlayedChain less = PlayedChain.play(graph, Chains.run(Math.min(segments, blocks), reentrant));
        for (Phase phase : new Phase[] {Phase.MODEL, Phase.INPUTS, Phase.ZERO_GRAD, Phase.BACKWARD, Phase.OPTIMIZER}) {
            assertEquals(plain.allocated().get(phase), less.allocated().get(phase), phase.label());
        }
        assertTrue(less.allocated().get(Phase.FORWARD) <= plain.allocated().get(Phase.FORWARD));
    }

    @Property(tries = 10)
    void oneSegmentIsNoCheckpoint(@ForAll @IntRange(min = 2, max = 20) int blocks, @ForAll boolean reentrant) {
        Graph graph = Chains.sequential(blocks, "mul");
        PlayedChain plain = PlayedChain.play(graph, Chains.run(0, null));
        PlayedChain one = PlayedChain.play(graph, Chains.run(1, reentrant));
        assertEquals(plain.allocated(), one.allocated());
        assertEquals(plain.peaks(), one.peaks());
    }

    /** Of four weights, the two in the re-entrant segment get no gradient and no optimizer state. */
    @Example
    void reentrantSegmentsWithoutAnInputThatRequiresAGradientAreNotTrained() {
        Graph graph = Chains.sequential(4, "mul");
        Scenario run = Chains.run(2, true).with(INPUT_GRAD, false);
        PlayedChain trapped = PlayedChain.play(graph, run);
        run = run.with(REENTRANT, false);
        PlayedChain whole = PlayedChain.play(graph, run);
        assertEquals(
                2 * 3 * MIB,
                whole.allocated().get(Phase.OPTIMIZER) - trapped.allocated().get(Phase.OPTIMIZER));
        assertEquals(1, trapped.warnings().size());
        assertTrue(
                trapped.warnings().get(0).contains("1 checkpoint"),
                trapped.warnings().get(0));
        assertTrue(whole.warnings().isEmpty());
    }
}
