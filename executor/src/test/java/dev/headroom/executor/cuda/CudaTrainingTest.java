package dev.headroom.executor.cuda;

import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHANNELS_LAST;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.executor.kernel.Backend;
import dev.headroom.executor.program.Preparation;
import dev.headroom.executor.runtime.Eager;
import dev.headroom.executor.train.Training;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Residual;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.run.PhaseMemory;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.ScenarioSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small models learn on both backends alike: the same losses, step by step, and the same memory. */
class CudaTrainingTest extends OnBothBackends {
    private static final int STEPS = 4;

    /** Losses and memory of a run. */
    private record Run(List<Double> losses, List<PhaseMemory> phases) {
        static Run on(Backend backend, Graph graph, Scenario run) {
            List<Double> losses = new ArrayList<>();
            List<PhaseMemory> phases = new ArrayList<>();
            try (Eager e = BothBackends.eager(backend);
                    Training training = new Training(e, Preparation.of(graph, run), phases::add)) {
                training.onLoss(losses::add);
                training.prepare((name, t) -> {
                    boolean numbers = t.dtype().isFloatingPoint();
                    backend.random().uniform(t, numbers ? -1 : 0, numbers ? 1 : 5, name.hashCode());
                });
                training.run();
            }
            return new Run(losses, phases);
        }
    }

    private static void train(Graph graph, double tolerance, UnaryOperator<Scenario> options) {
        train(graph, tolerance, options, true);
    }

    /** @param sameMemory whether both backends' kernels ask for the same workspaces */
    private static void train(Graph graph, double tolerance, UnaryOperator<Scenario> options, boolean sameMemory) {
        Scenario run = options.apply(Scenario.defaults()
                .with(BATCH, 4L)
                .with(OPTIMIZER, OptimizerKind.ADAM)
                .with(LOSS, LossKind.MSE)
                .with(ScenarioSettings.STEPS, STEPS));
        Run host = Run.on(both.host(), graph, run);
        Run cuda = Run.on(both.cuda(), graph, run);
        if (sameMemory) {
            assertEquals(host.phases(), cuda.phases());
        }
        assertEquals(STEPS, cuda.losses().size());
        for (int i = 0; i < STEPS; i++) {
            assertEquals(
                    host.losses().get(i),
                    cuda.losses().get(i),
                    tolerance * host.losses().get(i),
                    "step " + i);
        }
        assertTrue(cuda.losses().get(STEPS - 1) < cuda.losses().get(0), cuda.losses()::toString);
    }

    private static Graph perceptron() {
        return Model.of("mlp", Sequential.of(Layers.linear(6, 16), Layers.tanh(), Layers.linear(16, 3)))
                .input("x", DType.FLOAT32, Model.BATCH, 6)
                .graph();
    }

    private static Graph convolutional() {
        var block = Residual.of(Sequential.of(
                Layers.conv2d(8, 8, 3, 1, 1), Layers.batchNorm2d(8), Layers.relu(), Layers.conv2d(8, 8, 3, 1, 1)));
        return Model.of(
                        "cnn",
                        Sequential.of(
                                Layers.conv2d(3, 8, 3, 1, 1),
                                Layers.batchNorm2d(8),
                                Layers.reluInPlace(),
                                Layers.maxPool2d(2, 2, 0),
                                block,
                                Layers.adaptiveAvgPool2d(2, 2),
                                Layers.flatten(),
                                Layers.linear(32, 5)))
                .input("x", DType.FLOAT32, Model.BATCH, 3, 8, 8)
                .graph();
    }

    @Test
    void perceptronLearns() {
        train(perceptron(), 1e-5, UnaryOperator.identity());
    }

    @Test
    void perceptronLearnsInHalfPrecision() {
        train(perceptron(), 2e-2, run -> run.with(DTYPE, DType.BFLOAT16));
    }

    @Test
    void convolutionalNetworkLearns() {
        train(convolutional(), 1e-4, UnaryOperator.identity());
    }

    @Test
    void convolutionalNetworkLearnsWithChannelsLastUnderAutocast() {
        train(convolutional(), 2e-2, run -> run.with(CHANNELS_LAST, true).with(AMP, DType.BFLOAT16));
    }

    @Test
    void decoderLearns() {
        train(TinyGpt.graph(), 1e-4, UnaryOperator.identity());
    }

    /** The host and the null cuDNN keep what their own kernels need, the real cuDNN something else. */
    @ParameterizedTest
    @ValueSource(strings = {"gru", "lstm", "rnn_tanh"})
    void recurrentNetworkLearns(String kind) {
        UnaryOperator<Scenario> options = run -> run.with(BATCH, TinySeq2Seq.BATCH);
        train(TinySeq2Seq.graph(kind), 1e-4, options, !NullCuda.isReal());
    }

    @Test
    void decoderLearnsUnderAutocastWithLossScaling() {
        train(TinyGpt.graph(), 2e-2, run -> run.with(AMP, DType.FLOAT16));
    }
}
