package dev.headroom.model.adapter.peft.graph;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.SymExpr;
import dev.headroom.model.quant.pass.QuantisedOperators;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** How adapters look at layers with quantised weights. */
public final class Quantised {
    /** Arguments of the layer's own operator that say what its weight is. */
    private static final Set<String> STATE = Set.of("input", "bias", "compute_dtype");

    private Quantised() {}

    private static Node product(CallSpan call) {
        return call.nodes().stream()
                .filter(n -> QuantisedOperators.isLinear(n.operator()))
                .findFirst()
                .orElseThrow();
    }

    /** Sizes of the weight before it was quantised. */
    public static List<SymExpr> shape(CallSpan call) {
        return product(call).argument("shape") instanceof Argument.Ints shape ? shape.values() : List.of();
    }

    /** The type that the layer computes in, of which its adapter is made. */
    public static DType computeType(CallSpan call) {
        return product(call).argument("compute_dtype") instanceof Argument.Type type ? type.value() : DType.FLOAT32;
    }

    /** {@code dequantize_module_weight(base_layer)} (peft, utils/integrations.py). */
    public static String dequantized(LayerWriter w, CallSpan call) {
        Node product = product(call);
        List<Object> arguments = new ArrayList<>();
        for (Node.NamedArgument a : product.arguments()) {
            if (!STATE.contains(a.name())) {
                arguments.add(a.name());
                arguments.add(Objects.requireNonNull(a.value()));
            }
        }
        boolean four = product.operator().equals(QuantisedOperators.LINEAR_4BIT);
        return w.op(
                (four ? QuantisedOperators.DEQUANTIZE_4BIT : QuantisedOperators.DEQUANTIZE_8BIT) + ".default",
                arguments.toArray());
    }
}
