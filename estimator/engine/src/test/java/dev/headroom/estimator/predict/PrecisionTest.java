package dev.headroom.estimator.predict;

import static dev.headroom.model.dsl.Layers.linear;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.error.UserInputException;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.Moment;
import dev.headroom.model.run.Phase;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Precision regimes on networks whose memory can be added up by hand: 512 rows of 512 features, a MiB in float32. */
class PrecisionTest {
    private static final long N = 512;
    private static final long WIDE = 4 * N * N;
    private static final long HALF = 2 * N * N;
    private static final long BLOCK = 512;

    /** cuBLAS's workspace on compute capability 9. */
    private static final long WORKSPACE = 32L << 20;

    private static Graph graph(Layer... layers) {
        return Model.of("net", Sequential.of(layers))
                .input("x", DType.FLOAT32, Model.BATCH, N)
                .graph();
    }

    private static Scenario run() {
        Scenario run = Scenario.defaults()
                .with(BATCH, N)
                .with(OPTIMIZER, OptimizerKind.SGD)
                .with(LOSS, LossKind.SUM)
                .with(STEPS, 2)
                .with(CUDNN_WORKSPACE, CudnnWorkspace.NONE);
        return run;
    }

    private static List<PhaseMemory> phases(Graph graph, Scenario run) {
        return Predictor.predict(new PredictionRequest(graph, run)).phases();
    }

    private static long allocated(List<PhaseMemory> phases, Phase phase, int step) {
        return phases.stream()
                .filter(p -> p.moment().equals(Moment.of(phase, step)))
                .findFirst()
                .orElseThrow()
                .allocated();
    }

    @Test
    void autocastKeepsCastsOfWeightsAndInputs() {
        Scenario run = run().with(AMP, DType.BFLOAT16);
        Graph net = graph(linear(N, N, false));
        List<PhaseMemory> phases = phases(net, run);
        long before = allocated(phases, Phase.ZERO_GRAD, 0);
        assertEquals(2 * WIDE, before, "the weight and the input");
        // Inside autocast: the kept cast of the weight, the cast of the input (saved for the weight's gradient), the
        // result.
        assertEquals(before + 3 * HALF + WORKSPACE, allocated(phases, Phase.FORWARD, 0));
        // Outside: nothing needs the weight's cast, because the input wants no gradient; the loss is a scalar.
        assertEquals(before + 2 * HALF + WORKSPACE + BLOCK, allocated(phases, Phase.LOSS, 0));
    }

    @Test
    void aWeightIsCastOnce() {
        Scenario run = run().with(AMP, DType.BFLOAT16);
        Layer shared = linear(N, N, false);
        List<PhaseMemory> once = phases(graph(shared), run);
        List<PhaseMemory> twice = phases(graph(shared, shared), run);
        long forwardOnce = allocated(once, Phase.FORWARD, 0) - allocated(once, Phase.ZERO_GRAD, 0);
        long forwardTwice = allocated(twice, Phase.FORWARD, 0) - allocated(twice, Phase.ZERO_GRAD, 0);
        // The second use takes the cast of the first, and its input is already in the lower type: only its result is
        // new.
        assertEquals(HALF, forwardTwice - forwardOnce);
    }

    @Test
    void theScalerKeepsTwoScalars() {
        Scenario half = run().with(AMP, DType.FLOAT16);
        Scenario brain = run().with(AMP, DType.BFLOAT16);
        Graph net = graph(linear(N, N, false));
        List<PhaseMemory> scaled = phases(net, half);
        List<PhaseMemory> plain = phases(net, brain);
        assertEquals(
                0,
                allocated(scaled, Phase.LOSS, 0) - allocated(plain, Phase.LOSS, 0),
                "made with the first scaled loss");
        assertEquals(2 * BLOCK, allocated(scaled, Phase.BACKWARD, 0) - allocated(plain, Phase.BACKWARD, 0));
        assertEquals(2 * BLOCK, allocated(scaled, Phase.OPTIMIZER, 0) - allocated(plain, Phase.OPTIMIZER, 0));
    }

    @Test
    void theScalerRefusesHalfGradients() {
        Scenario run = run().with(AMP, DType.FLOAT16).with(DTYPE, DType.FLOAT16);
        Graph net = graph(linear(N, N, false));
        UserInputException e = assertThrows(UserInputException.class, () -> phases(net, run));
        assertTrue(e.getMessage().contains("float16 gradients"), e.getMessage());
    }

    @Test
    void aConvertedModelIsHalfAsLarge() {
        Scenario run = run().with(DTYPE, DType.BFLOAT16);
        List<PhaseMemory> phases = phases(graph(linear(N, N, false)), run);
        long before = allocated(phases, Phase.ZERO_GRAD, 0);
        assertEquals(2 * HALF, before);
        assertEquals(before + HALF + WORKSPACE, allocated(phases, Phase.FORWARD, 0));
    }
}
