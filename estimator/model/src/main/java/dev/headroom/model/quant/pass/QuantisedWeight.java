package dev.headroom.model.quant.pass;

import dev.headroom.model.generation.GenerationProgram;
import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What a quantised weight was before.
 *
 * @param type of its elements
 * @param out features: rows
 * @param in features: columns
 * @param turned whether the model holds it the other way around
 */
public record QuantisedWeight(DType type, long out, long in, boolean turned) {
    /** Its elements. */
    public long elements() {
        return out * in;
    }

    /** All of a graph, by the qualified name of the weight. */
    public static Map<String, QuantisedWeight> of(Graph graph) {
        Map<String, String> names = new HashMap<>();
        GenerationProgram.firstPass(graph).inputs().forEach(in -> names.put(in.value(), in.qualifiedName()));
        Map<String, QuantisedWeight> out = new LinkedHashMap<>();
        for (Node node : GenerationProgram.firstPass(graph).nodes()) {
            if (QuantisedOperators.isLinear(node.operator())) {
                String weight = Objects.requireNonNull(node.tensor("weight"), "weight");
                List<Long> shape = ((Argument.Ints) Objects.requireNonNull(node.argument("shape"), "shape"))
                        .values().stream().map(s -> s.evaluate(Map.of())).toList();
                DType type =
                        ((Argument.Type) Objects.requireNonNull(node.argument("weight_dtype"), "weight_dtype")).value();
                boolean turned = node.argument("turned") != null;
                out.put(
                        Objects.requireNonNull(names.get(weight)),
                        new QuantisedWeight(type, shape.get(0), shape.get(1), turned));
            }
        }
        return out;
    }

    /** The qualified name of a tensor that belongs to a quantised weight, such as its {@code absmax}. */
    public static String named(String weight, String part) {
        return QuantisedTensors.named(weight, part);
    }
}
