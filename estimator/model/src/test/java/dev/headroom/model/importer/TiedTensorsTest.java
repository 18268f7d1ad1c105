package dev.headroom.model.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.headroom.model.graph.Argument;
import dev.headroom.model.graph.DType;
import dev.headroom.model.graph.Graph;
import dev.headroom.model.graph.Node;
import dev.headroom.model.graph.TensorMeta;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tied parameters of a model without data. */
class TiedTensorsTest {
    private static Node reads(String module, String value) {
        return new Node(
                "n_" + value,
                "aten.mul.Tensor",
                List.of(new Node.NamedArgument("self", new Argument.Value(value))),
                List.of("n_" + value),
                module.isEmpty()
                        ? List.of(new Node.ModuleCall("", "", "Net"))
                        : List.of(new Node.ModuleCall("", "", "Net"), new Node.ModuleCall(module, module, "Head")),
                "");
    }

    private static TiedTensors.Result find(Map<String, TensorMeta> parameters, Node... nodes) {
        Map<String, TensorMeta> values = new LinkedHashMap<>();
        parameters.forEach((name, meta) -> values.put("p_" + name, meta));
        Graph graph = new Graph(
                "net",
                parameters.keySet().stream()
                        .map(name -> new Graph.Input(Graph.InputKind.PARAMETER, "p_" + name, name, true))
                        .toList(),
                List.of(nodes),
                List.of(),
                values,
                Map.of(),
                Map.of(),
                List.of());
        return TiedTensors.find(graph, parameters);
    }

    private static Map<String, TensorMeta> table() {
        Map<String, TensorMeta> out = new LinkedHashMap<>();
        out.put("encoder.weight", TensorMeta.of(DType.FLOAT32, 1200, 96));
        out.put("crit.head_weight", TensorMeta.of(DType.FLOAT32, 1200, 96));
        return out;
    }

    @Test
    void aChildsUnusedParameterIsTheOneThatTheModuleReadsOfElsewhere() {
        // F.embedding(x, self.encoder.weight) in the model, and self.head_weight in its criterion, are one tensor.
        TiedTensors.Result found = find(table(), reads("", "p_crit.head_weight"), reads("crit", "p_crit.head_weight"));
        assertEquals(Map.of("encoder.weight", "crit.head_weight"), found.tied());
        assertEquals(1, found.notes().size());
    }

    @Test
    void oneThatOnlyItsOwnModuleReadsIsNot() {
        assertEquals(
                Map.of(), find(table(), reads("crit", "p_crit.head_weight")).tied());
    }

    @Test
    void oneOfAnotherShapeIsNot() {
        Map<String, TensorMeta> other = table();
        other.put("encoder.weight", TensorMeta.of(DType.FLOAT32, 96, 1200));
        assertEquals(Map.of(), find(other, reads("", "p_crit.head_weight")).tied());
    }
}
