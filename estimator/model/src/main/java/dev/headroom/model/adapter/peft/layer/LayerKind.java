package dev.headroom.model.adapter.peft.layer;

import dev.headroom.model.adapter.AdapterMethod;
import dev.headroom.model.adapter.peft.graph.CallSpan;
import dev.headroom.model.graph.Node;
import dev.headroom.model.quant.pass.QuantisedOperators;
import java.util.List;
import java.util.Optional;

/** What peft tells apart among layers (tuners/lora/layer.py, dispatch_default; tuners/lora/bnb.py). */
public enum LayerKind {
    /** {@code nn.Linear}: weight out × in. */
    LINEAR("peft.tuners.lora.layer.Linear", "a linear layer"),
    /** The {@code Conv1D} of transformers: weight in × out. */
    TRANSPOSED_LINEAR("peft.tuners.lora.layer.Linear", "a Conv1D"),
    /** {@code bitsandbytes.nn.Linear4bit}. */
    LINEAR_4BIT("peft.tuners.lora.bnb.Linear4bit", "a layer of 4 bits"),
    /** {@code bitsandbytes.nn.Linear8bitLt}. */
    LINEAR_8BIT("peft.tuners.lora.bnb.Linear8bitLt", "a layer of 8 bits"),
    /** {@code nn.Embedding}. */
    EMBEDDING("peft.tuners.lora.layer.Embedding", "an embedding"),
    /** {@code nn.Conv1d}, {@code nn.Conv2d}, {@code nn.Conv3d}. */
    CONVOLUTION("peft.tuners.lora.layer.Conv2d", "a convolution");

    private final String wrapper;
    private final String words;

    LayerKind(String wrapper, String words) {
        this.wrapper = wrapper;
        this.words = words;
    }

    /** Such as {@code a linear layer}. */
    public String words() {
        return words;
    }

    /**
     * Whether peft's layer of a method goes around one of this kind; LoHa's and LoKr's wrap layers of 4 bits as well,
     * but then find that packed weights have no rows.
     */
    public boolean takes(AdapterMethod method) {
        return switch (method) {
            case ADALORA, VERA -> isLinear();
            case IA3 -> isLinear() && this != LINEAR_8BIT;
            case LOHA, LOKR -> this == LINEAR;
            case OFT -> isLinear() && this != TRANSPOSED_LINEAR;
            case PROMPT_TUNING, P_TUNING, PREFIX_TUNING, LN_TUNING -> false;
        };
    }

    /** Class of the layer that is wrapped around it. */
    public String wrapper() {
        return wrapper;
    }

    /** Whether it is one of the linear layers that {@code all-linear} means. */
    public boolean isLinear() {
        return this != EMBEDDING && this != CONVOLUTION;
    }

    /** Whether its weight is quantised. */
    public boolean isQuantised() {
        return this == LINEAR_4BIT || this == LINEAR_8BIT;
    }

    /** The kind of the layer that a call is of, by what it runs. */
    public static Optional<LayerKind> of(CallSpan call) {
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
