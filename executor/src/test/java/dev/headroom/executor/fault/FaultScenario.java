package dev.headroom.executor.fault;

import static dev.headroom.model.scenario.ScenarioSettings.ACCUMULATE;
import static dev.headroom.model.scenario.ScenarioSettings.AMP;
import static dev.headroom.model.scenario.ScenarioSettings.BATCH;
import static dev.headroom.model.scenario.ScenarioSettings.CHANNELS_LAST;
import static dev.headroom.model.scenario.ScenarioSettings.CHECKPOINT;
import static dev.headroom.model.scenario.ScenarioSettings.DROP_OUTPUTS;
import static dev.headroom.model.scenario.ScenarioSettings.DTYPE;
import static dev.headroom.model.scenario.ScenarioSettings.FOREACH;
import static dev.headroom.model.scenario.ScenarioSettings.FUSED;
import static dev.headroom.model.scenario.ScenarioSettings.INFERENCE;
import static dev.headroom.model.scenario.ScenarioSettings.INPUT_GRAD;
import static dev.headroom.model.scenario.ScenarioSettings.LOSS;
import static dev.headroom.model.scenario.ScenarioSettings.OPTIMIZER;
import static dev.headroom.model.scenario.ScenarioSettings.REENTRANT;
import static dev.headroom.model.scenario.ScenarioSettings.STEPS;
import static dev.headroom.model.scenario.ScenarioSettings.ZERO_GRAD_KEEP;

import dev.headroom.executor.optim.Optimizers;
import dev.headroom.model.dsl.Branches;
import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Residual;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.dsl.Value;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.scenario.LossKind;
import dev.headroom.model.scenario.OptimizerKind;
import dev.headroom.model.scenario.Scenario;
import dev.headroom.model.scenario.TorchVersion;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A small run to break. */
record FaultScenario(String name, Graph graph, Scenario run) {
    @Override
    public String toString() {
        return name;
    }

    static Stream<FaultScenario> all() {
        return Stream.of(loops(), optimizers(), precisions(), models(), checkpoints())
                .flatMap(x -> x);
    }

    private static Stream<FaultScenario> loops() {
        return Stream.of(
                of("perceptron", perceptron(), UnaryOperator.identity()),
                of("accumulated", perceptron(), r -> r.with(ACCUMULATE, 2)),
                of("gradients kept", perceptron(), r -> r.with(ZERO_GRAD_KEEP, true)),
                of("outputs dropped", perceptron(), r -> r.with(DROP_OUTPUTS, true)),
                of("input gradient", perceptron(), r -> r.with(INPUT_GRAD, true)),
                of("inference", perceptron(), r -> r.with(INFERENCE, true)));
    }

    private static Stream<FaultScenario> optimizers() {
        return Stream.of(OptimizerKind.values())
                .filter(kind -> Optimizers.knows(Scenario.defaults().with(OPTIMIZER, kind)))
                .filter(kind -> kind != OptimizerKind.SPARSE_ADAM) // takes sparse gradients alone
                .flatMap(kind -> {
                    boolean fuses = kind.fusesIn(TorchVersion.NEWEST);
                    Stream<FaultScenario> each = Stream.of(Scenario.Foreach.TRUE, Scenario.Foreach.FALSE)
                            .map(foreach -> of(
                                    kind.option() + ", foreach " + foreach, perceptron(), r -> r.with(OPTIMIZER, kind)
                                            .with(FOREACH, foreach)));
                    Stream<FaultScenario> fused =
                            Stream.of(of(kind.option() + ", fused", perceptron(), r -> r.with(OPTIMIZER, kind)
                                    .with(FUSED, true)));
                    return fuses ? Stream.concat(each, fused) : each;
                });
    }

    private static Stream<FaultScenario> precisions() {
        return Stream.of(
                of("amp fp16", perceptron(), r -> r.with(AMP, DType.FLOAT16)),
                of("amp bf16", perceptron(), r -> r.with(AMP, DType.BFLOAT16)),
                of("amp fp16, inference", perceptron(), r -> r.with(AMP, DType.FLOAT16)
                        .with(INFERENCE, true)),
                of("amp fp16, fused adam", perceptron(), r -> r.with(AMP, DType.FLOAT16)
                        .with(OPTIMIZER, OptimizerKind.ADAM)
                        .with(FUSED, true)),
                of("fp16", perceptron(), r -> r.with(DTYPE, DType.FLOAT16)));
    }

    private static Stream<FaultScenario> models() {
        return Stream.of(
                of("value used twice", twice(), r -> r.with(BATCH, null)),
                of("two inputs", pair(), r -> r.with(INPUT_GRAD, true)),
                of("tokens", tokens(), r -> r.with(LOSS, LossKind.CROSS_ENTROPY)),
                of("convolutions", convolutions(), r -> r.with(STEPS, 1)),
                of("convolutions, channels last, amp", convolutions(), r -> r.with(STEPS, 1)
                        .with(CHANNELS_LAST, true)
                        .with(AMP, DType.FLOAT16)));
    }

