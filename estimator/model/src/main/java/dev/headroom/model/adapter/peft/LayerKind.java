package dev.headroom.model.adapter.peft;

import dev.headroom.model.graph.Node;
import dev.headroom.model.quant.pass.QuantisedOperators;
import java.util.List;
import java.util.Optional;

/** What peft tells apart among layers (tuners/lora/layer.py, dispatch_default; tuners/lora/bnb.py). */
enum LayerKind {
    /** {@code nn.Linear}: weight out × in. */
    LINEAR("peft.tuners.lora.layer.Linear"),
    /** The {@code Conv1D} of transformers: weight in × out. */
    TRANSPOSED_LINEAR("peft.tuners.lora.layer.Linear"),
    /** {@code bitsandbytes.nn.Linear4bit}. */
    LINEAR_4BIT("peft.tuners.lora.bnb.Linear4bit"),
    /** {@code bitsandbytes.nn.Linear8bitLt}. */
    LINEAR_8BIT("peft.tuners.lora.bnb.Linear8bitLt"),
    /** {@code nn.Embedding}. */
    EMBEDDING("peft.tuners.lora.layer.Embedding"),
    /** {@code nn.Conv1d}, {@code nn.Conv2d}, {@code nn.Conv3d}. */
    CONVOLUTION("peft.tuners.lora.layer.Conv2d");

    private final String wrapper;

    LayerKind(String wrapper) {
        this.wrapper = wrapper;
    }

    /** Class of the layer that is wrapped around it. */
    String wrapper() {
        return wrapper;
    }

    /** Whether it is one of the linear layers that {@code all-linear} means. */
    boolean isLinear() {
        return this != EMBEDDING && this != CONVOLUTION;
    }

    /** Whether its weight is quantised. */
    boolean isQuantised() {
        return this == LINEAR_4BIT || this == LINEAR_8BIT;
    }

    /** The kind of the layer that a call is of, by what it runs. */
    static Optional<LayerKind> of(CallSpan call) {
        List<Node> nodes = call.nodes();
        boolean own = nodes.stream().allMatch(n -> n.moduleStack().size() == call.depth() + 1);
        if (!own) {
            return Optional.empty();
        }
        return nodes.stream()
                .map(n -> of(n.operator(), call))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<LayerKind> of(String operator, CallSpan call) {
        return Optional.ofNullable(
                switch (operator) {
                    case "aten.linear" ->
                        call.nodes().size() == 1 && isLinearClass(call.module().type()) ? LINEAR : null;
                    case "aten.matmul" -> call.module().type().endsWith("FalconLinear") ? LINEAR : null;
                    case "aten.addmm" -> call.module().type().endsWith("Conv1D") ? TRANSPOSED_LINEAR : null;
                    case "aten.embedding" -> EMBEDDING;
                    case "aten.conv1d", "aten.conv2d", "aten.conv3d" -> CONVOLUTION;
                    case QuantisedOperators.LINEAR_4BIT -> LINEAR_4BIT;
                    case QuantisedOperators.LINEAR_8BIT -> LINEAR_8BIT;
                    default -> null;
                });
    }

    /** A router of experts multiplies by a weight as well, but is no {@code nn.Linear}. */
    private static boolean isLinearClass(String type) {
        return type.isEmpty() || !type.endsWith("Router");
    }
}
