package dev.headroom.validation.real;

import dev.headroom.model.dsl.Layer;
import dev.headroom.model.dsl.Layers;
import dev.headroom.model.dsl.Model;
import dev.headroom.model.dsl.Scope;
import dev.headroom.model.dsl.Sequential;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import java.util.ArrayList;
import java.util.List;

/**
 * The perceptrons of GPUMemNet's generators (itu-rad/GPUMemNet, NeuroNetGen_scripts/MLP/mlp.py and mlp_next.py).
 *
 * @param second made by the second of the programs, which adds activations, dropout, batch normalisation and what
 *     follows the last layer
 * @param architecture pyramid, uniform, bottleneck or gradual
 */
record PerceptronModel(
        boolean second,
        int input,
        int output,
        int depth,
        String architecture,
        String activation,
        boolean dropout,
        boolean normalised) {

    /** Its graph, over a symbolic batch. */
    Graph graph() {
        List<Layer> layers = new ArrayList<>();
        int width = input;
        int decrement = (input - output) / depth;
        for (int i = 0; i < depth; i++) {
            int next =
                    switch (architecture) {
                        case "uniform" -> width;
                        case "gradual" -> Math.max(width - decrement, output);
                        default -> Math.max(width / 2, output);
                    };
            hidden(layers, width, next);
            width = next;
        }
        if (architecture.equals("bottleneck")) {
            int next = Math.max(width / 2, output);
            hidden(layers, width, next);
            width = next;
        }
        layers.add(Layers.linear(width, output));
        if (second && output > 1) {
            layers.add(Layers.softmax(1));
        }
        Layer chain = Sequential.of(layers.toArray(Layer[]::new));
        return Model.of("perceptron", second ? new Flattened(chain) : chain)
                .input("x", DType.FLOAT32, Model.BATCH, input)
                .graph();
    }

    private void hidden(List<Layer> layers, int in, int out) {
        layers.add(Layers.linear(in, out));
        if (normalised) {
            layers.add(Layers.batchNorm1d(out));
        }
        if (!activation.equals("identity")) {
            layers.add(nonlinear());
        }
        if (dropout) {
            layers.add(Layers.dropout(0.5));
        }
    }

    private Layer nonlinear() {
        return switch (activation) {
            case "leaky_relu" -> Layers.activation("LeakyReLU", "leaky_relu");
            case "prelu" -> Layers.prelu();
            case "elu" -> Layers.activation("ELU", "elu");
            case "selu" -> Layers.activation("SELU", "selu");
            case "tanh" -> Layers.tanh();
            case "softplus" -> Layers.activation("Softplus", "softplus");
            case "swish" -> Layers.silu();
            case "mish" -> Layers.activation("Mish", "mish");
            case "gelu" -> Layers.gelu();
            default -> Layers.relu();
        };
    }

    /** {@code self.model(x.view(x.size(0), -1))}, the view bound to the name of the input. */
    private static final class Flattened extends Layer {
        private final Layer model;

        private Flattened(Layer model) {
            this.model = child("model", model);
        }

        @Override
        protected dev.headroom.model.dsl.Value forward(Scope scope, dev.headroom.model.dsl.Value... inputs) {
            return scope.call(model, inputs[0]);
        }
    }
}