    private static Stream<FaultScenario> checkpoints() {
        return Stream.of(true, false)
                .flatMap(reentrant -> Stream.of(
                        of("checkpoints, re-entrant " + reentrant, perceptron(), r -> r.with(CHECKPOINT, 2)
                                .with(REENTRANT, reentrant)),
                        of("checkpointed convolutions, re-entrant " + reentrant, convolutions(), r -> r.with(STEPS, 1)
                                .with(CHECKPOINT, 3)
                                .with(REENTRANT, reentrant)
                                .with(AMP, DType.FLOAT16))));
    }

    static FaultScenario of(String name, Graph graph, UnaryOperator<Scenario> change) {
        Scenario run = change.apply(Scenario.defaults()
                .with(BATCH, 4L)
                .with(OPTIMIZER, OptimizerKind.SGD)
                .with(LOSS, LossKind.MSE)
                .with(STEPS, 2));
        return new FaultScenario(name, graph, run);
    }

    static Graph perceptron() {
        return Model.of("perceptron", Sequential.of(Layers.linear(4, 8), Layers.tanh(), Layers.linear(8, 2)))
                .input("x", DType.FLOAT32, Model.BATCH, 4)
                .graph();
    }

    static Graph tokens() {
        return Model.of(
                        "tokens",
                        Sequential.of(
                                Layers.embedding(8, 8),
                                Residual.of(Sequential.of(
                                        Layers.layerNorm(8),
                                        Layers.linear(8, 16),
                                        Layers.gelu(),
                                        Layers.linear(16, 8))),
                                new Attention(),
                                Layers.softmax(-1)))
                .input("ids", DType.INT64, Model.BATCH, 8)
                .graph();
    }

    private static final class Attention extends Layer {
        @Override
        protected Value forward(Scope scope, Value... inputs) {
            scope.line("x = x.unsqueeze(1)");
            Value x = scope.op("aten.unsqueeze.default", Scope.arguments("self", inputs[0], "dim", 1));
            scope.line("x = scaled_dot_product_attention(x, x, x)");
            x = scope.op(
                    "aten.scaled_dot_product_attention.default", Scope.arguments("query", x, "key", x, "value", x));
            scope.line("return x.squeeze(1)");
            return scope.op("aten.squeeze.dim", Scope.arguments("self", x, "dim", 1));
        }
    }

    static Graph convolutions() {
        return Model.of(
                        "convolutions",
                        Sequential.of(
                                Layers.conv2d(3, 8, 3, 1, 1),
                                Layers.batchNorm2d(8),
                                Layers.reluInPlace(),
                                Layers.maxPool2d(2, 2, 0),
                                Residual.of(
                                        Sequential.of(Layers.conv2d(8, 8, 3, 1, 1, 8, false), Layers.batchNorm2d(8)),
                                        null,
                                        Layers.reluInPlace()),
                                Branches.of(1, Layers.conv2d(8, 4, 1, 1, 0), Layers.groupNorm(2, 8)),
                                Layers.dropout(0.5),
                                Layers.adaptiveAvgPool2d(1, 1),
                                Layers.flatten(),
                                Layers.linear(12, 2)))
                .input("x", DType.FLOAT32, Model.BATCH, 3, 8, 8)
                .graph();
    }

    /** A value that is used twice, so that its gradient waits until both users' backward functions have run. */
    static Graph twice() {
        return Model.of("twice", Sequential.of(Layers.linear(4, 4), new Twice(), Layers.linear(4, 2)))
                .input("x", DType.FLOAT32, 4, 4)
                .graph();
    }

    private static final class Twice extends Layer {
        private final Layer tanh = child("tanh", Layers.tanh());

        @Override
        protected Value forward(Scope scope, Value... inputs) {
            scope.line("y = self.tanh(x)");
            Value y = scope.call(tanh, inputs[0]);
            scope.line("return x @ y");
            return scope.op("aten.mm.default", Scope.arguments("self", inputs[0], "mat2", y));
        }
    }

    static Graph pair() {
        return Model.of("pair", new Pair())
                .input("x", DType.FLOAT32, Model.BATCH, 4)
                .input("y", DType.FLOAT32, 4, 4)
                .graph();
    }

    private static final class Pair extends Layer {
        private final Layer head = child("head", Layers.linear(4, 2));

        @Override
        protected Value forward(Scope scope, Value... inputs) {
            scope.line("z = x @ y");
            Value z = scope.op("aten.mm.default", Scope.arguments("self", inputs[0], "mat2", inputs[1]));
            scope.line("return self.head(z)");
            return scope.call(head, z);
        }
    }
}
