package dev.headroom.estimator.predict;

import static dev.headroom.model.dsl.Layers.adaptiveAvgPool2d;
import static dev.headroom.model.dsl.Layers.batchNorm2d;
import static dev.headroom.model.dsl.Layers.conv2d;
import static dev.headroom.model.dsl.Layers.dropout;
import static dev.headroom.model.dsl.Layers.flatten;
import static dev.headroom.model.dsl.Layers.linear;
import static dev.headroom.model.dsl.Layers.maxPool2d;
import static dev.headroom.model.dsl.Layers.relu;
import static dev.headroom.model.dsl.Layers.reluInPlace;
import static dev.headroom.model.dsl.Layers.sigmoid;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CUDNN_WORKSPACE;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.headroom.model.dsl.Branches;
import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Residual;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.importer.Importers;
import dev.headroom.model.scenario.CudnnWorkspace;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.Scenario;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The same model written in Java and exported from PyTorch gives the same prediction, phase by phase. */
class DslModelTest {
    private static Graph archive(String name) {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("fixtures/models"))) {
            folder = folder.getParent();
        }
        return Importers.read(folder.resolve("fixtures/models").resolve(name));
    }

    private static Prediction predict(Graph graph, long batch, LossKind loss) {
        Scenario run =
                Scenario.defaults().with(BATCH, batch).with(LOSS, loss).with(CUDNN_WORKSPACE, CudnnWorkspace.NONE);
        return Predictor.predict(new PredictionRequest(graph, run));
    }

    private static void assertSame(Graph built, String archive, long batch, LossKind loss) {
        Prediction mine = predict(built, batch, loss);
        Prediction theirs = predict(archive(archive), batch, loss);
        assertEquals(theirs.phases(), mine.phases());
        assertEquals(theirs.atPeak(), mine.atPeak());
        assertTrue(mine.unmodelled().isEmpty());
    }

    @Test
    void aMultilayerPerceptron() {
        long[] widths = {2, 200, 500, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 500, 200, 100, 50, 2};
        List<Layer> layers = new ArrayList<>();
        for (int i = 1; i < widths.length; i++) {
            layers.add(linear(widths[i - 1], widths[i]));
            layers.add(relu());
        }
        layers.add(sigmoid());
        Graph graph = Model.of("mlp", Sequential.of(layers.toArray(Layer[]::new)))
                .input("x", DType.FLOAT32, Model.BATCH, 1, 2)
                .graph();
        assertSame(graph, "mlp-xor.pt2", 1000, LossKind.AUTO);
    }

    @Test
    void aSmallConvolutionalNetwork() {
        Layer body = Sequential.of(
                conv2d(20, 50, 3, 1, 1), relu(), conv2d(50, 25, 3, 1, 1), relu(), conv2d(25, 10, 3, 1, 1), relu());
        Layer model = Sequential.of(body, flatten(), linear(19 * 22 * 10, 3258));
        Graph graph = Model.of("cnn", model)
                .input("x", DType.FLOAT32, Model.BATCH, 20, 19, 22)
                .graph();
        assertSame(graph, "cnn-small.pt2", 100, LossKind.MSE);
    }

    /** Two 3x3 convolutions; a strided block changes its input by a 1x1 one. */
    private static Layer block(long in, long out, long stride) {
        Layer body = Sequential.of(
                conv2d(in, out, 3, stride, 1, 1, false),
                batchNorm2d(out),
                reluInPlace(),
                conv2d(out, out, 3, 1, 1, 1, false),
                batchNorm2d(out));
        Layer shortcut = stride == 1 && in == out
                ? null
                : Sequential.of(conv2d(in, out, 1, stride, 0, 1, false), batchNorm2d(out));
        return Residual.of(body, shortcut, reluInPlace());
    }

    @Test
    void aResidualNetwork() {
        Layer model = Sequential.of(
                conv2d(3, 64, 7, 2, 3, 1, false),
                batchNorm2d(64),
                reluInPlace(),
                maxPool2d(3, 2, 1),
                Sequential.of(block(64, 64, 1), block(64, 64, 1)),
                Sequential.of(block(64, 128, 2), block(128, 128, 1)),
                Sequential.of(block(128, 256, 2), block(256, 256, 1)),
                Sequential.of(block(256, 512, 2), block(512, 512, 1)),
                adaptiveAvgPool2d(1, 1),
                flatten(),
                linear(512, 1000));
        Graph graph = Model.of("residual", model)
                .input("x", DType.FLOAT32, Model.BATCH, 3, 224, 224)
                .graph();
        assertSame(graph, "resnet18-i224.pt2", 32, LossKind.AUTO);
    }

    @Test
    void aSharedModuleHasItsParametersOnce() {
        Layer shared = linear(64, 64, false);
        Graph once = Model.of("a", Sequential.of(linear(64, 64, false), relu()))
                .input("x", DType.FLOAT32, Model.BATCH, 64)
                .graph();
        Graph twice = Model.of("b", Sequential.of(shared, relu(), shared))
                .input("x", DType.FLOAT32, Model.BATCH, 64)
                .graph();
        assertEquals(
                predict(once, 4, LossKind.AUTO).phases().get(0),
                predict(twice, 4, LossKind.AUTO).phases().get(0));
        assertEquals(1, twice.held().tensors().size());
    }

    @Test
    void frozenParametersHaveNeitherGradientsNorState() {
        Layer frozen = Sequential.of(linear(64, 64), relu(), dropout(0.5)).freeze();
        Graph graph = Model.of("f", Sequential.of(frozen, linear(64, 10)))
                .input("x", DType.FLOAT32, Model.BATCH, 64)
                .graph();
        Prediction p = predict(graph, 4, LossKind.AUTO);
        long trained = (64 * 10 + 10) * 4L;
        assertEquals(trained, p.layers().stream().mapToLong(l -> l.gradients()).sum());
        assertEquals(
                2 * trained,
                p.layers().stream().mapToLong(l -> l.optimizerState()).sum());
    }

    @Test
    void branchesJoinAndStrangersAreRefused() {
        Graph graph = Model.of("b", Branches.of(1, linear(8, 3), linear(8, 5)))
                .input("x", DType.FLOAT32, 4, 8)
                .graph();
        Scenario run = Scenario.defaults().with(LOSS, LossKind.SUM);
        Prediction p = Predictor.predict(new PredictionRequest(graph, run));
        assertTrue(p.peak().allocated() > 0);
        Layer stranger = relu();
        Layer bad = new Layer() {
            @Override
            protected Value forward(Scope scope, Value... inputs) {
                return scope.call(stranger, inputs);
            }
        };
        assertThrows(
                IllegalArgumentException.class,
                () -> Model.of("x", bad).input("x", DType.FLOAT32, 1).graph());
    }
}
