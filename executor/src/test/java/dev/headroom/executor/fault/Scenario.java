package dev.headroom.executor.fault;

import dev.headroom.build.Layers;
import dev.headroom.build.Model;
import dev.headroom.build.Module;
import dev.headroom.build.Scope;
import dev.headroom.build.Sequential;
import dev.headroom.build.Value;
import dev.headroom.graph.DType;
import dev.headroom.graph.Graph;
import dev.headroom.training.LossKind;
import dev.headroom.training.OptimizerKind;
import dev.headroom.training.TrainingRun;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A small run to break. */
record Scenario(String name, Graph graph, TrainingRun run) {
    @Override
    public String toString() {
        return name;
    }

    static Stream<Scenario> all() {
        return Stream.of(
                of("perceptron", perceptron(), r -> {}),
                of("value used twice", twice(), r -> r.batch = null),
                of("two inputs", pair(), r -> r.inputGrad = true),
                of("accumulated", perceptron(), r -> r.accumulate = 2),
                of("gradients kept", perceptron(), r -> r.zeroGradKeep = true),
                of("outputs dropped", perceptron(), r -> r.dropOutputs = true),
                of("input gradient", perceptron(), r -> r.inputGrad = true),
                of("inference", perceptron(), r -> r.inference = true));
    }

    static Scenario of(String name, Graph graph, Consumer<TrainingRun> change) {
        TrainingRun run = new TrainingRun();
        run.batch = 4L;
        run.optimizer = OptimizerKind.SGD;
        run.loss = LossKind.MSE;
        run.steps = 2;
        change.accept(run);
        return new Scenario(name, graph, run);
    }

    static Graph perceptron() {
        return Model.of("perceptron", Sequential.of(Layers.linear(4, 8), Layers.tanh(), Layers.linear(8, 2)))
                .input("x", DType.FLOAT32, Model.BATCH, 4)
                .graph();
    }

    /** A value that is used twice, so that its gradient waits until both users' backward functions have run. */
    static Graph twice() {
        return Model.of("twice", Sequential.of(Layers.linear(4, 4), new Twice(), Layers.linear(4, 2)))
                .input("x", DType.FLOAT32, 4, 4)
                .graph();
    }

    private static final class Twice extends Module {
        private final Module tanh = child("tanh", Layers.tanh());

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

    private static final class Pair extends Module {
        private final Module head = child("head", Layers.linear(4, 2));

        @Override
        protected Value forward(Scope scope, Value... inputs) {
            scope.line("z = x @ y");
            Value z = scope.op("aten.mm.default", Scope.arguments("self", inputs[0], "mat2", inputs[1]));
            scope.line("return self.head(z)");
            return scope.call(head, z);
        }
    }
}
